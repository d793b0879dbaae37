#include "ringside/panel/figures.h"

#include <algorithm>
#include <cmath>

#include "ringside/figures/compute.h"
#include "ringside/figures/csv.h"
#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/look.h"

namespace ringside {
namespace {

// Its letters are baked before it is drawn.
void need(const std::string& text) { ui::look().fonts.need(text); }

// Instead of a picture.
void draw_words(const std::string& text, ImU32 colour, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginChild("words", size, false, ImGuiWindowFlags_NoScrollbar);
  ImGui::SetCursorScreenPos({at.x + ui::px(16), at.y + size.y * 0.4f});
  ui::paragraph(text, colour);
  ImGui::EndChild();
}

// The name at the left, its value at the right; below it where both do not fit.
void draw_readout(const Readout& line) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ui::FontScope font(ui::Type::kLabel);
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(ui::colours().dim), "%s", line.name.c_str());
  const float value = ui::text_width(line.value);
  if (ImGui::GetItemRectSize().x + ui::px(12) + value <= width) {
    ImGui::SameLine(ImGui::GetCursorPosX() + width - value);
    ImGui::TextUnformatted(line.value.c_str());  // it fits to the pixel, and would wrap by rounding
  } else {
    ImGui::TextWrapped("%s", line.value.c_str());
  }
  ui::mark("readout." + line.name);
}

}  // namespace

FigureBoard::FigureBoard(const Lesson& lesson)
    : lesson_(lesson), opening_(parts_of(lesson.text).front().body), figures_(lesson.figures.size()) {}

std::optional<size_t> FigureBoard::find(const std::string& id) const {
  for (size_t i = 0; i < size(); ++i)
    if (spec(i).id == id) return i;
  return std::nullopt;
}

// ---- Values -----------------------------------------------------------------

FigureInput FigureBoard::input_of(const View& view) {
  FigureInput input{view.config, view.trace, view.section, view.playhead.time_ns};
  if (view.open != nullptr) input.open = *view.open;
  return input;
}

InputMark FigureBoard::mark(const View& view, bool follows_playhead) {
  if (const int frame = ImGui::GetFrameCount(); frame != marked_) {
    marked_ = frame;
    refresh(trace_mark_, view.trace, view.run);
    static const std::vector<std::string> kNone;
    const std::vector<std::string>& open = view.open == nullptr ? kNone : *view.open;
    if (config_ != view.config || open_ != open) {
      config_ = view.config;
      open_ = open;
      ++configs_;
    }
  }
  return {trace_mark_, configs_, view.section == nullptr ? "" : view.section->name(),
          follows_playhead ? view.playhead.time_ns : 0};
}

FigureBoard::Outcome FigureBoard::compute(const FigureSpec& spec, const FigureInput& input) const {
  Outcome outcome;
  try {
    outcome.value = figure::compute(lesson_, spec, input);
    figure::each_text(outcome.value, need);
  } catch (const std::exception& error) {
    outcome.mistake = error.what();
    ui::look().fonts.need(outcome.mistake);
  }
  return outcome;
}

// Of the pinned run, computed once; null where none is pinned, or its figure cannot be shown.
const figure::Value* FigureBoard::pinned(const View& view, size_t nth) {
  if (view.pinned == nullptr) return nullptr;
  const KeptRun& kept = *view.pinned;
  const InputMark mark{mark_of(kept.trace, 0), reinterpret_cast<uintptr_t>(kept.config.get()), kept.section,
                       kept.time_ns};
  const Outcome& outcome = figures_[nth].pinned.get(mark, view.seconds, false, [&] {
    return compute(spec(nth), {*kept.config, kept.trace, kept.trace.find(kept.section), kept.time_ns});
  });
  const bool shown = outcome.mistake.empty() && !std::holds_alternative<figure::Nothing>(outcome.value);
  return shown ? &outcome.value : nullptr;
}

const FigureBoard::Outcome& FigureBoard::outcome(const View& view, size_t nth) {
  return figures_[nth].value.get(mark(view, spec(nth).follows_playhead), view.seconds, view.running,
                                 [&] { return compute(spec(nth), input_of(view)); });
}

