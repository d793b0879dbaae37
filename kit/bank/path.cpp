#include "path.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "coding_drill.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

// Of each topic, those without which its answers cannot be followed. A topic that is not here needs none.
const std::map<std::string, std::vector<std::string>>& needs() {
  static const std::map<std::string, std::vector<std::string>> kNeeds = {
      {"traffic", {"memory"}},   {"speed", {"memory", "traffic"}}, {"buckets", {"traffic"}},
      {"pipeline", {"traffic"}}, {"servers", {"traffic"}},         {"hangs", {"buckets", "pipeline"}},
      {"code", {"tensors"}}};
  return kNeeds;
}

LessonOnPath lesson_on_path(const FrontMatter& lesson, const StudyRecord& record) {
  const LessonProgress progress = record.progress(lesson.id);
  std::istringstream words(lesson.text);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  return {lesson.id, !progress.steps.empty() || progress.asked > 0,
          int((count + kWordsAMinute - 1) / kWordsAMinute)};
}

// Those that its drills name, then those of which it is the topic.
std::vector<LessonOnPath> lessons_of(const std::string& topic, const StudyRecord& record) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string& id) {
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  for (const Drill& drill : drills())
    if (drill.topic == topic) add(drill.lesson);
  for (const FrontMatter& lesson : lesson_catalogue())
    if (topic_of_lesson(lesson.id) == topic) add(lesson.id);
  std::vector<LessonOnPath> lessons;
  for (const std::string& id : ids)
    for (const FrontMatter& lesson : lesson_catalogue())
      if (lesson.id == id) lessons.push_back(lesson_on_path(lesson, record));
  return lessons;
}

// Each after what it needs, else as they were.
void sort_by_needs(std::vector<PathTopic>& topics) {
  std::vector<PathTopic> sorted;
  std::set<std::string> placed;
  while (!topics.empty()) {
    auto next = std::ranges::find_if(topics, [&](const PathTopic& one) {
      return std::ranges::all_of(one.needs, [&](const std::string& need) { return placed.contains(need); });
    });
    if (next == topics.end()) next = topics.begin();
    placed.insert(next->topic);
    sorted.push_back(std::move(*next));
    topics.erase(next);
  }
  topics = std::move(sorted);
}

std::vector<PathTopic> topics_of(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                                 const StudyRecord& record, const SessionWishes& wishes) {
  const Memories memories = replay(log, wishes.fsrs);
  std::map<std::string, int64_t> due, drilled;
  for (const Card& card : cards) {
    const auto known = memories.find(card.id);
    due[card.topic] += known != memories.end() && known->second.due <= wishes.now;
    drilled[card.topic] += card.kind == CardKind::kDrill;
  }
  std::vector<PathTopic> topics;
  for (TopicStrength& strength : strengths(cards, log)) {
    PathTopic one{.topic = strength.topic,
                  .lessons = lessons_of(strength.topic, record),
                  .drills = drilled[strength.topic],
                  .due = due[strength.topic]};
    for (const coding::CodingDrill& drill : coding::coding_drills())
      if (drill.topic == one.topic) one.code.push_back(drill.id);
    if (const auto found = needs().find(one.topic); found != needs().end()) one.needs = found->second;
    one.strength = std::move(strength);
    topics.push_back(std::move(one));
  }
  for (PathTopic& one : topics)
    for (const PathTopic& other : topics)
      if (std::ranges::find(other.needs, one.topic) != other.needs.end()) one.opens.push_back(other.topic);
  sort_by_needs(topics);
  return topics;
}

std::string needs_in_words(const StudyPath& path, const PathTopic& topic) {
  if (topic.needs.empty()) return tr("it needs no other topic");
  std::string text;
  for (const std::string& need : topic.needs) {
    const PathTopic* found = find_topic(path, need);
    text += (text.empty() ? "" : "; ") + tr("it needs {}", need) +
            (found == nullptr ? "" : " (" + found->strength.in_words() + ")");
  }
  return text;
}

std::optional<PathStep> due_step(const StudyPath& path) {
  if (path.today.due == 0) return std::nullopt;
  const PlannedCard& first = path.today.cards.front();
  return PathStep{PathAct::kReview, "",
                  tr("{} cards are due; the least recalled one is of {} ({:.0f} % now).", path.today.due,
                     first.card.topic, 100 * first.recall)};
}

