// `ringside mock`: a mock interview. The opening, what follows from the answer, one calculation under time,
// one thing to read, one design; then a report, whose points go into the cards.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <sstream>

#include "commands.h"
#include "folders.h"
#include "line_reader.h"
#include "mock.h"
#include "review_log.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "saying.h"
#include "terminal.h"

namespace ringside {
namespace {

using Steady = std::chrono::steady_clock;

int64_t ms_since_1970() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct PersonLeft {};

// One part, as the report has it.
struct MockPart {
  std::string name, result;
  bool good = false;
  double seconds = 0;
  std::string again;  // what to do, where it was not good
};

class Interview {
 public:
  Interview(const Options& options, const MockPlan& plan, std::ostream& out)
      : options_(options),
        plan_(plan),
        log_(home_folders().data),
        record_(home_folders().data),
        out_(out),
        width_(static_cast<size_t>(page_width(options))),
        colour_(wants_color(options)),
        saying_(saying_of(find_front_matter(plan.lesson).text)) {}

  ExitCode hold() {
    try {
      open();
      for (int i = 0; i < follow_ups(); ++i) follow_up();
      drill(tr("A calculation, {} seconds", plan_.calculation_seconds), plan_.calculation,
            plan_.calculation_seconds);
      drill(tr("Read this"), plan_.reading, 0);
      design();
    } catch (const PersonLeft&) {
      out_ << '\n';
    }
    report();
    return lines_.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
  }

 private:
  int follow_ups() const { return options_.mock.minutes < 15 ? 1 : options_.mock.minutes < 45 ? 2 : 4; }

  void line(const std::string& text, size_t indent = 2) {
    out_ << std::string(indent, ' ') << wrap(text, width_, indent) << '\n';
  }
  void head(const std::string& text) { out_ << '\n' << figure::bold(text, colour_) << '\n'; }

  void open() {
    head(tr("Opening"));
    line(find_front_matter(plan_.lesson).title);
    const auto start = Steady::now();
    held_ = hold_against(saying_.points, read(tr("  your answer, in one line: ")));
    correct_by_person();
    const size_t said = held_.found.size(), all = saying_.points.size();
    add(tr("opening: {}", plan_.lesson), tr("{} of {} points", said, all), said >= points_to_pass(all), start,
        "ringside say " + plan_.lesson);
  }

  // Words were compared with words alone.
  void correct_by_person() {
    for (const std::string& point : held_.found) line(tr("found   {}", point));
    for (size_t i = 0; i < held_.missed.size(); ++i) line(tr("missed {} {}", i + 1, held_.missed[i]));
    if (held_.missed.empty()) return;
    std::istringstream numbers(
        read(tr("  which of the missed did you say in other words? (numbers, or Enter) ")));
    std::vector<std::string> still = held_.missed;
    for (size_t number; numbers >> number;) {
      if (number < 1 || number > held_.missed.size()) continue;
      held_.found.push_back(held_.missed[number - 1]);
      std::erase(still, held_.missed[number - 1]);
    }
    held_.missed = still;
  }

  void follow_up() {
    const std::optional<FollowUp> next = next_follow_up(saying_.follow_ups, held_, asked_);
    if (!next) return;
    asked_.insert(next->question);
    head(tr("They ask next"));
    line(without_marks(next->question));
    const auto start = Steady::now();
    const std::string said = read(tr("  your answer, in one line: "));
    const std::string answer = without_marks(next->answer);
    line(answer);
    const bool shared = !said.empty() && shares_words(answer, said);
    const bool had_it = yes_or_no(
        tr("  did you have it? y or n (Enter: {}, as far as words tell) ", shared ? "y" : "n"), shared);
    keep(clean_text("next/" + plan_.lesson + "/" + without_marks(next->question), ReviewLog::kMostCard),
         had_it, start, "");
    add(tr("follow-up"), without_marks(next->question), had_it, start, "ringside say " + plan_.lesson);
  }

  void drill(const std::string& title, const Card& card, int seconds) {
    const std::optional<AskedCard> asked = ask_card(card, static_cast<uint64_t>(options_.mock.seed), record_);
    if (!asked) return;
    head(title);
    show(*asked);
    const auto start = Steady::now();
    const TypedAnswer answer = read_judged(*asked);
    const auto took =
        static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - start).count());
    const Judgement judgement = answer.is_answer() ? judge(*asked, answer) : Judgement{};
    const bool late = seconds > 0 && took > seconds;
    line(judgement.right ? late ? tr("Right, after {} s.", took) : tr("Right.") : tr("Not so."));
    for (const NamedError& one : judgement.errors) line(tr("Your error: {}. {}", one.name, one.why));
    line(asked->ten_seconds);
    if (!asked->minute.empty()) line(asked->minute);
    line(tr("See it happen: {}", asked->see));
    const std::string error = judgement.errors.empty() ? "" : judgement.errors[0].name;
    keep(card.id, judgement.right, start, error);
    add(card.topic,
        judgement.right ? late ? tr("right, late") : tr("right")
        : error.empty() ? tr("wrong")
                        : error,
        judgement.right && !late, start, asked->see);
  }