std::string FigureBoard::why_nothing(const View& view, size_t nth) {
  if (is_closed(view, nth)) return "";
  const Outcome& now = outcome(view, nth);
  const auto* none = std::get_if<figure::Nothing>(&now.value);
  return none == nullptr || !now.mistake.empty() ? "" : none->why;
}

const figure::Value* FigureBoard::open_value(const View& view, size_t nth) {
  return is_closed(view, nth) ? nullptr : &outcome(view, nth).value;
}

// ---- On the screen ------------------------------------------------------------

bool FigureBoard::answers(size_t nth, const PredictionSpec& question) const {
  const auto& all = spec(nth).answers;
  return std::ranges::find(all, question.id) != all.end();
}

std::optional<size_t> FigureBoard::beside(const PredictionSpec& question) const {
  if (const auto named = find(question.figure)) return named;
  const auto& asked = lesson_.predictions;
  std::optional<size_t> opening, telling;
  for (size_t i = 0; i < size(); ++i) {
    if (!opening && !answers(i, asked.front())) opening = i;
    if (!telling && answers(i, question)) telling = i;
  }
  if (!opening || !telling) return opening ? opening : telling;
  const auto before = std::ranges::find(asked, question.id, &PredictionSpec::id);
  const bool stood = std::find_if(asked.begin(), before, [&](const PredictionSpec& one) {
                       return one.figure == spec(*opening).id;
                     }) != before;
  return stood || !spec(*opening).answers.empty() ? telling : opening;
}

void FigureBoard::draw(View& view, size_t nth, ImVec2 size, bool compared) {
  const std::string id = "figure." + spec(nth).id;
  Figure& shown = figures_[nth];
  shown.frame = ImGui::GetFrameCount();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (is_closed(view, nth)) {
    const bool asked = view.asked != nullptr && answers(nth, *view.asked);
    draw_opening(view, size,
                 asked ? tr("The picture of this page shows the answer. It opens when you have answered.")
                       : tr("The picture of this page answers a later question. It opens after that one."));
    return ui::mark(id + ".closed", at, {at.x + size.x, at.y + size.y});
  }
  const Outcome& outcome = this->outcome(view, nth);
  if (!outcome.mistake.empty()) {
    draw_words(outcome.mistake, ui::colours().alarm, size);
    return ui::mark(id + ".mistake", at, {at.x + size.x, at.y + size.y});
  }
  shown.completed = completion_ ? completion_(view, spec(nth), outcome.value) : std::nullopt;
  if (shown.completed) figure::each_text(*shown.completed, need);
  const figure::Value& value = shown_value(nth);
  if (const auto* none = std::get_if<figure::Nothing>(&value); none && view.asked != nullptr) {
    draw_opening(view, size, none->why);
    return ui::mark(id + ".nothing", at, {at.x + size.x, at.y + size.y});
  }
  FigureView::Options options;
  options.pinned = compared ? pinned(view, nth) : nullptr;
  options.version = shown.value.version() + shown.pinned.version();
  options.cursor_x = step_shown(view, value);
  const FigureView::Drawn drawn = shown.picture.draw(id, size, value, options);
  if (drawn.dragged) seek_step(view, std::llround(*drawn.dragged));
  if (drawn.set) view.wishes.set.push_back(*drawn.set);
}

// Where the playhead is on an axis of steps.
std::optional<double> FigureBoard::step_shown(const View& view, const figure::Value& value) const {
  const auto* lines = std::get_if<figure::Lines>(&value);
  if (lines == nullptr || lines->x.name != lesson_.words.x_axis || view.section == nullptr) return {};
  const int64_t step =
      moment_at(view.trace, *view.section, view.playhead.time_ns, 0, lesson_.words.step).step;
  return step < 0 ? std::nullopt : std::optional(double(step));
}

