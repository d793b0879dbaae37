// Guess, in words: what stands before a question, in an empty field, and below what was typed.

#include <algorithm>

#include "ringside/figures/axis.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "room_parts.h"
#include "typed_answer.h"

namespace ringside::gui {
namespace {

// How a formula is written, not which one: "a formula, like aΨ + bΨ/N".
std::string formula_hint(const PredictionSpec& spec, const Config& config) {
  const auto symbols = spec.symbols ? spec.symbols(config) : std::vector<Symbol>{};
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(symbols, [&](const Symbol& one) { return one.name == name; });
  };
  if (has("Ψ") && has("N")) return tr("a formula, like aΨ + bΨ/N");
  if (has("N")) return tr("a formula, like a + b/N");
  return tr("a formula");
}

}  // namespace

// What a formula may name. A symbol that counts 1 is the unit of the answer.
void legend_of_symbols(const PredictionSpec& spec, const Config& config, const Answer& answer) {
  if (!spec.symbols || answer.kind != AnswerKind::kFormula) return;
  std::string text;
  for (const Symbol& symbol : spec.symbols(config)) {
    const std::string one = symbol.value == 1 && symbol.name != "N" && symbol.name != "g"
                                ? tr("{} {}", symbol.name, symbol.meaning)
                                : tr("{}\u00a0=\u00a0{:g} {}", symbol.name, symbol.value, symbol.meaning);
    text += (text.empty() ? "" : ",   ") + one;
  }
  ui::remark(text);
}

std::string answer_hint(const PredictionSpec& spec, const Config& config, const Answer& answer) {
  if (const auto range = range_of(spec, config)) return tr("{:g} to {:g}", range->first, range->second);
  return answer.kind == AnswerKind::kNumber ? tr("a number") : formula_hint(spec, config);
}

std::string words_of(const Reading& reading, const PredictionSpec& spec) {
  if (reading.wrong) return "✗ " + reading.note;
  if (!reading.value) return reading.note;
  const std::string value = "= " + figure(*reading.value, spec);
  return reading.note.empty() ? value : value + ", " + reading.note;
}

double bar_end(const PredictionSpec& spec, const Config& config) {
  if (const auto range = range_of(spec, config)) return range->second;
  double most = spec.formula(config);
  for (const WrongAnswer& wrong : wrong_answers(spec, config, most)) most = std::max(most, wrong.value);
  return most > 0 ? figure::round_step(1.2 * most, 1, {}) : 1;
}

// The lesson's opening before its first question, where no picture's place has it, and what a question and
// its board need to be understood.
std::vector<std::string> words_before(Desk& desk, const PredictionSpec& spec) {
  std::vector<std::string> lines;
  if (desk.guessing.asked == 0 && desk.lesson().opening && !desk.opening_is_told)
    lines = desk.lesson().opening(desk.config());
  if (board_height(desk) == 0) {
    if (!spec.context.empty()) lines.push_back(spec.context);
    return lines;
  }
  std::string all;
  const auto [first, last] = desk.guessing.board();
  for (size_t i = first; i < last; ++i) {
    const std::string& context = desk.lesson().predictions[i].context;
    if (!context.empty()) all += (all.empty() ? "" : " ") + context;
  }
  if (!all.empty()) lines.push_back(all);
  return lines;
}

float words_height(Desk& desk, const PredictionSpec& spec, float width) {
  const FontScope font(Type::kBody);
  const float least = std::min(width, 68 * ui::text_width(Type::kBody, "n"));
  float height = 0;
  for (const std::string& line : words_before(desk, spec))
    height += ImGui::CalcTextSize(line.c_str(), nullptr, false, least).y + ImGui::GetStyle().ItemSpacing.y;
  return height;
}

}  // namespace ringside::gui