  void show(const AskedCard& asked) {
    std::istringstream parts(asked.spec.question);
    for (std::string part; std::getline(parts, part);)
      part.starts_with("    ") ? void(out_ << part << '\n') : line(part);
    if (!asked.spec.words) return line(tr("In {}.", asked.spec.unit));
    const Words options = options_of(*asked.spec.words, asked.config);
    const bool lines = asked.spec.words->kind == AnswerKind::kLine;
    for (size_t i = 0; i < options.size(); ++i)
      out_ << "    " << (lines ? pad_left(std::to_string(i + 1), 2) : std::string(1, letter_of(i))) << "  "
           << options[i] << '\n';
  }

  TypedAnswer read_judged(const AskedCard& asked) {
    for (;;) {
      const std::string typed = read(tr("  your answer: "));
      const TypedAnswer answer = read_answer(asked, typed);
      if (typed.empty() || answer.is_answer()) return answer;
      line(answer.mistake);
    }
  }

  void design() {
    head(tr("Design"));
    line(plan_.design.text());
    line(tr("As: dp8 tp4 pp2 stage=1 micro=1 recompute=none (or full)"));
    const auto start = Steady::now();
    for (;;) {
      const std::string typed = read(tr("  your mesh: "));
      if (typed.empty()) return add(tr("design"), tr("no answer"), false, start, "ringside plan mesh");
      try {
        return say_verdict(judge_design(plan_.design, typed), start);
      } catch (const UsageError& error) {
        line(error.what());
      }
    }
  }

  static std::string in_words(const MeshRow& row) {
    return tr("dp {} tp {} pp {} stage {} micro {} recompute {}: {:.0f} GB, {:.2f} s a step, MFU {:.0f} %",
              row.shape.dp, row.shape.tp, row.shape.pp, row.shape.stage, row.shape.micro,
              to_string(row.shape.recompute), row.memory.total() / 1e9, row.time.total(),
              100 * row.utilization);
  }

  void say_verdict(const DesignVerdict& verdict, Steady::time_point start) {
    if (verdict.fits)
      line(tr("Calculated, yours: {}", in_words(verdict.mine)));
    else
      line(tr("It does not go: {}", verdict.why));
    line(tr("Calculated, the fastest: {}", in_words(verdict.best)));
    if (verdict.fits)
      line(tr("Yours takes {:.2f} times as long; within 1.25 the calculation does not tell them apart.",
              verdict.times_best()));
    add(tr("design"),
        verdict.fits ? tr("{:.2f} times the fastest", verdict.times_best()) : tr("does not fit"),
        verdict.good(), start,
        "ringside plan mesh --config assets/models/" + plan_.design.model + ".json --gpu " +
            plan_.design.gpu + " --ranks " + std::to_string(plan_.design.ranks));
  }

  void report() {
    head(tr("Report"));
    size_t good = 0;
    for (const MockPart& part : parts_) {
      good += part.good;
      line((part.good ? "+ " : "- ") + part.name + ": " + part.result + tr("   {:.0f} s", part.seconds));
      if (!part.good) line(tr("review: {}", part.again), 4);
    }
    line(tr("{} of {} parts went well. The judged ones are in the cards: ringside review.", good,
            parts_.size()));
    line(tr("The same again: ringside mock --seed {} --level {}{}", options_.mock.seed, options_.mock.level,
            options_.mock.topics.empty() ? "" : " --topics " + join(options_.mock.topics, ",")));
  }

  void add(const std::string& name, const std::string& result, bool good, Steady::time_point start,
           const std::string& again) {
    parts_.push_back(
        {name, result, good, std::chrono::duration<double>(Steady::now() - start).count(), again});
  }
  void keep(const std::string& card, bool right, Steady::time_point start, const std::string& error) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - start).count();
    log_.append({.card = card,
                 .at = ms_since_1970(),
                 .ms = took,
                 .rating = right ? Rating::kGood : Rating::kAgain,
                 .error = error});
  }

  bool yes_or_no(const std::string& prompt, bool proposed) {
    const std::string typed = read(prompt);
    return typed.empty() ? proposed : typed.starts_with('y') || typed.starts_with('Y');
  }

  std::string read(const std::string& prompt) {
    out_ << prompt << std::flush;
    const std::optional<std::string> typed = lines_.next();
    if (!typed || *typed == "q") throw PersonLeft();
    if (isatty(STDIN_FILENO) == 0) out_ << *typed << '\n';
    return *typed;
  }

  const Options& options_;
  const MockPlan& plan_;
  ReviewLog log_;
  const StudyRecord record_;
  std::ostream& out_;
  const size_t width_;
  const bool colour_;
  const Saying saying_;
  PointsHeld held_;
  std::set<std::string> asked_;
  std::vector<MockPart> parts_;
  LineReader lines_;
};

}  // namespace

ExitCode mock_interview(const Options& options, std::ostream& out) {
  const auto level = *from_text<Seniority>(options.mock.level);
  const MockPlan plan = plan_mock(static_cast<uint64_t>(options.mock.seed), level, options.mock.topics);
  out << tr("A mock interview, {}, seed {}. Lines are answers; Enter alone is none; q ends.",
            options.mock.level, options.mock.seed)
      << '\n';
  return Interview(options, plan, out).hold();
}

}  // namespace ringside
