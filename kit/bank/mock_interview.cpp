#include "mock_interview.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "ringside/base/error.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

std::string mesh_in_words(const MeshRow& row) {
  return tr("dp {} tp {} pp {} stage {} micro {} recompute {}: {:.0f} GB, {:.2f} s a step, MFU {:.0f} %",
            row.shape.dp, row.shape.tp, row.shape.pp, row.shape.stage, row.shape.micro,
            to_string(row.shape.recompute), row.memory.total() / 1e9, row.time.total(),
            100 * row.utilization);
}

bool is_yes(const std::string& line, bool otherwise) {
  return line.empty() ? otherwise : line.starts_with('y') || line.starts_with('Y');
}

}  // namespace

std::string MockInterview::Setup::in_words() const {
  return tr("--seed {} --level {} --minutes {:g}{}", seed, to_string(level), minutes,
            topics.empty() ? "" : " --topics " + join(topics, ","));
}

MockInterview::MockInterview(ReviewLog& log, const StudyRecord& record, Setup setup, int64_t now)
    : log_(log),
      record_(record),
      setup_(std::move(setup)),
      plan_(plan_mock(setup_.seed, setup_.level, setup_.topics)),
      saying_(saying_of(find_front_matter(plan_.lesson).text)),
      asked_at_(now) {}

std::string MockInterview::heading() const {
  switch (stage_) {
    case MockStage::kOpening: return tr("Opening");
    case MockStage::kFollowUp: return tr("They ask next");
    case MockStage::kCalculation: return tr("A calculation, {} seconds", plan_.calculation_seconds);
    case MockStage::kReading: return tr("Read this");
    case MockStage::kDesign: return tr("Design");
    case MockStage::kReport: return tr("Report");
    default: return "";
  }
}

std::vector<std::string> MockInterview::question() const {
  switch (stage_) {
    case MockStage::kOpening: {
      Lines lines = listing_lines(saying_.listing);
      lines.insert(lines.begin(), find_front_matter(plan_.lesson).title);
      return lines;
    }
    case MockStage::kFollowUp:
    case MockStage::kHadIt: return {without_marks(follow_up_->question)};
    case MockStage::kDesign:
      return {plan_.design.text(), tr("As: dp8 tp4 pp2 stage=1 micro=1 recompute=none (or full)")};
    case MockStage::kCalculation:
    case MockStage::kReading: return question_lines(*asked_);
    default: return {};
  }
}

std::string MockInterview::prompt() const {
  switch (stage_) {
    case MockStage::kCorrection:
      return tr("where do the words mislead? Numbers turn found and missed around, Enter keeps them:");
    case MockStage::kHadIt:
      return tr("did you have it? y or n (Enter: {}, as far as words tell)", shared_ ? "y" : "n");
    case MockStage::kCalculation:
    case MockStage::kReading: return tr("your answer:");
    case MockStage::kDesign: return tr("your mesh:");
    default: return tr("your answer, in one line:");
  }
}

const AskedCard* MockInterview::asked() const {
  return stage_ == MockStage::kCalculation || stage_ == MockStage::kReading ? &*asked_ : nullptr;
}

int MockInterview::seconds_allowed() const {
  return stage_ == MockStage::kCalculation ? plan_.calculation_seconds : 0;
}

size_t MockInterview::good_parts() const {
  return size_t(std::ranges::count_if(parts_, [](const MockPart& one) { return one.good; }));
}

std::vector<std::string> MockInterview::answer(const std::string& line, int64_t now) {
  switch (stage_) {
    case MockStage::kOpening: return hear_opening(line, now);
    case MockStage::kCorrection: return correct(line, now);
    case MockStage::kFollowUp: return hear_follow_up(line);
    case MockStage::kHadIt: return had_it(line, now);
    case MockStage::kCalculation:
    case MockStage::kReading: return judge_card(line, now);
    case MockStage::kDesign: return judge_mesh(line, now);
    case MockStage::kReport: break;
  }
  return {};
}

// Words are compared with words alone: the person corrects it.
MockInterview::Lines MockInterview::hear_opening(const std::string& line, int64_t now) {
  held_ = hold_against(saying_.points, line);
  Lines back;
  for (size_t i = 0; i < saying_.points.size(); ++i) {
    const bool found = std::ranges::count(held_.found, saying_.points[i]) > 0;
    back.push_back(tr("{} {}: {}", i + 1, found ? tr("found") : tr("missed"), saying_.points[i]));
  }
  if (saying_.points.empty())
    close_opening(now);
  else
    stage_ = MockStage::kCorrection;
  return back;
}

MockInterview::Lines MockInterview::correct(const std::string& line, int64_t now) {
  std::istringstream numbers(line);
  std::set<size_t> turned;
  for (size_t number; numbers >> number;)
    if (number >= 1 && number <= saying_.points.size()) turned.insert(number - 1);
  for (const size_t i : turned) {
    const std::string& point = saying_.points[i];
    if (std::erase(held_.missed, point) > 0)
      held_.found.push_back(point);
    else if (std::erase(held_.found, point) > 0)
      held_.missed.push_back(point);
  }
  close_opening(now);
  return {};
}

