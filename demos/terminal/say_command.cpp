// `ringside say`: the lesson's question answered in half a minute, aloud or typed, then the points of a good
// answer, then what would be wrong, then the text, then what is asked next, one by one. Without a terminal it
// prints all that and keeps nothing.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "commands.h"
#include "folders.h"
#include "interrupt.h"
#include "page.h"
#include "prompt_line.h"
#include "refuted.h"
#include "ringside/base/error.h"
#include "ringside/base/source_tree.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/tr.h"
#include "saying.h"
#include "spoken_text.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kLook{100};
constexpr size_t kMostErrors = 4;  // that are asked about

void head(Page& page, const FrontMatter& lesson) { page.bold(lesson.id + "   " + lesson.title); }
void markdown(Page& page, const std::string& text, size_t indent = 2) {
  page.out() << spoken_text(text, page.width(), indent);
}

void print_all(Page& page, const FrontMatter& lesson, const Saying& saying) {
  head(page, lesson);
  page.listing(saying.listing);
  if (!saying.points.empty()) {
    page.blank();
    page.bold(tr("Key points"));
    for (const std::string& point : saying.points) page.item("-", point);
  }
  if (!saying.answers.empty()) {
    page.blank();
    page.bold(tr("The answer"));
    markdown(page, saying.answers);
  }
  if (!saying.follow_ups.empty()) {
    page.blank();
    page.bold(tr("They will ask next"));
  }
  for (const FollowUp& one : saying.follow_ups) {
    page.item("-", without_marks(one.question));
    markdown(page, one.answer, 4);
  }
}

// The learner went away: Ctrl-C, or the end of the input.
struct Left {
  bool interrupted;
};

class Conversation {
 public:
  Conversation(Page& page, const FrontMatter& lesson, const Saying& saying)
      : page_(page), lesson_(lesson), saying_(saying), record_(home_folders().data), line_(page.out()) {}

  ExitCode hold() {
    try {
      count_down();
      tick_points();
      close_points();
      answer_follow_ups();
      close();
    } catch (const Left& left) {
      say_where_it_stands();
      if (left.interrupted) return ExitCode::kInterrupted;
    }
    if (!record_.message().empty()) std::cerr << "ringside: " << record_.message() << '\n';
    return ExitCode::kOk;
  }

