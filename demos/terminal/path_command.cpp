// `ringside path`: the map of topics, what is due, what comes next and why, the days until an interview; and
// the placement test.
#include <fmt/format.h>

#include <iostream>
#include <ostream>

#include "asker.h"
#include "commands.h"
#include "day_plan.h"
#include "folders.h"
#include "placement.h"
#include "review_session.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"

namespace ringside {
namespace {

constexpr int kPageColumns = 80;
constexpr size_t kFirstDays = 6, kLastDays = 2;  // that are listed

void keep_wishes(const PathOptions& asked, PreparationFile& file) {
  Preparation wanted = file.get();
  if (asked.interview >= 0) wanted.interview = asked.interview;
  if (asked.minutes > 0) wanted.minutes = asked.minutes;
  if (wanted == file.get() || file.set(wanted)) return;
  const std::string& message = file.message();  // of the room, which goes on
  throw InputError(message.substr(0, message.rfind("; kept in memory only")) + "; it is not kept");
}

void draw_map(const StudyPath& path, Asker& page) {
  page.bold(tr("Map"));
  for (const PathTopic& one : path.topics) {
    const Standing standing = one.strength.standing;
    std::string head = (one.topic == path.here ? "▶ " : "  ") + pad(one.topic, 9) + one.strength.in_words();
    if (standing == Standing::kWeak || standing == Standing::kStrong) head += tr(", {}", to_string(standing));
    if (one.due > 0) head += tr(", {} due", one.due);
    page.raw("  " + head);
    std::string about = one.needs.empty() ? tr("needs nothing") : tr("needs {}", join(one.needs));
    if (!one.opens.empty()) about += tr("; opens {}", join(one.opens));
    about += tr("; {} cards of drills; lessons", one.drills);
    for (const LessonOnPath& lesson : one.lessons) about += " " + lesson.id + (lesson.opened ? "*" : "");
    if (!one.code.empty()) about += tr("; code {}", join(one.code, " "));
    page.line(about, 13);
  }
  page.line(
      tr("* opened before. Strong: the 95 % interval lies above {:.0f} %, weak: below.", 100 * kKnownShare));
}

void say_where(const StudyPath& path, const SessionWishes& wishes, Asker& page) {
  page.blank();
  page.bold(tr("Here"));
  page.line(path.here.empty()
                ? tr("Nothing was asked yet.")
                : tr("{}, last review {} ago", path.here, in_short_time(wishes.now - path.last_review)));
  page.line(path.today.due == 0
                ? tr("Nothing is due now.")
                : tr("{} cards are due; today's {:.0f} min have {}.", path.today.due, wishes.minutes,
                     path.today.left_out == 0 ? tr("all of them")
                                              : tr("{} of them", path.today.due - path.today.left_out)));
  page.blank();
  page.bold(tr("Next"));
  for (const PathStep& step : path.next) {
    page.line(as_called(step.command()));
    page.line(step.why, 4);
  }
}

// The first days and the last ones.
void say_days(const std::vector<PlannedDay>& days, const SessionWishes& wishes, Asker& page,
              std::ostream& out) {
  page.blank();
  page.bold(tr("{} days: until the interview on {}, of {:.0f} min each", days.size(),
               date_of(wishes.fsrs.interview), wishes.minutes));
  std::vector<std::vector<std::string>> rows;
  const bool all = days.size() <= kFirstDays + kLastDays + 1;
  for (size_t i = 0; i < days.size(); ++i) {
    if (!all && i == kFirstDays) {
      size_t due = 0, fresh = 0;
      for (; i < days.size() - kLastDays; ++i) due += days[i].due, fresh += days[i].fresh;
      rows.push_back({tr("{} days", i - kFirstDays), "", tr("{} due, {} new", due, fresh)});
    }
    rows.push_back({day_in_words(days[i].begin), fmt::format("{:.0f}", days[i].minutes), in_words(days[i])});
  }
  out << table_text({tr("day"), tr(" min"), tr("what")}, rows, kPageColumns);
  page.line(tr("Due cards are taken as recalled when they come."));
}

ExitCode hold_placement(const Options& options, ReviewLog& log, const StudyRecord& record,
                        const std::vector<ReviewEntry>& entries, const SessionWishes& wishes,
                        std::ostream& out) {
  log.check_that_it_keeps();
  Asker page(options, out);
  const auto seed = uint64_t(options.study_path.seed);
  const std::vector<Card> cards = placement_cards(seed);
  ReviewSession session(log, record, {cards, entries, wishes.fsrs, seed}, utc_now());
  page.line(
      tr("{} questions, to see where to begin. Enter alone: I do not know. q ends; what was answered stays.",
         cards.size()),
      0);
  while (!session.over()) {
    page.blank();
    page.bold(tr("{} of {}   {}   level {}", cards.size() - session.left() + 1, cards.size(),
                 session.card().topic, session.card().level));
    page.question(question_lines(session.asked()));
    page.options(session.asked());
    std::optional<std::string> line;
    for (std::string mistake = " "; !mistake.empty();) {
      line = page.read(tr("your answer:"));
      if (!line) break;
      mistake = line->empty() ? "" : session.answer(*line, utc_now());
      if (!mistake.empty()) page.line(mistake);
    }
    if (!line) break;
    if (line->empty()) session.show(utc_now());
    page.line(session.proposed() == Rating::kAgain ? tr("Not so. {}", session.asked().ten_seconds)
                                                   : tr("Right."));
    session.rate(session.proposed(), utc_now());
  }
  page.blank();
  page.bold(tr("{} of {} right. The others are due in a minute.", session.recalled(), session.reviewed()));
  page.line(tr("ringside path shows what follows; ringside path --placement --seed {} asks the same.", seed));
  return page.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace

ExitCode show_path(const Options& options, std::ostream& out) {
  const std::filesystem::path data = home_folders().data;
  const StudyRecord record(data);
  PreparationFile preparation(data);
  keep_wishes(options.study_path, preparation);
  ReviewLog log(data);
  const std::vector<ReviewEntry> entries = log.read();
  for (const std::string& note : {log.note(), preparation.message(), record.message()})
    if (!note.empty()) std::cerr << "ringside: " << note << '\n';
  const SessionWishes wishes = wishes_of(preparation.get(), utc_now());
  if (options.study_path.placement) return hold_placement(options, log, record, entries, wishes, out);
  const std::vector<Card> cards = session_cards(record, entries, {});
  const StudyPath path = study_path(cards, entries, record, wishes);
  Asker page(options, out);
  draw_map(path, page);
  say_where(path, wishes, page);
  if (wishes.fsrs.interview > 0)
    say_days(plan_days(path, cards, entries, wishes), wishes, page, out);
  else if (preparation.get().interview > 0)
    page.line(tr("The interview of {} has come.", date_of(preparation.get().interview)));
  return ExitCode::kOk;
}

}  // namespace ringside
