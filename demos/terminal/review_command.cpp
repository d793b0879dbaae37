// `ringside review`: what is due, then what is new, answered in the terminal or by a pipe; each rating is on
// the disk before the next card is shown.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "asker.h"
#include "card_pictures.h"
#include "cards.h"
#include "commands.h"
#include "exchange.h"
#include "folders.h"
#include "preparation.h"
#include "review_lists.h"
#include "review_log.h"
#include "review_session.h"
#include "ringside/base/atomic_file.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"
#include "session_plan.h"
#include "strength.h"
#include "terminal.h"

namespace ringside {
namespace {

class Review {
 public:
  Review(const Options& options, ReviewSession& session, double minutes, std::ostream& out)
      : session_(session), minutes_(minutes), asker_(options, out) {}

  ExitCode hold() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(60 * minutes_);
    while (!session_.over() && !left_ && std::chrono::steady_clock::now() < end) ask();
    asker_.blank();
    asker_.bold(tr("{} reviewed, {} recalled. All of it is kept.", session_.reviewed(), session_.recalled()));
    return asker_.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
  }

  void say_plan(const SessionPlan& plan) {
    const size_t due = plan.due - plan.left_out;
    asker_.bold(tr("{} cards, about {:.0f} min: {} due, {} new", plan.cards.size(),
                   std::max(1.0, plan.seconds / 60), due, plan.cards.size() - due));
    if (plan.left_out > 0) asker_.line(tr("{} more are due than there are minutes for.", plan.left_out));
    if (plan.leeches > 0)
      asker_.line(tr("{} were forgotten eight times and more: read their lesson again.", plan.leeches));
    asker_.line(tr("Enter alone shows the answer; u takes the last rating back; q ends."));
  }
  void say(const std::string& text) { asker_.line(text); }

 private:
  void ask() {
    const Card card = session_.card();
    const AskedCard asked = session_.asked();
    asker_.blank();
    asker_.bold(card.topic +
                tr("   level {}   {}", card.level,
                   session_.times_seen() == 0 ? tr("new") : tr("seen {} times", session_.times_seen())));
    asker_.question(question_lines(asked));
    asker_.options(asked);
    if (!take_answer(asked)) return;
    show_answer(asked);
    const std::optional<Rating> rating = take_rating(asked);
    if (!rating) return;
    const ReviewSession::Rated rated = session_.rate(*rating, utc_now());
    asker_.line(tr("Again in {}.", in_short_time(rated.again_in)));
    if (rated.leech)
      asker_.line(tr("Forgotten {} times: ringside say {} may help more than this card.", rated.lapses,
                     rated.lesson));
  }

  // False where the person left, or took the last rating back: another card is asked.
  bool take_answer(const AskedCard& asked) {
    for (;;) {
      const auto typed = read(asked.by_person ? tr("say it, then Enter:") : tr("your answer:"));
      if (!typed) return false;
      if (typed->empty() || asked.by_person) {
        session_.show(utc_now());
        return true;
      }
      const std::string mistake = session_.answer(*typed, utc_now());
      if (mistake.empty()) break;
      asker_.line(mistake);
    }
    const Judgement& judgement = *session_.judgement();
    asker_.bold(judgement.right ? tr("  Right.") : tr("  Not so."));
    for (const NamedError& one : judgement.errors) asker_.line(tr("Your error: {}. {}", one.name, one.why));
    return true;
  }

  void show_answer(const AskedCard& asked) {
    asker_.line(asked.ten_seconds);
    if (!asked.minute.empty()) asker_.line(asked.minute);
    if (!asked.strong.empty()) asker_.line(tr("A strong answer adds: {}", asked.strong));
    asker_.line(tr("See it happen: {}", as_called(asked.see)));
    if (!asked.next.empty()) asker_.line(tr("They ask next: {}", asked.next[0]));
  }

  void show_five_minutes(const AskedCard& asked) {
    for (const std::string& point : asked.points) asker_.line("- " + point, 4);
    for (const std::string& one : asked.next) asker_.line(tr("They ask next: {}", one), 4);
  }

  std::optional<Rating> take_rating(const AskedCard& asked) {
    const Rating proposed = session_.proposed();
    const std::string prompt =
        session_.judgement()
            ? tr("1 again  2 hard  3 good  4 easy  ? more   (Enter: {})", to_string(proposed))
            : tr("did you have it? 1 again  2 hard  3 good  4 easy  ? more   (Enter: again)");
    for (;;) {
      const std::optional<std::string> typed = read(prompt);
      if (!typed) return std::nullopt;
      if (typed->empty()) return proposed;
      for (const Rating one : {Rating::kAgain, Rating::kHard, Rating::kGood, Rating::kEasy})
        if (*typed == to_string(one) || *typed == std::to_string(int(one) + 1)) return one;
      if (*typed == "?")
        show_five_minutes(asked);
      else
        asker_.line(tr("Type 1 to 4, or again, hard, good, easy."));
    }
  }

