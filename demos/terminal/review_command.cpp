// `ringside review`: what is due, then what is new, answered in the terminal or by a pipe; each rating is on
// the disk before the next card is shown.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "cards.h"
#include "commands.h"
#include "exchange.h"
#include "folders.h"
#include "line_reader.h"
#include "review_lists.h"
#include "review_log.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/text.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "session_plan.h"
#include "terminal.h"

namespace ringside {
namespace {

constexpr int64_t kSoonMs = 20 * 60'000;  // what comes again so soon comes in this session
constexpr int kMostTimes = 3;             // that a card is asked in one

int64_t utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// All cards; and the questions of the first built lesson of these topics that was not asked about yet, behind
// the mistakes. It is the only lesson that is loaded.
std::vector<Card> cards_for(const StudyRecord& record, const std::vector<ReviewEntry>& log,
                            const std::vector<std::string>& topics) {
  std::vector<std::string> reviewed;
  for (const ReviewEntry& entry : log) reviewed.push_back(entry.card);
  std::vector<Card> cards = bank_cards(record, reviewed);
  for (const FrontMatter& lesson : lesson_catalogue()) {
    const Card any{.id = {}, .topic = topic_of_lesson(lesson.id), .lesson = lesson.id};
    if (!is_of(any, topics) || build_of(lesson.id) != Build::kReady) continue;
    std::vector<Card> fresh = question_cards(lesson.id);
    std::erase_if(fresh, [&](const Card& card) {
      return std::any_of(cards.begin(), cards.end(), [&](const Card& one) { return one.id == card.id; });
    });
    if (fresh.empty()) continue;
    const auto place =
        std::find_if(cards.begin(), cards.end(), [](const Card& card) { return !card.mistake; });
    cards.insert(place, fresh.begin(), fresh.end());
    break;
  }
  return cards;
}

class Review {
 public:
  Review(const Options& options, ReviewLog& log, const StudyRecord& record, const SessionWishes& wishes,
         std::vector<ReviewEntry> entries, std::ostream& out)
      : log_(log),
        record_(record),
        wishes_(wishes),
        out_(out),
        width_(static_cast<size_t>(page_width(options))),
        colour_(wants_color(options)),
        memories_(replay(entries, wishes.fsrs)) {}

  ExitCode hold(const SessionPlan& plan) {
    say_plan(plan);
    for (const PlannedCard& one : plan.cards) queue_.push_back(one.card);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(60 * wishes_.minutes);
    while (!queue_.empty() && !left_ && std::chrono::steady_clock::now() < end) {
      const Card card = queue_.front();
      queue_.pop_front();
      ask(card);
    }
    close();
    return lines_.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
  }

 private:
  void line(const std::string& text, size_t indent = 2) {
    out_ << std::string(indent, ' ') << wrap(text, width_, indent) << '\n';
  }
  void bold(const std::string& text) { out_ << figure::bold(text, colour_) << '\n'; }

  void say_plan(const SessionPlan& plan) {
    const size_t due = plan.due - plan.left_out;
    bold(tr("{} cards, about {:.0f} min: {} due, {} new", plan.cards.size(), std::max(1.0, plan.seconds / 60),
            due, plan.cards.size() - due));
    if (plan.left_out > 0) line(tr("{} more are due than there are minutes for.", plan.left_out));
    if (plan.leeches > 0)
      line(tr("{} were forgotten eight times and more: read their lesson again.", plan.leeches));
    line(tr("Enter alone shows the answer; u takes the last rating back; q ends."));
  }

  void ask(const Card& card) {
    const uint64_t times = static_cast<uint64_t>(memories_[card.id].reviews);
    const std::optional<AskedCard> asked = ask_card(card, mix_seed(0, card.id, times), record_);
    if (!asked) return;
    out_ << '\n';
    bold(card.topic + tr("   level {}   {}", card.level,
                         memories_[card.id].is_new() ? tr("new") : tr("seen {} times", times)));
    show_question(*asked);
    const auto start = std::chrono::steady_clock::now();
    std::string error;
    const std::optional<bool> right = take_answer(*asked, error);
    if (left_) return;
    if (undone_) return put_back(card);
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
            .count();
    show_answer(*asked);
    const std::optional<Rating> rating = take_rating(right, *asked);
    if (undone_) return put_back(card);
    if (!rating) return;
    keep(card, {.card = card.id, .at = utc_now(), .ms = took, .rating = *rating, .error = error});
  }