 private:
  void count_down() {
    page_.bold(lesson_.id);
    page_.line(tr("Answer it as in an interview: {}", lesson_.title));
    page_.listing(saying_.listing);
    page_.line(tr("Say it aloud, or type it. You have {} seconds; who types may take longer.", kSaySeconds));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSaySeconds);
    for (;;) {
      const auto left =
          std::chrono::ceil<std::chrono::seconds>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0 && line_.blank()) break;
      line_.draw(left > 0 ? tr("  {} s   (Enter: said it) ", left) : tr("  (Enter: said it) "));
      if (!line_came()) continue;
      typed_ = line_.take();
      break;
    }
    line_.clear();
  }

  // What was ticked is kept as far as it came.
  void tick_points() {
    if (saying_.points.empty()) return;
    page_.blank();
    page_.bold(tr("Which of these did you say?"));
    page_.line(typed_.empty()
                   ? tr("Nobody else heard it: you judge.")
                   : tr("Enter keeps what shared words tell. They do not tell everything: you judge."));
    try {
      for (const std::string& point : saying_.points) {
        page_.item(tr("{} of {} ", ticked_.size() + 1, saying_.points.size()), point);
        ticked_.push_back(said_or_not(point));
      }
    } catch (const Left&) {
      if (!ticked_.empty()) keep(points_attempt(lesson_.id, saying_, ticked_));
      throw;
    }
    tick_errors();
    keep(points_attempt(lesson_.id, saying_, ticked_, wrong_));
  }

  // What the last run showed to be wrong counts against the answer.
  void tick_errors() {
    std::vector<std::string> errors = kept_refuted(home_folders().data, lesson_.id);
    page_.blank();
    if (errors.empty())
      return page_.line(
          tr("Wrong answers are asked about here once {} has shown some.", run_line(lesson_.id)));
    std::stable_partition(errors.begin(), errors.end(),
                          [&](const std::string& one) { return shares_words(one, typed_); });
    errors.resize(std::min(errors.size(), kMostErrors));
    page_.bold(tr("Did you say one of these? They are wrong."));
    for (const std::string& one : errors) {
      page_.item("-", one);
      wrong_ += yes_or_no(tr("          y or n: "));
    }
  }

  void close_points() {
    if (saying_.points.empty()) return;
    const size_t points = saying_.points.size();
    said_ = size_t(std::ranges::count(ticked_, true));
    page_.blank();
    page_.bold(tr("You said {} of {}. {} are enough{}. The answer:", said_, points, points_to_pass(points),
                  wrong_ == 0 ? "" : tr(", and errors take away {}", wrong_)));
    markdown(page_, saying_.answers);
  }

  void answer_follow_ups() {
    const std::vector<FollowUp> now = follow_ups_now(lesson_.id, saying_, record_);
    if (now.empty()) return;
    page_.blank();
    page_.bold(tr("They will ask next"));
    for (const FollowUp& one : now) {
      page_.item(tr("{} of {} ", ++asked_, now.size()), without_marks(one.question));
      read_line(tr("          Enter shows the answer "));
      markdown(page_, one.answer);
      const bool had_it = yes_or_no(tr("          did you have it? y or n: "));
      keep(follow_up_attempt(lesson_.id, one, had_it));
      answered_ += had_it;
      page_.blank();
    }
  }

  void close() {
    page_.line(tr("{} of {} points, {} of {} answers.", said_, saying_.points.size(), answered_, asked_));
    const size_t more = saying_.follow_ups.size() - asked_;
    if (more > 0) page_.line(tr("{} more questions: {} again.", more, run_line("say " + lesson_.id)));
    if (missed_)
      page_.line(tr("What you missed comes again tomorrow: {}, or `redo` in {}.",
                    run_line("say " + lesson_.id), run_line("gui")));
  }

  void say_where_it_stands() {
    page_.blank();
    page_.line(kept_ ? tr("What you answered is kept.") : tr("Nothing was answered."));
  }

  // Of what was typed, the words propose it.
  bool said_or_not(const std::string& point) {
    if (typed_.empty()) return yes_or_no(tr("          y or n: "));
    const bool shared = shares_words(point, typed_);
    return yes_or_no(tr("          y or n (Enter: {}): ", shared ? "y" : "n"), shared);
  }

  bool yes_or_no(std::string question, std::optional<bool> proposed = {}) {
    for (;;) {
      const std::string line = read_line(question);
      if (line.empty() && proposed) return *proposed;
      if (line == "y" || line == "Y" || line == "yes") return true;
      if (line == "n" || line == "N" || line == "no") return false;
      question = tr("          Type y (yes) or n (no): ");
    }
  }

  std::string read_line(const std::string& prompt) {
    for (;;) {
      line_.draw(prompt);
      if (!line_came()) continue;
      line_.leave();
      return line_.take();
    }
  }

  // A line came. Left where the learner did.
  bool line_came() {
    const PromptLine::Came what = line_.wait(kLook);
    if (!interrupt_.interrupted() && what != PromptLine::Came::kEnd) return what == PromptLine::Came::kLine;
    line_.leave();
    throw Left{interrupt_.interrupted()};
  }

  void keep(Attempt attempt) {
    kept_ = true;
    missed_ = missed_ || !attempt.correct;
    record_.add(std::move(attempt));
  }

  Page& page_;
  const FrontMatter& lesson_;
  const Saying& saying_;
  StudyRecord record_;
  InterruptScope interrupt_;
  PromptLine line_;    // behind the scope, which gives the terminal back at a second Ctrl-C
  std::string typed_;  // "": it was said aloud
  std::vector<bool> ticked_;
  size_t said_ = 0, wrong_ = 0, asked_ = 0, answered_ = 0;
  bool kept_ = false, missed_ = false;
};

}  // namespace

ExitCode say_lesson(const Options& options, std::ostream& out) {
  const FrontMatter& lesson = find_front_matter(options.lesson);
  const Saying saying = saying_of(lesson.text);
  Page page(options, out);
  if (can_ask()) return Conversation(page, lesson, saying).hold();
  print_all(page, lesson, saying);
  return ExitCode::kOk;
}

}  // namespace ringside
