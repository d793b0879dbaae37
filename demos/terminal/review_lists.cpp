#include "review_lists.h"

#include <fmt/format.h>

#include <ostream>

#include "json_text.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"

namespace ringside {
namespace {

std::string state_of(const PlannedCard& one, int64_t now) {
  if (one.memory.is_new()) return one.card.mistake ? tr("a mistake") : tr("new");
  const std::string late = tr("due {} ago", in_short_time(std::max<int64_t>(now - one.memory.due, 0)));
  return one.memory.is_leech() ? tr("leech, {}", late) : late;
}

}  // namespace

void list_plan(const SessionPlan& plan, int64_t now, int width, std::ostream& out) {
  std::vector<std::vector<std::string>> rows;
  for (const PlannedCard& one : plan.cards)
    rows.push_back({one.card.topic, one.card.id, state_of(one, now),
                    one.memory.is_new() ? "" : fmt::format("{:.0f} %", 100 * one.recall)});
  out << table_text({"topic", "card", "why", " recall now"}, rows, width);
}

void list_strengths(const std::vector<TopicStrength>& topics, int width, std::ostream& out) {
  std::vector<std::vector<std::string>> rows;
  for (const TopicStrength& one : topics)
    rows.push_back({one.topic, fmt::format("{} of {}", one.seen, one.cards), one.in_words(),
                    std::string(to_string(one.standing))});
  out << table_text({"topic", "cards asked", "when asked last, 95 % interval", "standing"}, rows, width);
}

void plan_as_json(const SessionPlan& plan, const std::vector<TopicStrength>& topics,
                  const SessionWishes& wishes, std::ostream& out) {
  const auto card = [&](const PlannedCard& one) {
    return Json{{"card", one.card.id},
                {"topic", one.card.topic},
                {"lesson", one.card.lesson},
                {"new", one.memory.is_new()},
                {"due", one.memory.due},
                {"recall", one.recall},
                {"stability", one.memory.stability},
                {"difficulty", one.memory.difficulty},
                {"lapses", one.memory.lapses}};
  };
  const auto topic = [](const TopicStrength& one) {
    return Json{{"topic", one.topic},
                {"cards", one.cards},
                {"seen", one.seen},
                {"right", one.right},
                {"low", one.share.low},
                {"high", one.share.high},
                {"standing", to_string(one.standing)}};
  };
  write_json({{"schema", kJsonSchema},
              {"now", wishes.now},
              {"interview", wishes.fsrs.interview},
              {"due", plan.due},
              {"left_out", plan.left_out},
              {"leeches", plan.leeches},
              {"seconds", plan.seconds},
              {"cards", array_of(plan.cards, card)},
              {"topics", array_of(topics, topic)}},
             out);
}

}  // namespace ringside
