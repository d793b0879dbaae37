// A mock interview as it is held, wherever that is: what is asked now, what a line answers, what is said
// back, and the parts of the report. What follows from what is in mock.h. Each judged part becomes a review
// of its card.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mock.h"
#include "review_log.h"
#include "saying.h"

namespace ringside::inline kit {

enum class MockStage : uint8_t {
  kOpening,
  kCorrection,
  kFollowUp,
  kHadIt,
  kCalculation,
  kReading,
  kDesign,
  kReport
};

// One part, as the report has it.
struct MockPart {
  std::string name = {}, result = {};
  bool good = false;
  double seconds = 0;
  std::string again = {};  // what to do, where it was not good
};

class MockInterview {
 public:
  struct Setup {
    uint64_t seed = 0;
    Seniority level = Seniority::kMiddle;
    double minutes = 30;
    std::vector<std::string> topics = {};
    std::string in_words() const;  // "--seed 5 --level junior --minutes 30"
  };
  // UsageError as of plan_mock(). `log` and `record` outlive it. Times are UTC ms.
  MockInterview(ReviewLog& log, const StudyRecord& record, Setup setup, int64_t now);

  MockStage stage() const { return stage_; }
  std::string heading() const;                // "" where it goes on under the one before
  std::vector<std::string> question() const;  // its lines; one that begins with four blanks stands as it is
  std::string prompt() const;                 // of the line that answers
  const AskedCard* asked() const;             // of the calculation and the reading
  const std::vector<std::string>& points() const { return saying_.points; }  // kCorrection: numbered from 1
  const std::vector<std::string>& found() const { return held_.found; }      // of these, in the answer
  bool had_it_by_words() const { return shared_; }                           // kHadIt: as far as words tell
  int seconds_allowed() const;                                               // 0: no limit of its own
  int64_t asked_at() const { return asked_at_; }
  const Setup& setup() const { return setup_; }

  // What is said back, a line each. Where the line cannot be read it is asked still. A blank one is no
  // answer.
  std::vector<std::string> answer(const std::string& line, int64_t now);
  void begin(int64_t now) { asked_at_ = now; }   // the question is put now: its time counts from here
  void leave() { stage_ = MockStage::kReport; }  // the report, of what there was
  const std::vector<MockPart>& parts() const { return parts_; }
  size_t good_parts() const;

 private:
  using Lines = std::vector<std::string>;
  Lines hear_opening(const std::string& line, int64_t now);
  Lines correct(const std::string& line, int64_t now);
  Lines hear_follow_up(const std::string& line);
  Lines had_it(const std::string& line, int64_t now);
  Lines judge_card(const std::string& line, int64_t now);
  Lines judge_mesh(const std::string& line, int64_t now);
  void close_opening(int64_t now);
  void go_on(int64_t now);  // to the next stage that has something to ask
  void add(std::string name, std::string result, bool good, int64_t now, const std::string& again);
  void keep(const std::string& card, bool right, int64_t now, const std::string& error);
  size_t follow_ups() const { return setup_.minutes < 15 ? 1 : setup_.minutes < 45 ? 2 : 4; }

  ReviewLog& log_;
  const StudyRecord& record_;
  const Setup setup_;
  const MockPlan plan_;
  const Saying saying_;
  MockStage stage_ = MockStage::kOpening;
  PointsHeld held_;
  std::set<std::string> asked_questions_;
  std::optional<FollowUp> follow_up_;
  bool shared_ = false;  // the follow-up's answer and what was said have words in common
  std::optional<AskedCard> asked_;
  int64_t asked_at_ = 0;
  std::vector<MockPart> parts_;
};

}  // namespace ringside::inline kit
