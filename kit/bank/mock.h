// A mock interview: what is asked, in which order, and what follows from an answer. A function of the seed
// and of the answers alone.
//
//   opening       a lesson's question, answered in words; held against its key points
//   follow-ups    of the lesson's: the one that shares most words with a point that was missed; where nothing
//   was
//                 missed, the last ones, which lead away from the lesson
//   calculation   a drill for a number, under time
//   reading       a drill with records or a listing
//   design        a mesh for a released model on so many GPUs, checked by the planner
//
// Numbers, orders, options and meshes are judged. Words are only compared with words (saying.h): that knows
// no negation, and not what means the same. So what was found and what was missed is shown, and the person
// corrects it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cards.h"
#include "ringside/planner/mesh_plan.h"

namespace ringside::inline kit {

enum class Seniority : uint8_t { kJunior, kMiddle, kSenior };
inline constexpr std::string_view kSeniorityTexts[] = {"junior", "middle", "senior"};
inline std::span<const std::string_view> texts(Seniority) { return kSeniorityTexts; }

struct PointsHeld {
  std::vector<std::string> found, missed;
};
PointsHeld hold_against(const std::vector<std::string>& points, std::string_view said);

struct DesignTask {
  std::string model, gpu;  // "llama_3_1_8b", "h100"
  int64_t ranks = 64, batch = 256, tokens = 4096;
  std::string text() const;
};

struct MockPlan {
  std::string lesson;
  Card calculation, reading;
  int calculation_seconds = 120;
  DesignTask design;
};
// UsageError where no lesson or drill is of these topics.
MockPlan plan_mock(uint64_t seed, Seniority level, const std::vector<std::string>& topics);

// None: all were asked.
std::optional<FollowUp> next_follow_up(const std::vector<FollowUp>& all, const PointsHeld& held,
                                       const std::set<std::string>& asked);

struct DesignVerdict {
  bool fits = false;
  std::string why = {};  // it does not
  MeshRow mine, best;
  double times_best() const { return mine.time.total() / best.time.total(); }
  bool good() const { return fits && times_best() <= 1.25; }
};
// Of "dp8 tp4 pp2 stage=1 micro=1 recompute=full", or "dp=8, tp=4"; dp follows where it is left out.
// UsageError for what cannot be read.
DesignVerdict judge_design(const DesignTask& task, const std::string& typed);

}  // namespace ringside::inline kit
