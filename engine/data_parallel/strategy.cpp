#include "ringside/data_parallel/strategy.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/sha256.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {
namespace {

std::vector<ParameterPlace> owned_places(const BucketStorage& bucket, const ParameterSet& set) {
  std::vector<ParameterPlace> places;
  for (const BucketSlot& slot : bucket.layout.slots) {
    const ParameterShape& shape = set.shapes[static_cast<size_t>(slot.parameter)];
    places.push_back({shape.name, shape.shape, slot.offset - bucket.owned_begin, slot.numel});
  }
  return places;
}

}  // namespace

Strategy::Strategy(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
                   const Distribution& options, Sharding sharding, Recorder* recorder)
    : parameters_(parameters),
      group_(group),
      optimizer_(optimizer),
      options_(options),
      sharding_(sharding),
      recorder_(recorder),
      bucket_of_(parameters.shapes.size()) {
  if (sharding.optimizer) require_shards(optimizer, options.stage, group.size());
  buckets_ = allocate_buckets(parameters, options, sharding, optimizer, group.rank(), group.size());
  for (size_t b = 0; b < buckets_.size(); ++b) {
    for (const BucketSlot& slot : buckets_[b].layout.slots) {
      const auto index = static_cast<size_t>(slot.parameter);
      bucket_of_[index] = b;
      if (!buckets_[b].layout.trainable) continue;
      hooks_.emplace_back(parameters_.leaves[index], [this, index] { arrived(index); });
    }
  }
}

Strategy::~Strategy() {
  for (BucketStorage& bucket : buckets_) {
    for (const WorkPtr& work : {bucket.work, bucket.gather_work}) {
      try {
        if (work) work->wait();
      } catch (const std::exception&) {
        // Whoever caused it has reported it; here it only matters that nobody reads any more.
      }
    }
  }
}

void Strategy::load(const std::function<void(size_t, at::Tensor)>& value) {
  at::NoGradGuard no_grad;
  for (size_t p = 0; p < parameters_.shapes.size(); ++p) {
    const ParameterShape& shape = parameters_.shapes[p];
    at::Tensor whole = at::empty(shape.shape, at::kFloat);
    if (group_.rank() == 0) value(p, whole);
    group_.broadcast(view_of(whole), 0, {"initial", shape.name})->wait();

    BucketStorage& bucket = buckets_[bucket_of_[p]];
    const auto slot =
        std::find_if(bucket.layout.slots.begin(), bucket.layout.slots.end(),
                     [&](const BucketSlot& s) { return static_cast<size_t>(s.parameter) == p; });
    const at::Tensor flat = whole.view({-1});
    if (!sharding_.parameters) bucket.parameters.narrow(0, slot->offset, slot->numel).copy_(flat);
    // The part of [offset, offset + numel) that this rank owns, as offsets into the owned stretch.
    const int64_t begin = std::max(slot->offset, bucket.owned_begin);
    const int64_t end = std::min(slot->offset + slot->numel, bucket.owned_begin + bucket.owned_count);
    if (begin >= end) continue;
    const at::Tensor mine = flat.narrow(0, begin - slot->offset, end - begin);
    const int64_t at = begin - bucket.owned_begin;
    if (sharding_.parameters) bucket.parameter_shard.narrow(0, at, end - begin).copy_(mine);
    if (bucket.master.defined()) bucket.master.narrow(0, at, end - begin).copy_(mine);
  }
}

void Strategy::begin_step(int64_t step) {
  at::NoGradGuard no_grad;
  step_ = step;
  for (BucketStorage& bucket : buckets_) {
    if (!bucket.layout.trainable) continue;
    bucket.gradients.zero_();
    if (sharding_.gradients) continue;
    for (const BucketSlot& slot : bucket.layout.slots) {  // backward adds into the bucket in place
      const auto index = static_cast<size_t>(slot.parameter);
      at::Tensor& gradient = parameters_.leaves[index].mutable_grad();
      if (!gradient.defined()) {
        gradient = bucket.gradients.narrow(0, slot.offset, slot.numel).view(parameters_.shapes[index].shape);
      }
    }
  }
}

void Strategy::begin_micro_batch(bool last_of_step) {
  reducing_ = last_of_step || reduces_every_micro_batch();
  next_bucket_ = 0;
  for (BucketStorage& bucket : buckets_) bucket.waiting = static_cast<int>(bucket.layout.slots.size());
}

void Strategy::arrived(size_t parameter) {
  gradient_arrived(parameter);
  --buckets_[bucket_of_[parameter]].waiting;
  if (reducing_) reduce_ready(/*finished_unit=*/parameters_.units);
}