void FigureBoard::seek_step(View& view, int64_t step) const {
  if (view.section == nullptr || view.section->ranks() == 0) return;
  for (const SpanEvent& span : view.section->spans(0)) {
    if (span.step != step || view.trace.name(span.name) != lesson_.words.step) continue;
    view.playhead.time_ns = span.start_ns;
    view.playhead.follow = view.playhead.playing = false;
    return;
  }
}

std::string FigureBoard::sentence(View& view, size_t nth) {
  if (is_closed(view, nth)) return spec(nth).title;
  return figures_[nth].sentence.get(mark(view, true), view.seconds, view.running, [&] {
    std::string text;
    try {
      text = figure::sentence(lesson_, spec(nth), input_of(view));
    } catch (const std::exception& error) {
      text = error.what();
    }
    ui::look().fonts.need(text);
    return text;
  });
}

void FigureBoard::readouts(View& view) {
  if (!lesson_.readouts) return;
  const Readouts& now = readouts_.get(mark(view, true), view.seconds, view.running, [&] {
    Readouts readouts;
    try {
      readouts.lines = lesson_.readouts(input_of(view));
      std::erase_if(readouts.lines, [&](const Readout& line) {  // it is among the results
        return std::ranges::find(lesson_.gauges, line.name, &Gauge::name) != lesson_.gauges.end();
      });
    } catch (const std::exception& error) {
      readouts.mistake = tr("readouts of lesson '{}': {}", lesson_.id, error.what());
    }
    ui::look().fonts.need(readouts.mistake);
    for (const Readout& line : readouts.lines) ui::look().fonts.need(line.name + line.value);
    return readouts;
  });
  if (!now.mistake.empty()) ui::paragraph(now.mistake, ui::colours().alarm, ui::Type::kLabel);
  for (const Readout& line : now.lines) draw_readout(line);
}

bool FigureBoard::is_closed(const View& view, size_t nth) const {
  const FigureSpec& figure = spec(nth);
  return view.hides(figure) ||
         (view.asked != nullptr && std::ranges::count(figure.answers, view.asked->id) > 0);
}

bool FigureBoard::closes_answers() const {
  return std::ranges::any_of(lesson_.figures, [](const FigureSpec& one) { return !one.answers.empty(); });
}

// Scrolling where it is long.
void FigureBoard::draw_opening(View& view, ImVec2 size, const std::string& why) const {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ui::px(16, 8));
  ImGui::BeginChild("opening", size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  view.tells_opening = true;
  if (lesson_.opening) {
    for (const std::string& line : lesson_.opening(view.config)) ui::paragraph(line);
  } else {
    const ui::Markdown::Clicked clicked = opening_.draw(ImGui::GetContentRegionAvail().x, "opening");
    if (!clicked.run.empty()) view.wishes.scenario = clicked.run;
    if (!clicked.copied.empty()) view.wishes.copy = clicked.copied;
  }
  ImGui::Dummy(ui::px(1, 4));
  if (!why.empty()) ui::remark(why);
  ImGui::EndChild();
}

bool FigureBoard::has_csv(const View& view, size_t nth) const {
  const Recomputed<Outcome>& outcome = figures_[nth].value;
  return !is_closed(view, nth) && outcome.value().mistake.empty() && outcome.version() > 0 &&
         !std::holds_alternative<figure::Nothing>(shown_value(nth));
}
std::string FigureBoard::csv(size_t nth) const { return figure::to_csv(shown_value(nth)); }

bool FigureBoard::waiting() const {
  const int frame = ImGui::GetFrameCount();
  const auto late = [&](const Figure& one) {
    return frame - one.frame <= 1 && (one.value.waiting() || one.sentence.waiting());
  };
  return readouts_.waiting() || std::ranges::any_of(figures_, late);
}

void FigureBoard::add_state(size_t nth, std::map<std::string, std::string>& state) const {
  for (const auto& [name, value] : figures_[nth].picture.state()) state[name] = value;
  state["figure"] = spec(nth).id;
  state["computed"] = std::to_string(figures_[nth].value.version());
  if (const std::string& mistake = figures_[nth].value.value().mistake; !mistake.empty())
    state["mistake"] = mistake;
}

}  // namespace ringside
