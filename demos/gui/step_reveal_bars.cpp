// Reveal of a number: guess and measurement as bars, block by block where it was built, and two curves where
// a formula is right here but not elsewhere.
#include <fmt/format.h>

#include <algorithm>

#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr double kFill = 0.6;  // seconds for the bars to fill

double filled(const Desk& desk, const Answer& answer) {
  if (!desk.look.motion) return 1;
  const double t = std::clamp((desk.seconds() - answer.revealed_at) / kFill, 0.0, 1.0);
  return 1 - (1 - t) * (1 - t);
}

// A formula's value is the scenario's that is shown.
double value_of(const Guess& guess, const Config& config) {
  return (guess.at ? guess.at(config) : std::nullopt).value_or(guess.value);
}

struct Shown {
  const PredictionSpec* spec;
  std::optional<double> mine, found;
  double right;
  std::string formula;
  double top;  // where the bars end
};

Shown collect(Desk& desk, const PredictionSpec& spec) {
  Shown shown{&spec, {}, desk.found(spec), spec.formula(desk.config()), "", 0};
  if (const Guess* guess = desk.guessing.guess(spec.id)) shown.mine = value_of(*guess, desk.config());
  if (spec.formula_text) shown.formula = spec.formula_text(desk.config());
  shown.top = 1.15 * std::max({shown.right, shown.mine.value_or(0), shown.found.value_or(0), 1e-12});
  return shown;
}

struct Segment {
  double value;
  ImU32 colour;
  std::string letter;
};

void bar(ImDrawList& list, const Rect& rect, const std::vector<Segment>& segments, double top, double part,
         bool mine) {
  float x = rect.min.x;
  for (const Segment& segment : segments) {
    const auto width = float(segment.value / top * part) * rect.width();
    const Rect box{{x, rect.min.y}, {std::min(x + width, rect.max.x), rect.max.y}};
    x = box.max.x;
    if (box.width() < 0.5f) continue;
    if (mine) {
      ui::dashed_rect(list, box, colours().text, 1.5f);
      ui::draw_text_in(list, box, colours().text, segment.letter);
    } else {
      list.AddRectFilled(box.min, {box.max.x - px(1), box.max.y}, segment.colour, px(2));
      ui::draw_text_in(list, box, ui::text_on(segment.colour), segment.letter);
    }
  }
}

std::vector<Segment> segments_of(Desk& desk, const Shown& shown, bool mine) {
  const PredictionSpec& spec = *shown.spec;
  if (spec.blocks) {
    const auto blocks = spec.blocks(desk.config());
    const Guess* guess = desk.guessing.guess(spec.id);
    std::vector<Segment> segments;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const auto measured = desk.measurements().of_block(spec.id, i);
      if (mine && (guess == nullptr || guess->blocks.size() != blocks.size())) break;
      if (!mine && !measured) break;
      segments.push_back(
          {mine ? guess->blocks[i] : *measured, ui::colour_of(blocks[i].category), blocks[i].letter});
    }
    if (segments.size() == blocks.size()) return segments;
  }
  const double value = mine ? shown.mine.value_or(0) : shown.found.value_or(0);
  return {{value, colours().accent, ""}};
}

void bars(Desk& desk, const Shown& shown, double part) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float label = px(92), number = px(160), height = px(26), gap = px(10);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(px(80), ImGui::GetContentRegionAvail().x - label - number);
  const auto row = [&](int i, const std::string& name, const std::string& value, bool mine) {
    const float y = at.y + float(i) * (height + gap);
    ui::draw_text_in(list, {{at.x, y}, {at.x + label, y + height}}, colours().text, name, Type::kBody, false);
    bar(list, {{at.x + label, y}, {at.x + label + width, y + height}}, segments_of(desk, shown, mine),
        shown.top, part, mine);
    ui::draw_text_in(list, {{at.x + label + width + px(12), y}, {at.x + label + width + number, y + height}},
                     colours().text, value, Type::kBody, false);
  };
  row(0, tr("you"), shown.mine ? figure_alone(*shown.mine, *shown.spec) : tr("no guess"), true);
  row(1, is_calculated(*shown.spec) ? tr("calculated") : tr("measured"),
      shown.found                              ? figure_alone(*shown.found * part, *shown.spec)
      : desk.runs.ended() || !desk.runs.busy() ? tr("not measured")
                                               : tr("it runs"),
      false);
  // The formula is a tick across both.
  const float x = at.x + label + width * float(shown.right / shown.top);
  const float bottom = at.y + 2 * (height + gap);
  list.AddLine({x, at.y - px(4)}, {x, bottom}, colours().text, px(1.5f));
  const std::string text =
      (shown.formula.empty() ? "formula" : shown.formula) + " = " + figure(shown.right, *shown.spec);
  const float text_width = ui::text_width(text);
  const float left = std::clamp(x - text_width / 2, at.x, at.x + label + width + number - text_width);
  ui::draw_text(list, {left, bottom + px(2)}, colours().text, text);
  ImGui::Dummy({label + width + number, 2 * (height + gap) + ui::line_height() + px(8)});
  ui::mark("reveal.bars");
}

// Where the columns of the block lines stand, in points.
constexpr float kSign = 24, kMeaning = 52, kSaid = 190, kFound = 290, kParts = 420;