// Ranks must issue the same collectives in the same order, so a bucket waits for those before it
// even when its own gradients are complete.
void Strategy::reduce_ready(int finished_unit) {
  for (; next_bucket_ < buckets_.size(); ++next_bucket_) {
    BucketStorage& bucket = buckets_[next_bucket_];
    if (!bucket.layout.trainable) continue;
    if (bucket.waiting > 0 && bucket.layout.unit < finished_unit) return;
    at::Tensor& summand = sharding_.gradients ? bucket.staging : bucket.gradients;
    if (options_.predivide && summand.defined()) summand.div_(group_.size());
    reduce(bucket);
    if (!options_.overlap) finish_reductions();
  }
}

void Strategy::end_micro_batch() {
  end_unit_span();
  if (reducing_) {
    reduce_ready(kEveryUnit);  // parameters that got no gradient count as zero
    finish_reductions();
  }
  after_backward();
}

void Strategy::finish_reductions() {
  for (BucketStorage& bucket : buckets_) wait(bucket.work, "wait for gradients");
}

double Strategy::clip_factor(const StepOptions& options, double* norm) {
  *norm = 0;
  if (options_.clip_norm <= 0) return 1.0;
  ExactSquareSum sum;
  for (const BucketStorage& bucket : buckets_) {
    if (!bucket.layout.trainable) continue;
    const at::Tensor gradients = bucket.owned_gradients();
    sum.add(gradients.data_ptr(), gradients.numel(), dtype_of(gradients));
  }
  agree_on_norm(sum);
  *norm = std::sqrt(sum.value()) / options.samples;
  return std::min(1.0, options_.clip_norm / (*norm + 1e-6));
}

double Strategy::step(const StepOptions& given) {
  at::NoGradGuard no_grad;
  StepOptions options = given;
  if (options_.predivide) options.samples /= group_.size();  // what is left to divide by
  double norm = 0;
  UpdateOptions update;
  update.learning_rate = options.learning_rate;
  update.step = options.step;
  update.gradient_scale = static_cast<float>(clip_factor(options, &norm) / options.samples);
  for (BucketStorage& bucket : buckets_) {
    if (!bucket.layout.trainable) continue;
    const at::Tensor weights = bucket.owned_parameters();
    const at::Tensor gradients = bucket.owned_gradients();
    const bool bf16 = bucket.master.defined();
    Elements elements;
    elements.count = bucket.owned_count;
    elements.weights = (bf16 ? bucket.master : weights).data_ptr<float>();
    elements.gradient = gradients.data_ptr();
    elements.gradient_dtype = dtype_of(gradients);
    elements.rounded = bf16 ? static_cast<uint16_t*>(weights.data_ptr()) : nullptr;
    for (const at::Tensor& values : bucket.state) elements.state.push_back(values.data_ptr<float>());
    optimizer_.update(elements, owned_places(bucket, parameters_), update);
  }
  share_parameters();
  return norm;
}

void Strategy::visit_parameters(const std::function<void(size_t, const at::Tensor&)>& visit) {
  for (size_t p = 0; p < parameters_.leaves.size(); ++p) visit(p, parameters_.leaves[p]);
}

void Strategy::note_hashes(int64_t step) {
  if (recorder_ == nullptr) return;
  const SpanScope span(*recorder_, "hash", step);
  for (const BucketStorage& bucket : buckets_) {
    for (const Category category : {Category::kParameters, Category::kGradients, Category::kOptimizer}) {
      const std::vector<at::Tensor> live = bucket.live(category);
      if (live.empty()) continue;
      Sha256 hash;
      for (const at::Tensor& tensor : live) hash.update(tensor.data_ptr(), tensor.nbytes());
      const std::string name = "hash " + std::string(to_string(category)) + " " + hash.hex().substr(0, 16);
      recorder_->note(name, step, bucket.name);
    }
  }
}

void Strategy::before_forward(int unit) {
  if (recorder_ != nullptr) span_ = OpenSpan{"forward", unit, now_ns()};
}

at::Tensor Strategy::after_forward(int unit, at::Tensor output) {
  end_unit_span();
  if (output.requires_grad()) {
    output.register_hook([this, unit](const at::Tensor&) { before_backward(unit); });
  }
  return output;
}

void Strategy::before_backward(int unit) {
  end_unit_span();
  if (recorder_ != nullptr) span_ = OpenSpan{"backward", unit, now_ns()};
  book_next_as_unit(parameters_.unit_names[static_cast<size_t>(unit)]);
}

void Strategy::end_unit_span() {
  if (!span_) return;
  recorder_->span(span_->name, span_->start_ns, now_ns(), step_,
                  parameters_.unit_names[static_cast<size_t>(span_->unit)]);
  span_.reset();
}

void Strategy::wait(WorkPtr& work, const char* what) {
  if (!work) return;
  const int64_t start = now_ns();
  work->wait();
  work.reset();
  if (recorder_ != nullptr) recorder_->span(what, start, now_ns(), step_);
}

}  // namespace ringside
