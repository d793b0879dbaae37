// What DeepSpeed and FSDP use which collective for (deepspeed/runtime/zero/stage_1_and_2.py, stage3.py,
// partition_parameters.py; torch/distributed/fsdp/_runtime_utils.py).
#include <fmt/format.h>

#include "clues.h"
#include "line.h"
#include "ringside/base/units.h"

namespace ringside::inline logs {
namespace {

enum class Way : uint8_t { kGather, kScatter, kReduce, kOther };

Way way_of(const std::string& op) {
  if (has_any(op, {"REDUCE_SCATTER", "reduce_scatter"})) return Way::kScatter;
  if (has_any(op, {"GATHER", "all_gather"})) return Way::kGather;
  return has_any(op, {"REDUCE", "all_reduce"}) ? Way::kReduce : Way::kOther;
}

// What is scattered is padded, tensor by tensor, to shares of one size.
std::string bucket_words(Way way, int64_t elements, int64_t bucket) {
  if (elements <= bucket)
    return fmt::format("a bucket of gradients, of at most {} elements", format_count(bucket));
  if (way == Way::kScatter && elements - bucket <= bucket / 100)
    return fmt::format("a bucket of gradients, of at most {} elements and what it is padded by",
                       format_count(bucket));
  return fmt::format(
      "more than a bucket of gradients holds ({}): the gradient of one tensor that is larger, or no bucket",
      format_count(bucket));
}

std::optional<Purpose> of_deepspeed(Way way, int64_t elements, const JobSettings& settings,
                                    const Setting& stage) {
  const Setting* size = settings.find("reduce_bucket_size");
  const int64_t bucket = size != nullptr ? size->number : kDefaultBucket;
  const Setting* from = size != nullptr ? size : &stage;
  if (stage.number == 3 && way == Way::kGather)
    return Purpose{"parameters, which stage 3 gathers just before a layer uses them; no gradients", &stage};
  if (stage.number == 3 && way == Way::kReduce)
    return Purpose{
        "no bucket of stage 3, which scatters gradients: a call of the program's own, or reduce_scatter is "
        "off",
        &stage};
  if (way == Way::kGather && stage.number > 0)
    return Purpose{"updated parameters, which the ranks share after the optimizer's step", &stage};
  if (way == Way::kReduce || way == Way::kScatter) return Purpose{bucket_words(way, elements, bucket), from};
  return std::nullopt;
}

std::optional<Purpose> of_fsdp(Way way, const JobSettings& settings, const Setting& strategy) {
  const std::string wraps = settings.word("fsdp_wraps");
  const std::string unit = wraps.empty() ? "one wrapped unit" : "one " + wraps;
  const bool replicas = strategy.word == "NO_SHARD" || strategy.word.starts_with("HYBRID");
  if (way == Way::kReduce && !replicas) return std::nullopt;
  if (way == Way::kGather)
    return Purpose{"the parameters of " + unit + ", gathered before it is used", &strategy};
  if (way == Way::kScatter || way == Way::kReduce) return Purpose{"the gradients of " + unit, &strategy};
  return std::nullopt;
}

}  // namespace

std::optional<Purpose> purpose_of(const std::string& op, int64_t elements, const JobSettings& settings) {
  const Way way = way_of(op);
  if (const Setting* stage = settings.find("zero_stage"))
    return of_deepspeed(way, elements, settings, *stage);
  if (const Setting* fsdp = settings.find("fsdp_sharding_strategy")) return of_fsdp(way, settings, *fsdp);
  return std::nullopt;
}

}  // namespace ringside::inline logs