  // Nothing where the person left, or took the last rating back. u and q are of any prompt.
  std::optional<std::string> read(const std::string& prompt) {
    const std::optional<std::string> typed = asker_.read(prompt);
    left_ = !typed;
    if (typed != "u") return typed;
    asker_.line(session_.undo(utc_now()) ? tr("Taken back.") : tr("There is nothing to take back."));
    return std::nullopt;
  }

  ReviewSession& session_;
  const double minutes_;
  Asker asker_;
  bool left_ = false;
};

ExitCode export_cards(const std::string& file, const StudyRecord& record, const std::vector<ReviewEntry>& log,
                      std::ostream& out) {
  std::vector<Card> cards = bank_cards(record);
  for (const FrontMatter& lesson : lesson_catalogue())
    if (build_of(lesson.id) == Build::kReady)
      for (Card& card : question_cards(lesson.id))
        if (std::ranges::none_of(cards, [&](const Card& one) { return one.id == card.id; }))
          cards.push_back(std::move(card));
  const std::string media = file + ".media";
  size_t pictures = 0;
  const auto picture = [&](const Card& card) {
    const std::string name = copy_picture(home_folders().data, card.id, media);
    pictures += !name.empty();
    return name;
  };
  write_file_atomically(file, [&](std::ostream& written) {
    if (file.ends_with(".tsv"))
      write_anki(cards, record, picture, written);
    else
      write_bank(cards, record, log, written);
  });
  out << tr("{} cards in {}", cards.size(), file) << '\n';
  if (pictures > 0)
    out << tr("{} pictures in {}: copy them into Anki's folder collection.media", pictures, media) << '\n';
  return ExitCode::kOk;
}

SessionWishes wishes_of(const ReviewOptions& asked, const Preparation& kept) {
  SessionWishes wishes = wishes_of(kept, utc_now());
  if (asked.minutes > 0) wishes.minutes = asked.minutes;
  if (asked.interview > 0) wishes.fsrs.interview = asked.interview;
  wishes.topics = asked.topics;
  wishes.fsrs.retention = asked.retention;
  return wishes;
}

ExitCode hold_session(const Options& options, ReviewLog& log, const StudyRecord& record,
                      const std::vector<ReviewEntry>& entries, const SessionPlan& plan,
                      const SessionWishes& wishes, std::ostream& out) {
  log.check_that_it_keeps();
  ReviewSession::Setup setup{.entries = entries, .fsrs = wishes.fsrs};
  for (const PlannedCard& one : plan.cards) setup.cards.push_back(one.card);
  ReviewSession session(log, record, std::move(setup), utc_now());
  Review review(options, session, wishes.minutes, out);
  review.say_plan(plan);
  if (entries.empty())
    review.say(tr("The first time: ringside path --placement asks twelve questions, to see where to begin."));
  const ExitCode code = review.hold();
  if (!log.note().empty()) std::cerr << "ringside: " << log.note() << '\n';
  return code;
}

}  // namespace

ExitCode review_cards(const Options& options, std::ostream& out) {
  const ReviewOptions& asked = options.review;
  const std::filesystem::path data = home_folders().data;
  const StudyRecord record(data);
  ReviewLog log(data);
  if (!asked.import_file.empty()) {
    out << tr("{} reviews came from {}", log.add_missing(read_bank_reviews(asked.import_file)),
              asked.import_file)
        << '\n';
    return ExitCode::kOk;
  }
  const std::vector<ReviewEntry> entries = log.read();
  if (!log.note().empty()) std::cerr << "ringside: " << log.note() << '\n';
  if (!asked.export_file.empty()) return export_cards(asked.export_file, record, entries, out);
  const SessionWishes wishes = wishes_of(asked, PreparationFile(data).get());
  const std::vector<Card> cards = session_cards(record, entries, asked.topics);
  const SessionPlan plan = plan_session(cards, entries, wishes);
  const int width = summary_width(options);
  if (options.json)
    plan_as_json(plan, strengths(cards, entries), wishes, out);
  else if (asked.stats)
    list_strengths(strengths(cards, entries), width, out);
  else if (asked.list)
    list_plan(plan, wishes.now, width, out);
  else
    return hold_session(options, log, record, entries, plan, wishes, out);
  return ExitCode::kOk;
}

}  // namespace ringside
