// Reveal of a question in words: what was said beside what the run says, row by row where there are rows.
#include <algorithm>

#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// What is shown: `mine` and `found` are empty where there is none.
struct Said {
  const WordQuestion* question;
  Words mine, found, right;
  bool is_right = false;
};

Said collect_words(Desk& desk, const PredictionSpec& spec) {
  Said said{&*spec.words, {}, desk.found_words(spec).value_or(Words{}), spec.words->right(desk.config())};
  if (const Guess* guess = desk.guessing.guess(spec.id)) said.mine = guess->words;
  said.is_right = is_words_answer(*spec.words, desk.config(), said.mine);
  return said;
}

std::string source_of(const PredictionSpec& spec) {
  return is_calculated(spec) ? tr("calculated") : tr("measured");
}

std::string verdict(const Said& said) { return said.is_right ? tr("✓ right") : tr("✗ wrong"); }

// "you   ✗ wrong   the answer", broken at words.
void said_line(const std::string& who, const std::string& mark, const std::string& text) {
  const float left = ImGui::GetCursorPosX();
  ui::paragraph(who, colours().dim);
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + px(92));
  ui::paragraph(mark.empty() ? " " : mark);
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + px(172));
  ui::paragraph(text);
}

void said_lines(Desk& desk, const PredictionSpec& spec, const Said& said) {
  const auto text = [&](const Words& words) { return in_words(*said.question, desk.config(), words); };
  if (said.mine.empty())
    said_line(tr("you"), "", tr("no guess"));
  else
    said_line(tr("you"), said.found.empty() ? "" : verdict(said), text(said.mine));
  said_line(source_of(spec), "",
            !said.found.empty()                      ? text(said.found)
            : desk.runs.ended() || !desk.runs.busy() ? tr("not measured")
                                                     : tr("it runs"));
}

// One cell of a row: a word, dashed where it is the learner's, filled where it was measured.
void draw_cell(ImDrawList& list, const Rect& rect, const std::string& text, bool mine) {
  if (text.empty()) return;
  if (mine)
    ui::dashed_rect(list, rect, colours().text, 1.5f);
  else
    list.AddRectFilled(rect.min, rect.max, colours().raised, px(3));
  ui::draw_text_in(list, {{rect.min.x + px(8), rect.min.y}, {rect.max.x - px(4), rect.max.y}}, colours().text,
                   text, Type::kBody, false);
}

// Two orders side by side, with the places that differ.
void order_rows(const PredictionSpec& spec, const Said& said) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float number = px(24), sign = px(28), height = px(28), gap = px(4), head = ui::line_height();
  const float width =
      std::clamp((ImGui::GetContentRegionAvail().x - number - sign) / 2 - gap, px(80), px(320));
  const float mine = at.x + number, found = mine + width + sign;
  ui::draw_text(list, {mine, at.y}, colours().dim, tr("you"));
  ui::draw_text(list, {found, at.y}, colours().dim, source_of(spec));
  const size_t count = std::max(said.mine.size(), said.found.size());
  for (size_t i = 0; i < count; ++i) {
    const float y = at.y + head + px(2) + float(i) * (height + gap);
    const std::string yours = i < said.mine.size() ? said.mine[i] : "";
    const std::string theirs = i < said.found.size() ? said.found[i] : "";
    ui::draw_label(list, {{at.x, y}, {mine, y + height}}, colours().dim, std::to_string(i + 1));
    draw_cell(list, {{mine, y}, {mine + width, y + height}}, yours, true);
    draw_cell(list, {{found, y}, {found + width, y + height}}, theirs, false);
    if (!yours.empty() && !theirs.empty())
      ui::draw_text_in(list, {{mine + width, y}, {found, y + height}}, colours().text,
                       yours == theirs ? "✓" : "✗", Type::kBody);
  }
  ImGui::Dummy({found + width - at.x, head + px(2) + float(count) * (height + gap)});
  ui::mark("reveal.order");
}

// What stands beside an option or a line.
struct RowMarks {
  bool mine = false, found = false;
};

constexpr float kYou = 92, kRun = 92;  // points: the columns before a row's text

