// Reveal: guess, measurement and formula over each other; the error by name; the same
// question elsewhere. Below: what the run says about the claims, and the ledger.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "ringside/base/units.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr double kFill = 0.6;  // seconds for the bars to fill

double filled(const Desk& desk, const Answer& answer) {
  if (!desk.look.motion) return 1;
  const double t = std::clamp((desk.seconds - answer.revealed_at) / kFill, 0.0, 1.0);
  return 1 - (1 - t) * (1 - t);
}

struct Shown {
  const PredictionSpec* spec;
  std::optional<double> mine, found;
  double right;
  std::string formula;
  double top;  // where the bars end
};

Shown collect(Desk& desk, const PredictionSpec& spec) {
  Shown shown{&spec, {}, desk.found(spec), spec.formula(*desk.config), "", 0};
  if (const Guess* guess = desk.guess(spec.id)) shown.mine = guess->value;
  if (spec.formula_text) shown.formula = spec.formula_text(*desk.config);
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
    const auto width = static_cast<float>(segment.value / top * part) * rect.width();
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
    const auto blocks = spec.blocks(*desk.config);
    const Guess* guess = desk.guess(spec.id);
    std::vector<Segment> segments;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const auto measured = desk.measurements.of_block(spec.id, i);
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
    const float y = at.y + static_cast<float>(i) * (height + gap);
    ui::draw_text_in(list, {{at.x, y}, {at.x + label, y + height}}, colours().text, name, Type::kBody, false);
    bar(list, {{at.x + label, y}, {at.x + label + width, y + height}}, segments_of(desk, shown, mine),
        shown.top, part, mine);
    ui::draw_text_in(list, {{at.x + label + width + px(12), y}, {at.x + label + width + number, y + height}},
                     colours().text, value, Type::kBody, false);
  };
  const std::string& unit = shown.spec->unit;
  const std::string short_unit = unit == "%" ? unit : "";
  row(0, tr("you"), shown.mine ? figure(*shown.mine, short_unit) : tr("no guess"), true);
  row(1, is_calculated(*shown.spec) ? tr("calculated") : tr("measured"),
      shown.found         ? figure(*shown.found * part, short_unit)
      : desk.runs.ended() ? tr("not measured")
                          : tr("it runs"),
      false);
  // The formula is a tick across both.
  const float x = at.x + label + width * static_cast<float>(shown.right / shown.top);
  const float bottom = at.y + 2 * (height + gap);
  list.AddLine({x, at.y - px(4)}, {x, bottom}, colours().text, px(1.5f));
  const std::string text =
      (shown.formula.empty() ? "formula" : shown.formula) + " = " + figure(shown.right, unit);
  const float text_width = ui::text_width(Type::kLabel, text);
  const float left = std::clamp(x - text_width / 2, at.x, at.x + label + width + number - text_width);
  ui::draw_text(list, {left, bottom + px(2)}, colours().text, text);
  ImGui::Dummy({label + width + number, 2 * (height + gap) + ui::line_height(Type::kLabel) + px(8)});
  ui::mark("reveal.bars");
}

// Block by block: where the guess parts from the measurement.
void block_lines(Desk& desk, const PredictionSpec& spec) {
  const Guess* guess = desk.guess(spec.id);
  if (!spec.blocks || guess == nullptr || guess->blocks.empty()) return;
  const auto blocks = spec.blocks(*desk.config);
  for (size_t i = 0; i < blocks.size() && i < guess->blocks.size(); ++i) {
    const auto measured = desk.measurements.of_block(spec.id, i);
    if (!measured) return;
    const bool right = is_answer(guess->blocks[i], *measured);
    std::string parts;
    for (const auto& [name, whole] : blocks[i].parts)
      parts += fmt::format("{}{} {:.2f}", parts.empty() ? " = " : " + ", name,
                           whole / blocks[i].whole * *measured);
    ui::paragraph(fmt::format("{} {}  you {:.2f}  measured {:.2f}{}", right ? "✓" : "✗", blocks[i].meaning,
                              guess->blocks[i], *measured, parts),
                  right ? colours().dim : colours().text, Type::kLabel);
  }
}

