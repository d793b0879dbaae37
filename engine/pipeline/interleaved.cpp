// Interleaved 1F1B (Narayanan et al. 2021, arXiv:2104.04473, section 2.2.2): a stage has v chunks of the
// model, in turns, and goes through them group by group of p micro-batches: the first p through its chunk 0,
// then its chunk 1, ..., then the next p. Stage r is 2(p-r-1) + (v-1)p forwards ahead of its backwards.
//
//   bubble   (p-1)/(m v) of the ideal time
//   lives    min(m v, 2(p-r-1) + (v-1)g + 1) chunks on stage r, each 1/v of a stage, with groups of g
//   sends    p v - 1 boundaries in the place of p - 1: about v times 1F1B's bytes
//
// The paper asks that p divides m: g = p. Here there are m/p groups, rounded down and at least one, whose
// sizes differ by one and are g at most. With m of p and more none is smaller than p: they fill the pipeline.
#include <algorithm>

#include "builder.h"

namespace ringside::inline pipeline {
namespace {

int64_t groups_of(int p, int64_t m) { return std::max<int64_t>(1, m / p); }

// visit(micro, turn) in the order in which a stage goes through them.
template <typename Visit>
void visit_groups(const PipelineSchedule& schedule, Visit visit) {
  const int64_t m = schedule.micro_batches, groups = groups_of(schedule.stages, m);
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t first = group * m / groups, end = (group + 1) * m / groups;
    for (int turn = 0; turn < schedule.chunks; ++turn)
      for (int64_t micro = first; micro < end; ++micro) visit(micro, turn);
  }
}

}  // namespace

int64_t interleaved_group(int p, int64_t m) {
  const int64_t groups = groups_of(p, m);
  return (m + groups - 1) / groups;
}

PipelineSchedule interleaved(int p, int64_t m, int v) {
  PipelineSchedule schedule = pipeline::empty_schedule("interleaved", p, m, v);
  StepSchedule forwards, backwards;  // of every stage alike
  visit_groups(schedule, [&](int64_t micro, int turn) {
    forwards.push_back({StepPass::kForward, micro, turn});
    backwards.push_back({StepPass::kBackward, micro, v - 1 - turn});
  });
  const auto passes = int64_t(forwards.size());
  const int64_t group = interleaved_group(p, m);
  for (int r = 0; r < p; ++r) {
    const int64_t ahead = std::min<int64_t>(passes, 2 * (p - r - 1) + (v - 1) * group);
    StepSchedule& stage = schedule.of_stage[size_t(r)];
    stage.reserve(size_t(2 * passes));
    stage.assign(forwards.begin(), forwards.begin() + ahead);
    for (int64_t k = 0; k < passes; ++k) {
      if (ahead + k < passes) stage.push_back(forwards[size_t(ahead + k)]);
      stage.push_back(backwards[size_t(k)]);
    }
  }
  return schedule;
}

}  // namespace ringside::inline pipeline
