// The mock interview: its beginning, each question with its time, and the report.
#include <fmt/format.h>
#include <imgui.h>

#include "ringside/lesson/tr.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr int kMockMinutes[] = {10, 30, 60};

void draw_beginning(Desk& desk) {
  Prepare& prepare = desk.prepare;
  ui::paragraph(tr("A mock interview"), Type::kQuestion);
  space();
  ui::paragraph(
      tr("An opening question, follow-ups to what you missed, a calculation under time, something to read, a "
         "design. Then a report; what was judged goes into the cards."));
  space();
  std::vector<std::string> levels, times;
  for (const std::string_view one : texts(Seniority())) levels.emplace_back(one);
  auto level = int(prepare.level);
  if (ui::choice_row("prepare.level", levels, level, px(320))) prepare.level = static_cast<Seniority>(level);
  int chosen = 0;
  for (int i = 0; i < 3; ++i) {
    times.push_back(tr("{} min", kMockMinutes[i]));
    if (kMockMinutes[i] == prepare.minutes) chosen = i;
  }
  if (ui::choice_row("prepare.minutes", times, chosen, px(320))) prepare.minutes = kMockMinutes[chosen];
  space();
  if (ui::button(tr("begin").c_str(), "prepare.begin", true, true, "", "Enter")) begin_prepared(desk);
}

std::string clock_text(int64_t seconds) { return fmt::format("{}:{:02}", seconds / 60, seconds % 60); }

// Of the whole interview; of a part with a limit what is left, else how long its question stands.
void draw_time(const Prepare& prepare) {
  const MockInterview& mock = *prepare.mock;
  const int64_t now = utc_now(), passed = (now - mock.asked_at()) / 1000;
  ui::remark(tr("{}   {}   {} of {:.0f} min", mock.heading(), clock_text(passed),
                clock_text((now - prepare.mock_began) / 1000), mock.setup().minutes));
  if (mock.seconds_allowed() == 0) return;
  const int64_t left = mock.seconds_allowed() - passed;
  ui::paragraph(left >= 0 ? tr("{} left", clock_text(left)) : tr("{} late", clock_text(-left)),
                left >= 0 ? colours().accent : colours().alarm, Type::kBold);
}

void draw_report(Desk& desk) {
  Prepare& prepare = desk.prepare;
  const MockInterview& mock = *prepare.mock;
  size_t number = 0;
  ui::paragraph(tr("{} of {} parts went well", mock.good_parts(), mock.parts().size()), Type::kQuestion);
  space();
  for (const MockPart& part : mock.parts()) {
    ui::paragraph((part.good ? "✓ " : "✗ ") + part.name + ": " + part.result +
                  tr("   {:.0f} s", part.seconds));
    ++number;
    if (!part.good) prepare_link(desk, part.again, fmt::format("prepare.part={}", number));
  }
  space();
  ui::remark(
      tr("The judged ones are in the cards. The same again: ringside mock {}", mock.setup().in_words()));
  space();
  const uint64_t seed = mock.setup().seed;
  if (ui::button(tr("the same again").c_str(), "prepare.again")) return prepare.hold_mock(seed);
  ImGui::SameLine();
  if (ui::button(tr("another one").c_str(), "prepare.another", true, true, "", "Enter")) prepare.mock.reset();
}

std::string hint_of(const MockInterview& mock) {
  const AskedCard* asked = mock.asked();
  if (asked != nullptr && !asked->spec.unit.empty()) return asked->spec.unit;
  return mock.stage() == MockStage::kDesign ? "dp8 tp4 pp2 stage=1 micro=1 recompute=none"
                                            : tr("your answer, in one line");
}

void draw_had_it(Desk& desk) {
  Prepare& prepare = desk.prepare;
  const bool by_words = prepare.mock->had_it_by_words();
  prepare_question(prepare.mock->question());
  for (const std::string& line : prepare.said_back) ui::paragraph(line);
  ui::remark(by_words ? tr("The two share words. Only you can tell whether you had it.")
                      : tr("The two share few words. Only you can tell whether you had it."));
  space();
  if (ui::button(tr("I had it").c_str(), "prepare.had", by_words, true, "", "Y"))
    return mock_had_it(desk, true);
  ImGui::SameLine();
  if (ui::button(tr("I did not").c_str(), "prepare.missed", !by_words, true, "", "N"))
    mock_had_it(desk, false);
}

void draw_said_back(Desk& desk) {
  for (const std::string& line : desk.prepare.said_back) ui::paragraph(line);
  space();
  if (ui::button(tr("go on ▸").c_str(), "prepare.go_on", true, true, "", "Enter")) desk.prepare.go_on();
}

}  // namespace

void begin_prepared(Desk& desk) { desk.prepare.hold_mock(uint64_t(utc_now() % 100'000)); }

void mock_had_it(Desk& desk, bool had) {
  Prepare& prepare = desk.prepare;
  if (!prepare.interviewing() || prepare.mock->stage() != MockStage::kHadIt) return;
  prepare.said_back.clear();
  prepare.answer(had ? "y" : "n");
}

void draw_interview(Desk& desk) {
  Prepare& prepare = desk.prepare;
  if (!prepare.mock) return draw_beginning(desk);
  const MockStage stage = prepare.mock->stage();
  if (stage == MockStage::kHadIt) return draw_had_it(desk);
  if (!prepare.said_back.empty()) return draw_said_back(desk);
  if (stage == MockStage::kReport) return draw_report(desk);
  const MockInterview& mock = *prepare.mock;
  if (stage == MockStage::kCorrection) {
    ui::paragraph(tr("Your answer shares words with the points that are ticked. Correct the ticks."),
                  Type::kQuestion);
    space();
    return prepare_answer(desk, nullptr, "");
  }
  draw_time(prepare);
  space();
  prepare_question(mock.question());
  prepare_answer(desk, mock.asked(), hint_of(mock));
  space(24);
  if (ui::button(tr("end it here").c_str(), "prepare.leave")) prepare.mock->leave();
}

}  // namespace ringside::gui