// "✓", "✗" where it was chosen; "✗ left out" of several choices.
std::string sign_of(RowMarks marks, bool is_line) {
  if (marks.mine) return marks.found ? "✓" : "✗";
  return marks.found && !is_line ? tr("✗ left out") : "";
}

// A row: who chose it, whether that is right, and its text.
void marked_row(const Rect& rect, RowMarks marks, const std::string& text, bool is_line) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float between = rect.min.x + px(kYou), left = between + px(kRun);
  const Rect mine{rect.min, {between - px(4), rect.max.y}},
      found{{between, rect.min.y}, {left - px(4), rect.max.y}};
  const bool marked = marks.mine || marks.found;
  if (marked) list.AddRectFilled({left, rect.min.y}, rect.max, colours().raised, px(3));
  if (marks.mine) ui::dashed_rect(list, mine, colours().text, 1.5f);
  ui::draw_text_in(list, mine, colours().text, sign_of(marks, is_line));
  if (marks.found) {
    list.AddRectFilled(found.min, found.max, colours().accent, px(3));
    ui::draw_text_in(list, found, ui::text_on(colours().accent), "●");
  }
  ui::draw_text_in(list, {{left + px(8), rect.min.y}, rect.max}, marked ? colours().text : colours().dim,
                   text, is_line ? Type::kMono : Type::kBody, false);
}

// Options or lines, with those that were chosen marked. More than fit scroll, to the one that is right.
void marked_rows(Desk& desk, const PredictionSpec& spec, const Said& said) {
  const bool is_line = said.question->kind == AnswerKind::kLine;
  const Words rows = options_of(*said.question, desk.config());
  const Type type = is_line ? Type::kMono : Type::kBody;
  const float height = ui::line_height(type) + px(is_line ? 2 : 8), gap = is_line ? 0 : px(2);
  const float width = std::min(px(760), ImGui::GetContentRegionAvail().x);
  {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::draw_text(list, at, colours().dim, tr("you"));
    ui::draw_text(list, {at.x + px(kYou), at.y}, colours().dim, source_of(spec));
    ImGui::Dummy({width, ui::line_height()});
  }
  const float all = float(rows.size()) * (height + gap);
  ImGui::BeginChild("marked", {width, std::min(all, px(240))});
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string word = is_line ? std::to_string(i + 1) : rows[i];
    const auto has = [&](const Words& words) {
      return is_line ? same_words(AnswerKind::kLine, words, {word})
                     : std::ranges::find(words, word) != words.end();
    };
    const ImVec2 at = ImGui::GetCursorScreenPos();
    marked_row({at, {at.x + width - px(14), at.y + height}}, {has(said.mine), has(said.found)},
               is_line ? fmt::format("{:>3}  {}", i + 1, rows[i]) : rows[i], is_line);
    ImGui::Dummy({width - px(14), height});
    if (has(said.found) && is_line && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
    ImGui::SetCursorScreenPos({at.x, at.y + height + gap});
  }
  ImGui::EndChild();
  ui::mark("reveal.rows");
}

}  // namespace

void draw_words(Desk& desk, const PredictionSpec& spec) {
  const Said said = collect_words(desk, spec);
  const AnswerKind kind = spec.words->kind;
  const bool several = kind == AnswerKind::kOrder || kind == AnswerKind::kChoices;
  const bool both = !said.found.empty() && !said.mine.empty();
  if (several && both)
    ui::paragraph(verdict(said));  // the rows have the rest
  else
    said_lines(desk, spec, said);
  if (kind == AnswerKind::kOrder && both) order_rows(spec, said);
  if (!said.found.empty() && (kind == AnswerKind::kLine || (kind == AnswerKind::kChoices && both)))
    marked_rows(desk, spec, said);
  // The guess is held against what is right; a run may measure something else.
  if (!said.found.empty() && !same_words(kind, said.found, said.right))
    said_line(tr("expected"), "", in_words(*spec.words, desk.config(), said.right));
  ImGui::Dummy(px(1, 2));
}

}  // namespace ringside::gui