  void show_question(const AskedCard& asked) {
    std::istringstream parts(asked.spec.question);  // records stand on lines of their own
    for (std::string part; std::getline(parts, part);)
      part.starts_with("    ") ? void(out_ << part << '\n') : line(part);
    if (!asked.spec.context.empty()) line(asked.spec.context);
    if (!asked.spec.words) {
      if (!asked.spec.unit.empty()) line(tr("In {}.", asked.spec.unit));
      return;
    }
    const Words options = options_of(*asked.spec.words, asked.config);
    const bool lines = asked.spec.words->kind == AnswerKind::kLine;
    for (size_t i = 0; i < options.size(); ++i)
      out_ << "    " << (lines ? pad_left(std::to_string(i + 1), 2) : std::string(1, letter_of(i))) << "  "
           << options[i] << '\n';
    if (asked.spec.words->kind == AnswerKind::kOrder) line(tr("In which order? As: b a c"));
  }

  // Whether it was right; nothing: nothing was answered, or only the person can tell.
  std::optional<bool> take_answer(const AskedCard& asked, std::string& error) {
    for (;;) {
      const std::optional<std::string> typed =
          read(asked.by_person ? tr("  say it, then Enter: ") : tr("  your answer: "));
      if (!typed || typed->empty() || undone_ || asked.by_person) return std::nullopt;
      const TypedAnswer answer = read_answer(asked, *typed);
      if (!answer.is_answer()) {
        line(answer.mistake.empty() ? tr("Not understood.") : answer.mistake);
        continue;
      }
      const Judgement judgement = judge(asked, answer);
      bold(judgement.right ? tr("  Right.") : tr("  Not so."));
      for (const NamedError& one : judgement.errors) line(tr("Your error: {}. {}", one.name, one.why));
      if (!judgement.errors.empty()) error = judgement.errors[0].name;
      return judgement.right;
    }
  }

  void show_answer(const AskedCard& asked) {
    line(asked.ten_seconds);
    if (!asked.minute.empty()) line(asked.minute);
    if (!asked.strong.empty()) line(tr("A strong answer adds: {}", asked.strong));
    line(tr("See it happen: {}", asked.see));
    if (!asked.next.empty()) line(tr("They ask next: {}", asked.next[0]));
  }

  void show_five_minutes(const AskedCard& asked) {
    for (const std::string& point : asked.points) line("- " + point, 4);
    for (const std::string& one : asked.next) line(tr("They ask next: {}", one), 4);
  }

  std::optional<Rating> take_rating(std::optional<bool> right, const AskedCard& asked) {
    const Rating proposed = right.value_or(false) ? Rating::kGood : Rating::kAgain;
    const std::string prompt =
        right ? tr("  1 again  2 hard  3 good  4 easy  ? more   (Enter: {}) ", to_string(proposed))
              : tr("  did you have it? 1 again  2 hard  3 good  4 easy  ? more   (Enter: again) ");
    for (;;) {
      const std::optional<std::string> typed = read(prompt);
      if (!typed || undone_) return std::nullopt;
      if (typed->empty()) return proposed;
      for (const Rating one : {Rating::kAgain, Rating::kHard, Rating::kGood, Rating::kEasy})
        if (*typed == to_string(one) || *typed == std::to_string(static_cast<int>(one) + 1)) return one;
      if (*typed == "?")
        show_five_minutes(asked);
      else
        line(tr("Type 1 to 4, or again, hard, good, easy."));
    }
  }

