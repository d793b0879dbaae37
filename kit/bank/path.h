// The path: topics with what each needs and opens, where somebody is on it, what is due, what comes next and
// why. A function of the bank, the lessons' texts, the study record, the reviews and the clock alone.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/figure.h"
#include "session_plan.h"
#include "strength.h"

namespace ringside::inline kit {

struct LessonOnPath {
  std::string id = {};
  bool opened = false;  // a step of it was visited, or a question of it answered
  int minutes = 0;      // to read its text, at kWordsAMinute
};
inline constexpr int kWordsAMinute = 200;

struct PathTopic {
  std::string topic = {};
  std::vector<std::string> needs = {}, opens = {};  // topics
  std::vector<LessonOnPath> lessons = {};           // where it is explained
  std::vector<std::string> code = {};               // coding drills
  int64_t drills = 0, due = 0;                      // cards
  TopicStrength strength = {};
  bool known() const;  // enough of it for what needs it: five cards and more, most of them right
};

// What to do next.
enum class PathAct : uint8_t { kPlacement, kReview, kLesson, kMock };
struct PathStep {
  PathAct act = PathAct::kReview;
  std::string of = {};  // the lesson; the topic that is reviewed, "": what is due
  std::string why = {};
  std::string command() const;  // "ringside run zero"
};

struct StudyPath {
  std::vector<PathTopic> topics = {};  // each after what it needs
  std::string here = {};               // the topic of the last review; "": there is none
  int64_t last_review = 0;             // UTC ms
  SessionPlan today = {};
  std::vector<PathStep> next = {};  // the first is what to do now; two more at most
};
StudyPath study_path(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                     const StudyRecord& record, const SessionWishes& wishes);
const PathTopic* find_topic(const StudyPath& path, const std::string& topic);  // null: there is none
// Topics as nodes, edges from what is needed; the second line has the standing and what is due.
figure::Graph map_of(const StudyPath& path);

}  // namespace ringside::inline kit
