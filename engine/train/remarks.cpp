#include "remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/comm/accumulator.h"
#include "ringside/planner/buckets.h"
#include "ringside/tensor/where.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline training {
namespace {

constexpr double kFarAbove = 2;  // times the first step's loss

// All of its elements as one stretch of memory, in whatever order; none where it has gaps.
std::optional<ConstView> memory_of(const at::Tensor& tensor) {
  if (!tensor.is_non_overlapping_and_dense()) return std::nullopt;
  return ConstView{tensor.data_ptr(), tensor.numel(), dtype_of(tensor), view_device(tensor)};
}

}  // namespace

std::string loss_so_far(const std::vector<double>& loss) {
  if (loss.empty()) return "it is the first step";
  if (loss.size() == 1) return fmt::format("the loss was {:.4g} in step 0", loss[0]);
  return fmt::format("the loss was {:.4g} in step {} and {:.4g} in step 0", loss.back(), loss.size() - 1,
                     loss[0]);
}

Remarks::Remarks(const TrainingConfig& config, const ParameterSet& parameters, const ProcessGroup& shards,
                 Recorder& recorder)
    : config_(config),
      parameters_(parameters),
      shards_(shards),
      recorder_(recorder),
      is_first_rank_(recorder.rank() == 0),
      watched_(parameters.shapes.size()) {
  for (size_t p = 0; p < watched_.size(); ++p) {
    if (!parameters.shapes[p].trainable) continue;
    hooks_.emplace_back(parameters.leaves[p], [this, p] { watched_[p].arrived = true; });
    if (config.check)
      parameters.leaves[p].register_hook([this, p](const at::Tensor& gradient) { look_at(gradient, p); });
  }
}

void Remarks::add(const char* about, const std::string& parameter, const std::string& text) {
  record_row(recorder_, TrainingRemark{about, parameter, step_, text});
}

void Remarks::at_start() {
  if (is_first_rank_ && config_.learning_rate == 0)
    add(TrainingRemark::kLearningRate, "", "The learning rate is 0: no step changes a parameter.");
  if (is_first_rank_) note_frozen();
  if (config_.stage >= 1) note_empty_shard();
}

void Remarks::note_frozen() {
  const std::vector<ParameterShape>& shapes = parameters_.shapes;
  const auto is_frozen = [](const ParameterShape& one) { return !one.trainable && one.numel() > 0; };
  const auto first = std::ranges::find_if(shapes, is_frozen);
  if (first == shapes.end()) return;
  const auto frozen = std::ranges::count_if(shapes, is_frozen);
  const int64_t all = count_parameters(shapes);
  add(TrainingRemark::kFrozen, first->name,
      fmt::format("{} of {} parameter tensors {} frozen, {} of {} elements, the first is {}: no gradient, no "
                  "optimizer state, no update.",
                  frozen, shapes.size(), frozen == 1 ? "is" : "are",
                  format_count(all - count_trainable(shapes)), format_count(all), first->name));
}

void Remarks::note_empty_shard() {
  int64_t empty = 0, buckets = 0, first_elements = 0;
  std::string first;
  for (const Bucket& bucket :
       make_buckets(parameters_.shapes, config_, shards_.size() * int(config_.replicas))) {
    if (!bucket.trainable) continue;
    ++buckets;
    if (bucket.padded / shards_.size() * shards_.rank() < bucket.numel) continue;
    if (empty++ > 0) continue;
    first = parameters_.shapes[size_t(bucket.slots.front().parameter)].name;
    first_elements = bucket.numel;
  }
  if (empty == 0) return;
  add(TrainingRemark::kEmptyShard, first,
      fmt::format("Rank {} owns no element of {} of {} buckets: the first, with {}, has {} elements for {} "
                  "ranks. Larger buckets or fewer ranks leave no shard empty.",
                  recorder_.rank(), empty, buckets, first, first_elements, shards_.size()));
}

void Remarks::begin_step(int64_t step) {
  step_ = step;
  for (Watched& one : watched_) one.arrived = false;
}

void Remarks::own_loss(double loss) {
  if (config_.check && !std::isfinite(loss)) not_finite("", fmt::format("loss is {}", loss));
}

void Remarks::look_at(const at::Tensor& gradient, size_t parameter) {
  if (found_not_finite_) return;
  const auto memory = memory_of(gradient);
  if (!memory || !first_non_finite(*memory)) return;
  const std::string& name = parameters_.shapes[parameter].name;
  not_finite(name, "gradient of " + name + " is not finite");
}

void Remarks::not_finite(const std::string& parameter, const std::string& what) {
  if (found_not_finite_) return;
  found_not_finite_ = true;
  add(TrainingRemark::kNotFinite, parameter,
      fmt::format("In step {} rank {}'s {}, before any other; {}.", step_, recorder_.rank(), what,
                  loss_so_far(loss_)));
}

void Remarks::end_step(const std::vector<double>& loss, bool falls) {
  loss_ = loss;
  note_missing();
  if (is_first_rank_ && falls) note_loss(loss.back());
}

void Remarks::note_missing() {
  for (size_t p = 0; p < watched_.size(); ++p) {
    Watched& one = watched_[p];
    if (!parameters_.shapes[p].trainable || one.arrived || std::exchange(one.is_noted, true)) continue;
    const std::string& name = parameters_.shapes[p].name;
    add(TrainingRemark::kNoGradient, name,
        fmt::format("In step {} backward gave rank {} no gradient for {}: it counts as zero, and the "
                    "optimizer updates the parameter as any other. Freeze what is not to be trained.",
                    step_, recorder_.rank(), name));
  }
}

void Remarks::note_loss(double loss) {
  if (found_loss_ || !(loss > kFarAbove * loss_.front())) return;
  found_loss_ = true;
  add(TrainingRemark::kLoss, "",
      fmt::format("The loss is more than twice as high as at first: {}. A training that diverges begins so: "
                  "take a lower learning rate than {:g}.",
                  loss_so_far(loss_), config_.learning_rate));
}

}  // namespace ringside::inline training