// A weak topic: a lesson of it, or its cards where all were opened.
std::optional<PathStep> weak_step(const StudyPath& path) {
  for (const PathTopic& one : path.topics) {
    if (one.strength.standing != Standing::kWeak) continue;
    const std::string why = tr("{} is weak: {}.", one.topic, one.strength.in_words());
    for (const LessonOnPath& lesson : one.lessons)
      if (!lesson.opened) return PathStep{PathAct::kLesson, lesson.id, why};
    return PathStep{PathAct::kReview, one.topic, why};
  }
  return std::nullopt;
}

// The first topic of which all needs are known and that is not: its first lesson, then its cards.
std::optional<PathStep> new_step(const StudyPath& path) {
  for (const PathTopic& one : path.topics) {
    const auto known = [&](const std::string& need) {
      const PathTopic* found = find_topic(path, need);
      return found == nullptr || found->known();
    };
    if (one.known() || !std::ranges::all_of(one.needs, known)) continue;
    const std::string why = tr("{} comes next on the map: {}.", one.topic, needs_in_words(path, one));
    const bool unread = !one.lessons.empty() && !one.lessons.front().opened;
    return unread ? PathStep{PathAct::kLesson, one.lessons.front().id, why}
                  : PathStep{PathAct::kReview, one.topic, why};
  }
  return std::nullopt;
}

std::vector<PathStep> next_steps(const StudyPath& path) {
  std::vector<PathStep> next;
  if (path.here.empty())
    next.push_back(
        {PathAct::kPlacement, "",
         tr("Nothing was asked yet: twelve questions show where to begin. Skip them as you like.")});
  for (const auto& step : {due_step(path), weak_step(path), new_step(path)})
    if (step) next.push_back(*step);
  if (next.empty())
    next.push_back({PathAct::kMock, "", tr("Every topic is known: an interview shows what is missing.")});
  return next;
}

}  // namespace

std::string PathStep::command() const {
  switch (act) {
    case PathAct::kPlacement: return "ringside path --placement";
    case PathAct::kReview: return of.empty() ? "ringside review" : "ringside review --topics " + of;
    case PathAct::kLesson: return "ringside run " + of;
    case PathAct::kMock: return "ringside mock";
  }
  return "";
}

bool PathTopic::known() const {
  return strength.seen >= kEnoughAnswers && 2 * strength.right > strength.seen;
}

const PathTopic* find_topic(const StudyPath& path, const std::string& topic) {
  const auto found = std::ranges::find(path.topics, topic, &PathTopic::topic);
  return found == path.topics.end() ? nullptr : &*found;
}

StudyPath study_path(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                     const StudyRecord& record, const SessionWishes& wishes) {
  StudyPath path{.topics = topics_of(cards, log, record, wishes), .today = plan_session(cards, log, wishes)};
  for (const Card& card : cards)
    if (!log.empty() && card.id == log.back().card) path.here = card.topic;
  if (!log.empty()) path.last_review = log.back().at;
  path.next = next_steps(path);
  return path;
}

figure::Graph map_of(const StudyPath& path) {
  const auto ink = [](Standing standing) {
    return standing == Standing::kStrong       ? figure::Ink::kActivations
           : standing == Standing::kWeak       ? figure::Ink::kGradients
           : standing == Standing::kCannotTell ? figure::Ink::kOptimizer
                                               : figure::Ink::kOther;
  };
  figure::Graph graph;
  std::map<std::string, size_t> place;
  for (const PathTopic& one : path.topics) {
    place[one.topic] = graph.nodes.size();
    std::string detail(to_string(one.strength.standing));
    if (one.due > 0) detail += tr(", {} due", one.due);
    graph.nodes.push_back({one.topic, detail, ink(one.strength.standing), one.topic == path.here});
  }
  for (const PathTopic& one : path.topics)
    for (const std::string& need : one.needs)
      if (place.contains(need)) graph.edges.push_back({place[need], place[one.topic]});
  return graph;
}

}  // namespace ringside::inline kit
