// All of ZeRO-1 in one picture. An all-reduce is a reduce-scatter and an all-gather. Adam stands behind both
// (stage 0), or is pulled between them (stage 1): what comes after it carries parameters instead of
// gradients, a rank keeps the optimizer state of its own part, and what is sent stays what it was.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "panel_parts.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::zero_panel {
namespace {

using ui::px;
using ui::Rect;
using ui::Type;

constexpr float kGlide = 0.3f;  // seconds from one place to the other

int watched_stage(const View& view) {
  return view.section == nullptr ? 0 : std::clamp(stage_of(*view.section), 0, 3);
}

// Bytes a parameter of a stage by the planner, kind by kind; stage 0 has no question: it keeps all of each.
SectionIndex::State calculated(const View& view, int stage, double psi) {
  SectionIndex::State state{};
  const PredictionSpec* spec = question(view.lesson, "state", 1);
  if (spec == nullptr || !spec->blocks) return state;
  const auto blocks = spec->blocks(view.config);
  for (size_t i = 0; i < std::min(blocks.size(), state.size()); ++i)
    state[i] = static_cast<int64_t>((stage == 0 ? blocks[i].whole : blocks[i].right) * psi);
  return state;
}

float mix(double a, double b, float t) { return static_cast<float>(a + (b - a) * static_cast<double>(t)); }

}  // namespace

// Measured where the run has come so far, calculated where it has not.
struct Adam::Facts {
  int ranks = 0;
  std::array<std::vector<SectionIndex::State>, 2> states;  // by stage and rank
  std::array<bool, 2> has_state{}, has_sent{};             // measured
  std::array<double, 2> sent{};                            // Ψ a step
  bool tells_sent = true, tells_state = true;              // false: these questions are still to be asked
};

struct Adam::Layout {
  Rect words, halves, first, second, ranks, counter;
  float bar, token;
  bool between;  // the way that is left for Adam is in `second`
  Rect adam(float place) const {
    const float x = second.max.x - token - place * (second.width() - token);
    return {{x, second.min.y}, {x + token, second.max.y}};
  }
};

Adam::Facts Adam::facts_of(const View& view, const Indexes& indexes) {
  Facts facts;
  facts.ranks = view.section->ranks();
  facts.tells_sent = !view.hides("sent_stage_0") && !view.hides("sent_stage_1");
  facts.tells_state = !view.hides("state_stage_1");
  for (const int stage : {0, 1}) {
    const auto which = static_cast<size_t>(stage);
    const auto found = indexes.find(stage_name(stage));
    const SectionView* section = view.trace.find(stage_name(stage));
    facts.has_state[which] = section != nullptr && section->ranks() == facts.ranks;
    for (int rank = 0; rank < facts.ranks; ++rank) {
      const auto state = found == indexes.end() ? std::nullopt : found->second.state(rank);
      facts.has_state[which] = facts.has_state[which] && state.has_value();
      facts.states[which].push_back(state.value_or(SectionIndex::State{}));
    }
    if (!facts.has_state[which])
      facts.states[which].assign(static_cast<size_t>(facts.ranks),
                                 calculated(view, stage, psi_of(*view.section)));
    const auto sent = sent_psi(view, indexes, stage);
    facts.has_sent[which] = sent.has_value();
    if (sent) {
      facts.sent[which] = *sent;
    } else if (const PredictionSpec* spec = question(view.lesson, "sent", stage)) {
      facts.sent[which] = spec->formula(view.config);
    }
  }
  return facts;
}

Adam::Layout Adam::lay_out(const Rect& rect, const View&) const {
  Layout layout{};
  const float line = ui::line_height(Type::kBody), gap = px(6);
  layout.bar = std::clamp(rect.height() * 0.2f, px(30), px(52));
  layout.token = px(72);
  layout.words = {rect.min, {rect.max.x, rect.min.y + line}};
  const float counter = std::min(px(190), rect.width() * 0.28f), top = layout.words.max.y + gap;
  layout.halves = {{rect.min.x, top}, {rect.max.x - counter - px(16), top + layout.bar}};
  const float one = (layout.halves.width() - layout.token - px(8)) / 2;
  layout.first = {layout.halves.min, {layout.halves.min.x + one, layout.halves.max.y}};
  layout.second = {{layout.first.max.x + px(8), layout.halves.min.y}, layout.halves.max};
  layout.counter = {{rect.max.x - counter, top}, {rect.max.x, rect.max.y}};
  layout.ranks = {{rect.min.x, layout.halves.max.y + px(8)}, {layout.halves.max.x, rect.max.y}};
  return layout;
}