void MockInterview::close_opening(int64_t now) {
  const size_t said = held_.found.size(), all = saying_.points.size();
  add(tr("opening: {}", plan_.lesson), tr("{} of {} points", said, all), said >= points_to_pass(all), now,
      "ringside say " + plan_.lesson);
  go_on(now);
}

void MockInterview::go_on(int64_t now) {
  asked_at_ = now;
  if (stage_ <= MockStage::kHadIt) {
    follow_up_ = asked_questions_.size() < follow_ups()
                     ? next_follow_up(saying_.follow_ups, held_, asked_questions_)
                     : std::nullopt;
    stage_ = follow_up_ ? MockStage::kFollowUp : MockStage::kCalculation;
    if (follow_up_) {
      asked_questions_.insert(follow_up_->question);
      return;
    }
    asked_ = ask_card(plan_.calculation, setup_.seed, record_);
    if (asked_) return;
  }
  if (stage_ == MockStage::kCalculation) {
    stage_ = MockStage::kReading;
    asked_ = ask_card(plan_.reading, setup_.seed, record_);
    if (asked_) return;
  }
  stage_ = stage_ == MockStage::kReading ? MockStage::kDesign : MockStage::kReport;
}

MockInterview::Lines MockInterview::hear_follow_up(const std::string& line) {
  const std::string answer = without_marks(follow_up_->answer);
  shared_ = !line.empty() && shares_words(answer, line);
  stage_ = MockStage::kHadIt;
  return {answer};
}

MockInterview::Lines MockInterview::had_it(const std::string& line, int64_t now) {
  const bool had = is_yes(line, shared_);
  const std::string question = without_marks(follow_up_->question);
  keep(follow_up_id(plan_.lesson, *follow_up_), had, now, "");
  add(tr("follow-up"), question, had, now, "ringside say " + plan_.lesson);
  go_on(now);
  return {};
}

MockInterview::Lines MockInterview::judge_card(const std::string& line, int64_t now) {
  const TypedAnswer answer = read_answer(*asked_, line);
  if (!line.empty() && !answer.is_answer()) return {answer.mistake};
  const Card& card = stage_ == MockStage::kCalculation ? plan_.calculation : plan_.reading;
  const Judgement judgement = answer.is_answer() ? judge(*asked_, answer) : Judgement{};
  const int64_t took = (now - asked_at_) / 1000;
  const bool late = seconds_allowed() > 0 && took > seconds_allowed();
  Lines back{judgement.right ? late ? tr("Right, after {} s.", took) : tr("Right.") : tr("Not so.")};
  for (const NamedError& one : judgement.errors) back.push_back(tr("Your error: {}. {}", one.name, one.why));
  back.push_back(asked_->ten_seconds);
  if (!asked_->minute.empty()) back.push_back(asked_->minute);
  back.push_back(tr("See it happen: {}", as_called(asked_->see)));
  const std::string error = judgement.errors.empty() ? "" : judgement.errors[0].name;
  keep(card.id, judgement.right, now, error);
  add(card.topic,
      judgement.right ? late ? tr("right, late") : tr("right")
      : error.empty() ? tr("wrong")
                      : error,
      judgement.right && !late, now, asked_->see);
  go_on(now);
  return back;
}

MockInterview::Lines MockInterview::judge_mesh(const std::string& line, int64_t now) {
  if (line.empty()) {
    add(tr("design"), tr("no answer"), false, now, "ringside plan mesh");
    go_on(now);
    return {};
  }
  DesignVerdict verdict;
  try {
    verdict = judge_design(plan_.design, line);
  } catch (const UsageError& error) {
    return {error.what()};
  }
  Lines back{verdict.fits ? tr("Calculated, yours: {}", mesh_in_words(verdict.mine))
                          : tr("It does not go: {}", verdict.why),
             tr("Calculated, the fastest: {}", mesh_in_words(verdict.best))};
  if (verdict.fits)
    back.push_back(
        tr("Yours takes {:.2f} times as long; within 1.25 the calculation does not tell them apart.",
           verdict.times_best()));
  add(tr("design"), verdict.fits ? tr("{:.2f} times the fastest", verdict.times_best()) : tr("does not fit"),
      verdict.good(), now,
      "ringside plan mesh --config assets/models/" + plan_.design.model + ".json --gpu " + plan_.design.gpu +
          " --ranks " + std::to_string(plan_.design.ranks));
  go_on(now);
  return back;
}

void MockInterview::add(std::string name, std::string result, bool good, int64_t now,
                        const std::string& again) {
  parts_.push_back(
      {std::move(name), std::move(result), good, double(now - asked_at_) / 1000, as_called(again)});
}

void MockInterview::keep(const std::string& card, bool right, int64_t now, const std::string& error) {
  log_.append({.card = card,
               .at = now,
               .ms = now - asked_at_,
               .rating = right ? Rating::kGood : Rating::kAgain,
               .error = error});
}

}  // namespace ringside::inline kit
