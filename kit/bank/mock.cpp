#include "mock.h"

#include <algorithm>
#include <regex>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "saying.h"
#include "session_plan.h"

namespace ringside::inline kit {
namespace {

using DrillTest = bool (*)(const DrawnQuestion&);

bool is_calculation(const DrawnQuestion& question) {
  return !question.spec.words && !question.spec.unit.empty();
}
bool is_reading(const DrawnQuestion& question) {
  return question.spec.words && (question.spec.words->kind == AnswerKind::kLine ||
                                 question.spec.question.find('\n') != std::string::npos);
}

// Of the drills that pass, of these topics where there are some, those of the nearest level.
Card drawn_card(Draw& draw, const std::vector<std::string>& topics, int level, DrillTest passes) {
  std::vector<Card> all, nearest;
  const auto collect = [&](bool any_topic) {
    for (const Drill& drill : drills()) {
      const Card card = card_of(drill);
      if ((any_topic || is_of(card, topics)) && passes(draw_question(drill, 0))) all.push_back(card);
    }
  };
  collect(false);
  if (all.empty()) collect(true);  // few topics have records or listings
  const auto off = [&](const Card& card) { return std::abs(card.level - level); };
  const int least =
      off(*std::ranges::min_element(all, [&](const Card& a, const Card& b) { return off(a) < off(b); }));
  std::ranges::copy_if(all, std::back_inserter(nearest),
                       [&](const Card& card) { return off(card) == least; });
  return nearest[size_t(draw.between(0, int64_t(nearest.size()) - 1))];
}

// Its own topic, or that of a drill that it explains.
bool explains(const FrontMatter& lesson, const std::vector<std::string>& topics) {
  if (is_of({.topic = topic_of_lesson(lesson.id), .lesson = lesson.id}, topics)) return true;
  return std::any_of(drills().begin(), drills().end(), [&](const Drill& one) {
    return one.lesson == lesson.id && is_of({.topic = one.topic}, topics);
  });
}

std::string drawn_lesson(Draw& draw, const std::vector<std::string>& topics) {
  std::vector<std::string> ids;
  for (const FrontMatter& lesson : lesson_catalogue()) {
    const Saying saying = saying_of(lesson.text);
    if (explains(lesson, topics) && !saying.points.empty() && !saying.follow_ups.empty())
      ids.push_back(lesson.id);
  }
  if (ids.empty()) {
    std::vector<std::string> known = bank_topics();
    for (const FrontMatter& lesson : lesson_catalogue()) known.push_back(lesson.id);
    throw UsageError("mock: no lesson is of " + join(topics) + suggestion(topics.front(), known) +
                     "; there are: " + join(known));
  }
  return ids[size_t(draw.between(0, int64_t(ids.size()) - 1))];
}

DesignTask drawn_design(Draw& draw, Seniority level) {
  DesignTask task{.model = draw.pick<std::string>({"llama_3_1_8b", "llama_2_7b", "qwen2_5_7b"}),
                  .gpu = "h100"};
  if (level == Seniority::kJunior) task.ranks = draw.pick({8, 16});
  if (level == Seniority::kMiddle) task.ranks = draw.pick({32, 64});
  if (level == Seniority::kSenior) task.ranks = draw.pick({64, 128, 256});
  task.batch = 4 * task.ranks;
  task.tokens = draw.pick({4096, 8192});
  return task;
}

MeshSetup setup_of(const DesignTask& task) {
  return {.model = mesh_model(read_model_config(packaged_model(task.model)), task.model),
          .gpu = gpu_named(task.gpu),
          .ranks = task.ranks,
          .batch = task.batch,
          .tokens = task.tokens};
}

// "tp4", "tp=4", "tp 4"; 0: it is not there.
int64_t value_of(const std::string& text, const std::string& name) {
  std::smatch match;
  const std::regex pattern("\\b" + name + "\\s*=?\\s*([0-9]{1,6})");
  return std::regex_search(text, match, pattern) ? std::stoll(match[1]) : 0;
}

MeshSearch search_of(const DesignTask& task, const std::string& typed) {
  MeshSearch search;
  const auto at_least_one = [&](const char* name) { return std::max<int64_t>(1, value_of(typed, name)); };
  search.tp = at_least_one("tp");
  search.pp = at_least_one("pp");
  search.micro = at_least_one("micro");
  search.dp = value_of(typed, "dp") > 0 ? value_of(typed, "dp")
                                        : std::max<int64_t>(1, task.ranks / (search.tp * search.pp));
  if (search.dp * search.tp * search.pp != task.ranks)
    throw UsageError(tr("dp {} x tp {} x pp {} is not {} GPUs", search.dp, search.tp, search.pp, task.ranks));
  search.stages = {
      int(std::min<int64_t>(3, typed.find("stage") == typed.npos ? 1 : value_of(typed, "stage")))};
  // Flash attention keeps no scores: nothing is left for a selective one.
  search.recompute = {typed.find("full") != typed.npos ? Recompute::kFull : Recompute::kNothing};
  return search;
}

}  // namespace

PointsHeld hold_against(const std::vector<std::string>& points, std::string_view said) {
  PointsHeld held;
  for (const std::string& point : points)
    (shares_words(point, said) ? held.found : held.missed).push_back(point);
  return held;
}

std::string DesignTask::text() const {
  return tr(
      "Train {} on {} {} GPUs: {} sequences of {} tokens a step, bf16, AdamW. Which dp, tp, pp, ZeRO stage, "
      "micro-batch and recomputation?",
      model, ranks, gpu, batch, tokens);
}

MockPlan plan_mock(uint64_t seed, Seniority level, const std::vector<std::string>& topics) {
  Draw draw(RandomStream(seed, "mock"));
  const int hard = 1 + int(level);
  MockPlan plan;
  plan.lesson = drawn_lesson(draw, topics);
  plan.calculation = drawn_card(draw, topics, hard, is_calculation);
  plan.reading = drawn_card(draw, topics, hard, is_reading);
  plan.design = drawn_design(draw, level);
  return plan;
}

std::optional<FollowUp> next_follow_up(const std::vector<FollowUp>& all, const PointsHeld& held,
                                       const std::set<std::string>& asked) {
  const FollowUp* next = nullptr;
  for (const FollowUp& one : all) {
    if (asked.contains(one.question)) continue;
    const auto about = [&](const std::string& point) {
      return shares_words(one.question, point) || shares_words(point, one.question + " " + one.answer);
    };
    if (std::ranges::any_of(held.missed, about)) return one;
    if (next == nullptr || held.missed.empty()) next = &one;  // the last one where all was said
  }
  return next == nullptr ? std::nullopt : std::optional(*next);
}

DesignVerdict judge_design(const DesignTask& task, const std::string& typed) {
  const MeshSetup setup = setup_of(task);
  const MeshPlan mine = plan_meshes(setup, search_of(task, typed)), all = plan_meshes(setup);
  DesignVerdict verdict;
  if (!all.best.empty()) verdict.best = all.best.front();
  if (mine.best.empty())
    verdict.why = mine.refusals.empty() ? tr("no such mesh") : mine.refusals.front().reason;
  else
    verdict.mine = mine.best.front();
  verdict.fits = !mine.best.empty();
  return verdict;
}

}  // namespace ringside::inline kit