void Adam::release(View& view, bool between) {
  held_ = between;
  if (between != (watched_stage(view) >= 1)) view.wishes.set.emplace_back("stage", between ? "1" : "0");
}

void Adam::act(View& view, const ui::Canvas& canvas, const Layout& layout) {
  const Rect adam = layout.adam(place_);
  const ImVec2 mouse = canvas.mouse();
  if (canvas.hovered() && adam.contains(mouse)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (canvas.clicked() && layout.second.contains(mouse)) {
    dragging_ = true;
    grab_ = adam.contains(mouse) ? mouse.x - adam.min.x : layout.token / 2;
  }
  const float way = layout.second.width() - layout.token;
  if (dragging_ && ImGui::IsMousePosValid() && way > 0)
    place_ = std::clamp((layout.second.max.x - layout.token - (mouse.x - grab_)) / way, 0.0f, 1.0f);
  if (dragging_ && !ImGui::IsMouseDown(0)) {
    dragging_ = false;
    release(view, place_ > 0.5f);
  }
  if (!canvas.focused()) return;
  if (ui::pressed({ui::Key::kLeft})) release(view, true);
  if (ui::pressed({ui::Key::kRight})) release(view, false);
}

// It glides to where it was left, and to the stage that is watched when that is another one.
void Adam::settle(const View& view) {
  const int stage = watched_stage(view);
  if (stage != settled_) held_.reset();
  const bool first = settled_ < 0;
  settled_ = stage;
  moving_ = false;
  if (dragging_) return;
  const float goal = held_.value_or(stage >= 1) ? 1 : 0, reach = ImGui::GetIO().DeltaTime / kGlide;
  moving_ = !first && ui::look().motion && place_ != goal;
  place_ = first || !ui::look().motion ? goal : place_ + std::clamp(goal - place_, -reach, reach);
}

void Adam::draw_halves(ImDrawList& list, const View& view, const Layout& layout) const {
  const ui::Palette& p = ui::colours();
  const auto box = [&](const Rect& rect, ImU32 colour, std::initializer_list<std::string> texts) {
    if (rect.width() < 1) return;
    list.AddRectFilled(rect.min, rect.max, colour, px(3));
    for (const std::string& text : texts) {
      if (ui::text_width(Type::kLabel, text) > rect.width() - px(6)) continue;
      return ui::draw_text_in(list, rect, ui::text_on(colour), text);
    }
  };
  // With reduce=all_reduce, DeepSpeed's default, stage 1 sums by a whole all-reduce: that is no half.
  const bool whole = place_ > 0.5f && view.config.text("reduce") == "all_reduce";
  const std::string first = whole ? tr("all-reduce of gradients") : tr("reduce-scatter of gradients");
  box(layout.first, p.gradients, {first, whole ? "all-reduce" : "reduce-scatter"});
  const Rect adam = layout.adam(place_);
  const float gap = px(2);
  box({layout.second.min, {adam.min.x - gap, layout.second.max.y}}, p.gradients,
      {tr("all-gather of gradients"), tr("gradients"), "G"});
  box({{adam.max.x + gap, layout.second.min.y}, layout.second.max}, p.parameters,
      {tr("all-gather of parameters"), tr("parameters"), "P"});
  list.AddRectFilled(adam.min, adam.max, p.optimizer, px(3));
  list.AddRect(adam.min, adam.max, p.text, px(3), 0, px(1.5f));
  ui::draw_text_in(list, adam, ui::text_on(p.optimizer), "◂ Adam ▸", Type::kLabel);
  ui::mark("adam", adam.min, adam.max);
}

void Adam::draw_ranks(ImDrawList& list, const Layout& layout, const Facts& facts) const {
  if (layout.ranks.height() < px(36) || facts.ranks == 0) return;
  if (!facts.tells_state)
    return ui::draw_text_in(list, layout.ranks, ui::colours().dim,
                            tr("What does each rank keep then? Guess stage 1 first."), Type::kLabel);
  const bool high = layout.ranks.height() >= px(70);  // room for names as well as for bytes
  const float line = ui::line_height(Type::kLabel),
              bottom = layout.ranks.max.y - (high ? 2 : 1) * line - px(2);
  const float slot = layout.ranks.width() / static_cast<float>(facts.ranks),
              wide = std::min(slot * 0.7f, px(130));
  double most = 1;
  for (const auto& state : facts.states[0]) most = std::max(most, double(state[0] + state[1] + state[2]));
  for (int rank = 0; rank < facts.ranks; ++rank) {
    const auto r = static_cast<size_t>(rank);
    const float left = std::round(layout.ranks.min.x + slot * static_cast<float>(rank) + (slot - wide) / 2);
    const SectionIndex::State &before = facts.states[0][r], &after = facts.states[1][r];
    float y = bottom, all = 0;
    const float scale = (bottom - layout.ranks.min.y) / static_cast<float>(most);
    for (size_t i = 0; i < std::size(kStateKinds); ++i) {
      const float bytes = mix(double(before[i]), double(after[i]), place_), tall = bytes * scale;
      const Rect block{{left, std::round(y - tall) + 1}, {left + wide, std::round(y)}};
      all += bytes;
      y -= tall;
      if (block.height() < 1) continue;
      list.AddRectFilled(block.min, block.max, ui::colour_of(kStateKinds[i]));
      if (block.height() >= line - px(4))
        ui::draw_text_in(list, block, ui::text_on(ui::colour_of(kStateKinds[i])),
                         ui::letter_of(kStateKinds[i]));
    }
    const float top = bottom - static_cast<float>(before[0] + before[1] + before[2]) * scale;
    if (y - top > px(2)) ui::dashed_rect(list, {{left, top}, {left + wide, y}}, ui::colours().line);
    const std::string name = tr("rank {}", rank), held = ui::short_bytes(all, most);
    const std::string number = std::to_string(rank);
    const std::string& label = ui::text_width(Type::kLabel, name) <= slot ? name : number;
    const float middle = left + wide / 2;
    const auto below = [&](const std::string& text, ImU32 colour, float down) {
      const float w = ui::text_width(Type::kLabel, text);
      if (w <= slot) ui::draw_text(list, {middle - w / 2, bottom + px(2) + down}, colour, text);
    };
    if (high) below(label, ui::colours().dim, 0);
    below(held, ui::colours().text, high ? line : 0);
  }
  ui::mark("adam.ranks", layout.ranks.min, layout.ranks.max);
}

// It does not move while Adam does, unless the scenario makes the first half a whole all-reduce.
void Adam::draw_counter(ImDrawList& list, const Layout& layout, const Facts& facts) const {
  const size_t stage = place_ > 0.5f ? 1 : 0;
  const ui::Palette& p = ui::colours();
  const bool high = layout.counter.height() >= px(90);
  const Type large = high ? Type::kNumber : Type::kQuestion;
  const float line = ui::line_height(Type::kLabel);
  ImVec2 at = layout.counter.min;
  const std::string number = facts.tells_sent ? fmt::format("{:.2f} Ψ", facts.sent[stage]) : "? Ψ";
  const auto say = [&](const std::string& text, ImU32 colour) {
    if (at.y + line > layout.counter.max.y + px(2)) return;
    ui::draw_text(list, at, colour, ui::elide(text, layout.counter.width(), Type::kLabel));
    at.y += line + px(2);
  };
  if (high) say(tr("a rank sends in a step"), p.dim);
  ui::draw_text(list, at, p.text, high ? number : tr("sent {}", number), large);
  ui::mark("adam.sent", at, {layout.counter.max.x, at.y + ui::line_height(large)});
  at.y += ui::line_height(large) + px(2);
  say(!facts.tells_sent       ? tr("guess first")
      : facts.has_sent[stage] ? tr("measured, stage {}", stage)
                              : tr("calculated, stage {}", stage),
      p.dim);
  if (!facts.tells_state) return;
  at.y += px(8);
  const double before = double(facts.states[0][0][2]), after = double(facts.states[1][0][2]);
  say(tr("O on each rank: {}", ui::short_bytes(mix(before, after, place_), before)), p.text);
  const bool measured = facts.has_state[0] && facts.has_state[1];
  say(measured ? tr("measured after a step") : tr("calculated, not measured yet"), p.dim);
}

void Adam::draw(View& view, ImVec2 size, const Indexes& indexes) {
  settle(view);
  const ui::Canvas canvas("traffic.adam", size, focus_next_);
  focus_next_ = false;
  const Facts facts = facts_of(view, indexes);
  const Layout layout = lay_out(canvas.rect(), view);
  act(view, canvas, layout);
  ImDrawList& list = canvas.list();
  const bool same = std::abs(facts.sent[0] - facts.sent[1]) < 0.005;
  ui::draw_text_in(list, layout.words, ui::colours().text,
                   !facts.tells_sent ? tr("Pull Adam between the two halves of the all-reduce: what changes?")
                   : same ? tr("The same bytes: Adam moves between the two halves of the all-reduce.")
                          : tr("With reduce=all_reduce the first half costs as much as both."),
                   size.x >= px(640) ? Type::kBody : Type::kLabel, false);
  draw_halves(list, view, layout);
  draw_ranks(list, layout, facts);
  draw_counter(list, layout, facts);
}

}  // namespace ringside::zero_panel
