#include "ringside/pipeline/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "builder.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline pipeline {
namespace {

constexpr int kMostChunks = 1 << 10;
constexpr auto kNames = std::views::transform(&NamedSchedule::name);

void require_sizes(const std::string& name, int p, int64_t m, int v) {
  if (p < 1 || p > kMostStages) throw UsageError("{}: p={}: allowed are 1 to {}", name, p, kMostStages);
  if (v < 1 || v > kMostChunks) throw UsageError("{}: v={}: allowed are 1 to {}", name, v, kMostChunks);
  const int64_t most = kMostPasses / (3 * int64_t{p} * v);
  if (m < 1 || m > most)
    throw UsageError("{}: m={}: allowed are 1 to {} with p={} and v={}", name, m, most, p, v);
}

const NamedSchedule* find_schedule(const std::string& name) {
  const auto& all = named_schedules();
  const auto found = std::ranges::find(all, name, &NamedSchedule::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

StepSchedule one_after_another(int64_t micro_batches) {
  StepSchedule schedule;
  for (int64_t micro = 0; micro < micro_batches; ++micro)
    schedule.insert(schedule.end(), {{StepPass::kForward, micro}, {StepPass::kBackward, micro}});
  return schedule;
}

const std::vector<NamedSchedule>& named_schedules() {
  static const std::vector<NamedSchedule> kAll = {
      {"gpipe", gpipe, 1, kMostChunks, "GPipe: all forwards, then all backwards"},
      {"1f1b", one_f_one_b, 1, 1, "1F1B: a forward and a backward in turns"},
      {"interleaved", interleaved, 2, kMostChunks,
       "interleaved 1F1B: v chunks of the model a stage, in turns"},
      {"zb_h1", zero_bubble, 1, 1, "ZB-H1: 1F1B with the backward in two halves"},
      {"zb_v", vee, 2, 2, "ZB-V: two chunks a stage that lie as a V, the backward in two halves"}};
  return kAll;
}

PipelineSchedule empty_schedule(const std::string& name, int p, int64_t m, int v) {
  require_sizes(name, p, m, v);
  const NamedSchedule& known = *find_schedule(name);
  if (v < known.least_chunks || v > known.most_chunks) {
    const std::string fits = known.least_chunks == known.most_chunks
                                 ? fmt::format("v={}", known.least_chunks)
                                 : fmt::format("v={} and more", known.least_chunks);
    const auto takes_v = [v](const NamedSchedule& one) {
      return v >= one.least_chunks && v <= one.most_chunks;
    };
    throw UsageError("{}: v={}: it takes {}; v={} is of {}", name, v, fits, v,
                     fmt::join(named_schedules() | std::views::filter(takes_v) | kNames, ", "));
  }
  PipelineSchedule schedule{.name = name, .stages = p, .micro_batches = m, .chunks = v, .of_stage = {}};
  schedule.of_stage.resize(size_t(p));
  return schedule;
}

PipelineSchedule schedule_of(const std::string& text, int p, int64_t m, int v, ChunkOrder order) {
  if (const NamedSchedule* known = find_schedule(text)) return known->make(p, m, v);
  if (text.find_first_of("/ ") == std::string::npos && sizes_of(text).micro_batches == 0)
    throw UsageError(
        "{}: no schedule of that name; there are {}, or the passes of an own one such as "
        "\"F0 F1 B0 B1 / F0 B0 F1 B1\"",
        as_typed(text), fmt::join(named_schedules() | kNames, ", "));
  require_sizes("own", p, m, v);
  if (order == ChunkOrder::kVee && v != 2) throw UsageError("own: v={}: a V has v=2", v);
  return pipeline::typed_schedule(text, p, m, v, order);
}

}  // namespace ringside::inline pipeline