  void keep(const Card& card, const ReviewEntry& entry) {
    ReviewEntry kept = entry;
    kept.id = log_.append(entry);  // on the disk from here on
    CardMemory& memory = memories_[card.id];
    last_ = Last{card, memory, kept};
    memory = next_memory(wishes_.fsrs, memory, kept);
    ++reviewed_;
    recalled_ += entry.rating != Rating::kAgain;
    line(tr("Again in {}.", in_short_time(memory.due - entry.at)));
    if (memory.is_leech())
      line(tr("Forgotten {} times: ringside say {} may help more than this card.", memory.lapses,
              card.lesson));
    if (memory.due - entry.at <= kSoonMs && ++times_[card.id] < kMostTimes) queue_.push_back(card);
  }

  // `card` was shown when the last rating was taken back: that card comes first, then this one.
  void put_back(const Card& card) {
    undone_ = false;
    queue_.push_front(card);
    if (!last_) return line(tr("There is nothing to take back."));
    log_.undo(last_->entry.id, utc_now());
    memories_[last_->card.id] = last_->before;
    if (!queue_.empty() && queue_.back().id == last_->card.id && queue_.size() > 1) queue_.pop_back();
    queue_.push_front(last_->card);
    --reviewed_;
    recalled_ -= last_->entry.rating != Rating::kAgain;
    last_.reset();
    line(tr("Taken back."));
  }

  // Nothing where the person left. u and q are of any prompt.
  std::optional<std::string> read(const std::string& prompt) {
    out_ << prompt << std::flush;
    std::optional<std::string> typed = lines_.next();
    if (!typed) out_ << '\n';
    if (typed) {
      typed->erase(typed->find_last_not_of(" \t\r") + 1);
      typed->erase(0, typed->find_first_not_of(" \t"));
    }
    if (!typed || *typed == "q") {
      left_ = true;
      return std::nullopt;
    }
    if (isatty(STDIN_FILENO) == 0) out_ << *typed << '\n';  // nothing echoes it
    undone_ = *typed == "u";
    return typed;
  }

  void close() {
    out_ << '\n';
    bold(tr("{} reviewed, {} recalled. All of it is kept.", reviewed_, recalled_));
    if (!log_.note().empty()) std::cerr << "ringside: " << log_.note() << '\n';
  }

  struct Last {
    Card card;
    CardMemory before;
    ReviewEntry entry;
  };
  ReviewLog& log_;
  const StudyRecord& record_;
  const SessionWishes& wishes_;
  std::ostream& out_;
  const size_t width_;
  const bool colour_;
  std::map<std::string, CardMemory> memories_;
  std::map<std::string, int> times_;
  std::deque<Card> queue_;
  std::optional<Last> last_;
  LineReader lines_;
  bool left_ = false, undone_ = false;
  int reviewed_ = 0, recalled_ = 0;
};

ExitCode export_cards(const std::string& file, const StudyRecord& record, const std::vector<ReviewEntry>& log,
                      std::ostream& out) {
  std::vector<Card> cards = bank_cards(record);
  for (const FrontMatter& lesson : lesson_catalogue())
    if (build_of(lesson.id) == Build::kReady)
      for (Card& card : question_cards(lesson.id))
        if (std::none_of(cards.begin(), cards.end(), [&](const Card& one) { return one.id == card.id; }))
          cards.push_back(std::move(card));
  write_file_atomically(file, [&](std::ostream& written) {
    if (file.ends_with(".tsv"))
      write_anki(cards, record, written);
    else
      write_bank(cards, record, log, written);
  });
  out << tr("{} cards in {}", cards.size(), file) << '\n';
  return ExitCode::kOk;
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
  SessionWishes wishes{.now = utc_now(), .minutes = asked.minutes, .topics = asked.topics};
  wishes.fsrs.retention = asked.retention;
  wishes.fsrs.interview = asked.interview;
  const std::vector<Card> cards = cards_for(record, entries, asked.topics);
  const SessionPlan plan = plan_session(cards, entries, wishes);
  const int width = summary_width(options);
  if (options.json)
    plan_as_json(plan, strengths(cards, entries), wishes, out);
  else if (asked.stats)
    list_strengths(strengths(cards, entries), width, out);
  else if (asked.list)
    list_plan(plan, wishes.now, width, out);
  else
    return Review(options, log, record, wishes, entries, out).hold(plan);
  return ExitCode::kOk;
}

}  // namespace ringside