// What the difference is worth where it hurts: the same formulas at the scale that the lesson names.
void at_scale(Desk& desk, const Shown& shown) {
  const PredictionSpec& spec = *shown.spec;
  if (!spec.at_scale || !spec.symbols || shown.formula.empty()) return;
  const AtScale& scale = *spec.at_scale;
  std::vector<Symbol> symbols = spec.symbols(*desk.config);
  for (Symbol& symbol : symbols) {
    if (const auto other = scale.symbols.find(symbol.name); other != scale.symbols.end())
      symbol.value = other->second;
  }
  const auto worth = [&](const std::string& text) {
    return read_as(Formula::parse(text, symbols), symbols).value(symbols) * scale.times;
  };
  const double right = worth(shown.formula);
  const Guess* guess = desk.guess(spec.id);
  ui::paragraph(guess == nullptr || guess->formula.empty()
                    ? tr("{}: {:.1f} {}.", scale.where, right, scale.unit)
                    : tr("{}: {:.1f} {}, by your formula {:.1f} {}.", scale.where, right, scale.unit,
                         worth(guess->formula), scale.unit),
                colours().dim, Type::kLabel);
}

// An answer that is a number.
void numbers(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const Shown shown = collect(desk, spec);
  if (!shown.found) answer.revealed_at = desk.seconds;  // the bars fill when there is something to show
  bars(desk, shown, filled(desk, answer));
  block_lines(desk, spec);
  at_scale(desk, shown);
}

// What was wrong comes back, and when.
void asked_again(Desk& desk, const PredictionSpec& spec) {
  for (const Redo& redo : desk.record.to_redo(desk.lesson->id)) {
    if (redo.prediction != spec.id) continue;
    const auto days = static_cast<int64_t>(std::ceil(
        std::max(0.0, std::difftime(static_cast<time_t>(redo.due_at), std::time(nullptr))) / 86400));
    ui::paragraph(days == 0   ? tr("Kept, and due again now.")
                  : days == 1 ? tr("Kept: asked again in 1 day.")
                              : tr("Kept: asked again in {} days.", days),
                  colours().dim, Type::kLabel);
  }
}

void buttons(Desk& desk, const PredictionSpec& spec) {
  bool first = true;
  const bool measured = desk.measured(spec) || (!is_calculated(spec) && desk.found_words(spec));
  if (!spec.section.empty() && ui::button(tr("show it in the run").c_str(), "reveal.show", false, measured)) {
    desk.watch(spec.section);
    desk.go_to(Step::kWatch);
  }
  first = spec.section.empty();
  int shown = 0;
  for (const std::string& words : spec.again) {
    bool here = false;  // the scenario is there already
    const size_t equal = words.find('=');
    if (equal != std::string::npos)
      here = desk.config->text(words.substr(0, equal)) == words.substr(equal + 1);
    if (here || shown == 3) continue;
    ++shown;
    const std::string label = tr("again at {}", words);
    if (!std::exchange(first, false))
      ui::beside(ui::text_width(Type::kBody, label) + 2 * ImGui::GetStyle().FramePadding.x);
    if (ui::button(label.c_str(), "again=" + words)) desk.again(words);
  }
}

// ---- Below: the run's rows ------------------------------------------------------------

void claims(const Trace& trace) {
  if (trace.rows().claims.empty())
    return ui::paragraph("The run judges its claims when it ends.", colours().dim);
  for (const ClaimRow& claim : trace.rows().claims) {
    const ui::VerdictMark mark = ui::mark_of(claim.verdict);
    ui::paragraph(fmt::format("{} {}   “{}”  [{}]", mark.glyph, mark.word, claim.statement, claim.source),
                  mark.colour);
    ImGui::Indent(px(20));
    ui::paragraph(claim.evidence, colours().dim, Type::kLabel);
    ImGui::Unindent(px(20));
  }
}

std::string bytes_of_reasons(const LedgerRow& row) {
  std::string text;
  for (const LedgerReason& reason : row.reasons)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason.name, reason.bytes);
  return text;
}

ui::Cell number_cell(int64_t value) { return {format_count(value), static_cast<double>(value)}; }

// Memory and traffic share the columns: a moment, or an operation.
ui::Cell ledger_cell(const LedgerRow& row, size_t column) {
  switch (column) {
    case 0:
      return {row.section};
    case 1:
      return number_cell(row.rank);
    case 2:
      return {row.category};
    case 3:
      return {row.at.empty() ? row.op : row.at};
    case 4:
      return row.predicted ? number_cell(*row.predicted) : ui::Cell{"only counted"};
    case 5:
      return number_cell(row.counted);
    case 6:
      return {bytes_of_reasons(row)};
    default:
      return number_cell(row.unexplained());
  }
}