// One kind of state: its colour, right or wrong, what was said and what was measured, and what that is made
// of.
void block_line(const StateBlock& block, double mine, double measured) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ui::line_height(Type::kBody) + px(6), width = ImGui::GetContentRegionAvail().x;
  const bool right = is_answer(mine, measured) || (mine == 0 && measured == 0);
  const ImU32 hue = ui::colour_of(block.category);
  list.AddRectFilled({at.x, at.y + px(3)}, {at.x + px(16), at.y + height - px(3)}, hue, px(3));
  const auto column = [&](float from, float to, ImU32 colour, const std::string& text, Type type) {
    ui::draw_text_in(list, {{at.x + px(from), at.y}, {at.x + std::min(px(to), width), at.y + height}}, colour,
                     text, type, false);
  };
  column(kSign, kMeaning, colours().text, right ? "✓" : "✗", Type::kBold);
  column(kMeaning, kSaid, colours().text, block.meaning, Type::kBody);
  column(kSaid, kFound, colours().text, tr("you {:.2f}", mine), Type::kBody);
  column(kFound, kParts, colours().text, tr("measured {:.2f}", measured), Type::kBody);
  std::string parts;
  for (const auto& [name, whole] : block.parts)
    parts += fmt::format("{}{} {:.2f}", parts.empty() ? "= " : " + ", name, whole / block.whole * measured);
  const bool beside = px(kParts) + ui::text_width(parts) <= width;
  if (beside) column(kParts, 2000, colours().dim, parts, Type::kLabel);
  ImGui::Dummy({width, height});
  if (beside || parts.empty()) return;
  ImGui::Indent(px(kMeaning));
  ui::remark(parts);
  ImGui::Unindent(px(kMeaning));
}

void block_lines(Desk& desk, const PredictionSpec& spec) {
  const Guess* guess = desk.guessing.guess(spec.id);
  if (!spec.blocks || guess == nullptr || guess->blocks.empty()) return;
  const auto blocks = spec.blocks(desk.config());
  for (size_t i = 0; i < blocks.size() && i < guess->blocks.size(); ++i) {
    if (const auto measured = desk.measurements().of_block(spec.id, i))
      block_line(blocks[i], guess->blocks[i], *measured);
  }
  ui::mark("reveal.blocks");
}

// Yours and the right one over N: they cross where the scenario is, and part elsewhere.
void curves(Desk& desk, const PredictionSpec& spec) {
  const auto judged = desk.guessing.judgement(spec);
  const Guess* guess = desk.guessing.guess(spec.id);
  if (!judged || !judged->elsewhere || guess == nullptr) return;
  const std::vector<Symbol> symbols = spec.symbols(desk.config());
  const Formula mine = read_as(Formula::parse(guess->formula, symbols), symbols);
  figure::Lines lines{{tr("ranks N")}, {spec.unit}, {}, {}, {{tr("here"), judged->elsewhere->here}}};
  lines.lines = {{tr("right"), figure::Ink::kText, figure::Stroke::kFormula},
                 {tr("you"), figure::Ink::kAccent, figure::Stroke::kGuess}};
  for (int n = 1; n <= 64; n = n < 8 ? n + 1 : n + 8) {
    if (const auto value = right_at(spec, desk.config(), n))
      lines.lines[0].points.push_back({double(n), *value});
    if (const auto value = value_at(mine, spec, desk.config(), n))
      lines.lines[1].points.push_back({double(n), *value});
  }
  const float width = std::min(px(720), ImGui::GetContentRegionAvail().x);
  desk.reveal_curves.draw("reveal.curves", {width, px(190)}, lines, {.version = desk.guessing.asked});
}

}  // namespace

// What the difference is worth where it hurts: the same formulas at the scale that the lesson names.
std::string at_scale(Desk& desk, const PredictionSpec& spec) {
  if (!spec.at_scale || !spec.symbols || !spec.formula_text) return "";
  const AtScale& scale = *spec.at_scale;
  std::vector<Symbol> symbols = spec.symbols(desk.config());
  for (Symbol& symbol : symbols) {
    if (const auto other = scale.symbols.find(symbol.name); other != scale.symbols.end())
      symbol.value = other->second;
  }
  const auto worth = [&](const std::string& text) {
    return read_as(Formula::parse(text, symbols), symbols).value(symbols) * scale.times;
  };
  const double right = worth(spec.formula_text(desk.config()));
  const Guess* guess = desk.guessing.guess(spec.id);
  const bool is_formula =
      guess != nullptr && !guess->formula.empty() && !Formula::parse(guess->formula, symbols).uses().empty();
  if (!is_formula) return tr("{}: {:.1f} {}.", scale.where, right, scale.unit);
  return tr("{}: {:.1f} {}, by your formula {:.1f} {}.", scale.where, right, scale.unit,
            worth(guess->formula), scale.unit);
}

void draw_number(Desk& desk, const PredictionSpec& spec) {
  Answer& answer = desk.guessing.answer(spec);
  const Shown shown = collect(desk, spec);
  if (!shown.found) answer.revealed_at = desk.seconds();  // the bars fill when there is something to show
  bars(desk, shown, filled(desk, answer));
  block_lines(desk, spec);
  curves(desk, spec);
}

}  // namespace ringside::gui