void ledger(Desk& desk, const Trace& trace, float height) {
  const auto& rows = trace.rows().ledger;
  if (rows.empty())
    return ui::paragraph(
        trace.complete() ? tr("This run keeps no ledger.") : tr("The ledger is closed when the run ends."),
        colours().dim);
  int64_t unexplained = 0;
  for (const LedgerRow& row : rows) unexplained += std::abs(row.unexplained());
  if (unexplained == 0)
    ui::paragraph(fmt::format("✓ every byte explained, memory and traffic, {} rows", rows.size()));
  else
    ui::paragraph(fmt::format("✗ {} bytes are unexplained", unexplained), colours().alarm);
  using Column = ui::Table::Column;
  std::vector<Column> columns = {Column::text("section"),          Column::number("rank"),
                                 Column::text("category"),         Column::text("at, by"),
                                 Column::number("predicted", "B"), Column::number("counted", "B")};
  // The line above has said that the last two are empty, where they are.
  const bool reasons =
      std::any_of(rows.begin(), rows.end(), [](const LedgerRow& row) { return !row.reasons.empty(); });
  if (reasons || unexplained != 0) columns.push_back(Column::text("reasons"));
  if (unexplained != 0) columns.push_back(Column::number("unexplained", "B"));
  ui::Table::Rows shown;
  shown.count = rows.size();
  shown.cell = [&](size_t row, size_t column) { return ledger_cell(rows[row], column); };
  shown.highlighted = [&](size_t row) { return rows[row].unexplained() != 0; };
  desk.ledger.draw("ledger", {ImGui::GetContentRegionAvail().x, height - px(30)}, columns, shown);
}

void outcome(const Trace& trace) {
  for (const auto& [name, value] : trace.rows().outcome) {
    const std::string text = name.ends_with("_bytes") ? format_bytes(value)
                             : name.ends_with("_ms")  ? format_duration(value / 1000)
                             : name == "seconds"      ? format_duration(value)
                                                      : fmt::format("{:.6g}", value);
    ui::paragraph(fmt::format("{}: {}", name, text), colours().dim, Type::kLabel);
  }
  for (const auto& [name, value] : trace.rows().outcome_text)
    ui::paragraph(fmt::format("{}: {}", name, value), colours().dim, Type::kLabel);
}

void lower_half(Desk& desk, const Trace& trace) {
  constexpr const char* kTabs[] = {"claims", "ledger", "outcome"};
  {
    const FontScope font(Type::kLabel);
    ui::choice_row("numbers", kTabs, 3, desk.numbers, std::min(px(300), ImGui::GetContentRegionAvail().x));
  }
  const float height = std::max(px(110), ImGui::GetContentRegionAvail().y);  // else the area scrolls
  ImGui::BeginChild("rows", {0, height});
  if (desk.numbers == 0) claims(trace);
  if (desk.numbers == 1) ledger(desk, trace, height);
  if (desk.numbers == 2) outcome(trace);
  ImGui::EndChild();
}

}  // namespace

void ask_elsewhere(Desk& desk) {
  const PredictionSpec* spec = desk.question();
  if (spec == nullptr) return;
  for (const std::string& words : spec->again) {
    const size_t equal = words.find('=');
    if (equal == std::string::npos || desk.config->text(words.substr(0, equal)) == words.substr(equal + 1))
      continue;
    return desk.again(words);
  }
}

void draw_reveal(Desk& desk, const Rect& rect) {
  const Area area("reveal", rect, true, 16);
  if (View view = desk.view(); desk.panel->record(view))
    return desk.panel->draw_record(view, ImGui::GetContentRegionAvail());
  const PredictionSpec* spec = desk.question();
  if (spec != nullptr) {
    Answer& answer = desk.answer(*spec);
    if (answer.revealed_at < 0) answer.revealed_at = desk.seconds;
    ui::paragraph(spec->question, colours().dim, Type::kLabel);
    if (spec->words)
      draw_words(desk, *spec);
    else
      numbers(desk, *spec, answer);
    asked_again(desk, *spec);
    buttons(desk, *spec);
    ImGui::Dummy(px(1, 4));
  }
  lower_half(desk, desk.runs.trace());
}

}  // namespace ringside::gui
