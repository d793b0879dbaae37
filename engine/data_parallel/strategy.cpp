#include "ringside/data_parallel/strategy.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "rank_exchange.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline data_parallel {
namespace {

// An optimizer that works by rows, matrices or sums would take a part for the whole.
void require_elementwise(const StrategySetup& setup) {
  if (setup.optimizer.spec().granularity == Granularity::kElement) return;
  for (size_t p = 0; p < setup.parameters.shapes.size(); ++p)
    if (setup.parameters.part_of(p) != nullptr)
      throw UsageError(
          "optimizer={}: it needs whole tensors, and {} is cut over {}; allowed is one that "
          "works element by element, as adamw or sgd",
          setup.optimizer.spec().name, setup.parameters.shapes[p].name,
          setup.parameters.shapes[p].cuts.front().over);
}

}  // namespace

Strategy::Strategy(const StrategySetup& setup)
    : parameters_(setup.parameters),
      group_(setup.group),
      shards_(setup.shards()),
      optimizer_(setup.optimizer),
      options_(setup.options),
      recorder_(setup.recorder),
      buckets_(setup,
               [this](BucketStorage& bucket) {
                 for (const BucketSlot& slot : bucket.layout.slots) settle(size_t(slot.parameter));
                 ready(bucket);
               }),
      between_(setup.between),
      tied_(setup.tied),
      copy_(setup.copy != nullptr ? setup.copy
            : options_.stage >= 1 ? &shards_
                                  : nullptr) {
  require_elementwise(setup);
  require_clipping(setup.optimizer.spec(), options_.clip_norm);
  parameters_.is_away.clear();  // of a strategy before
  if (setup.options.stage >= 1)
    exchange_ = std::make_unique<RankExchange>(setup, buckets_.trainable());
  else
    exchange_ = std::make_unique<UpdateExchange>();  // every rank has everything
  for (size_t p = 0; p < parameters_.shapes.size(); ++p) {
    const at::Tensor& leaf = parameters_.leaves[p];
    places_.push_back({leaf.grad()});
    if (leaf.grad().defined()) parameter_of_[leaf.unsafeGetTensorImpl()] = p;
    if (!parameters_.shapes[p].trainable) continue;
    hooks_.emplace_back(parameters_.leaves[p], [this, p] { arrived(p); });
  }
}

void Strategy::load(const std::function<void(size_t, at::Tensor)>& value) {
  at::NoGradGuard no_grad;
  for (size_t p = 0; p < parameters_.shapes.size(); ++p) {
    const ParameterShape& shape = parameters_.shapes[p];
    at::Tensor whole = at::empty(shape.shape, at::kFloat);
    if (group_.rank() == 0) value(p, whole);
    group_.broadcast(view_of(whole), 0, {"initial", shape.name})->wait();
    for (const StatePiece& piece : pieces_of(p, BucketStorage::Extent::kHeld)) {
      if (piece.kind != kParameterState && piece.kind != kMasterState) continue;
      piece.data.copy_(whole.view({-1}).narrow(0, piece.begin, piece.count));  // of the part, or whole
    }
  }
}

void Strategy::export_state(const std::function<void(const StatePiece&)>& take) {
  for (size_t p = 0; p < parameters_.shapes.size(); ++p)
    for (const StatePiece& piece : pieces_of(p, BucketStorage::Extent::kOwned)) take(piece);
}

void Strategy::import_state(const std::function<void(const StatePiece&)>& fill) {
  for (size_t p = 0; p < parameters_.shapes.size(); ++p)
    for (const StatePiece& piece : pieces_of(p, BucketStorage::Extent::kHeld)) fill(piece);
}

std::vector<StatePiece> Strategy::pieces_of(size_t parameter, BucketStorage::Extent extent) {
  const auto [bucket, slot] = buckets_.slot_of(parameter);
  return bucket->pieces(*slot, parameters_, extent);
}

void Strategy::begin_step(int64_t step) {
  at::NoGradGuard no_grad;
  step_ = step;
  squares_ = {};
  for (BucketStorage& bucket : buckets_.trainable()) {
    clear_gradients(bucket);
    bucket.is_in_norm = false;
  }
}

// A product that wrote a gradient whole in the last step most likely does so again, so its place is not
// filled with zeros. The leaf has no gradient until then: backward cannot add to the last step's values.
void Strategy::clear_gradients(BucketStorage& bucket) {
  const auto place = [&](const BucketSlot& slot) -> Place& { return places_[size_t(slot.parameter)]; };
  const auto is_taken = [&](const BucketSlot& slot) { return place(slot).is_taken; };
  const bool any = std::ranges::any_of(bucket.layout.slots, is_taken);
  if (!any) bucket.gradients.zero_();
  for (const BucketSlot& slot : bucket.layout.slots) {
    Place& one = place(slot);
    if (std::exchange(one.is_taken, false))
      parameters_.leaves[size_t(slot.parameter)].mutable_grad().reset();
    else if (any)
      one.gradient.zero_();
    one.is_fresh = one.gradient.defined();
  }
}

// A leaf without a gradient has zeros there.
void Strategy::settle(size_t parameter) {
  const at::NoGradGuard no_grad;
  const at::Tensor& place = places_[parameter].gradient;
  at::Tensor& gradient = parameters_.leaves[parameter].mutable_grad();
  if (!place.defined() || (gradient.defined() && gradient.data_ptr() == place.data_ptr())) return;
  gradient.defined() ? place.copy_(gradient) : place.zero_();
  gradient = place;
}

void Strategy::begin_micro_batch(bool last_of_step) {
  last_of_step_ = last_of_step;
  buckets_.begin_micro_batch(reduces(last_of_step));
}

void Strategy::end_micro_batch() {
  end_unit_span();
  for (size_t p = 0; p < places_.size(); ++p) {
    places_[p].is_fresh = false;
    settle(p);
  }
  buckets_.reduce_rest();  // parameters that got no gradient count as zero
  backward_ended();
}

void Strategy::run_backward_of(int64_t step, const std::function<at::Tensor()>& loss) {
  begin_step(step);
  begin_micro_batch(true);
  const at::Tensor value = loss();
  {
    std::optional<SpanScope> span;
    if (recorder_ != nullptr) span.emplace(*recorder_, "backward", step);
    run_backward(value);
  }
  end_micro_batch();
}

void Strategy::wait_for_gradients() {
  for (BucketStorage& bucket : buckets_.trainable()) {
    wait(bucket.work, "wait for gradients");
    if (last_of_step_ && !bucket.layout.tied) add_squares_of(bucket);
  }
}

void Strategy::add_squares_of(BucketStorage& bucket) {
  if (options_.clip_norm <= 0 || std::exchange(bucket.is_in_norm, true)) return;
  const at::Tensor gradients = bucket.owned(bucket.gradients);
  for (const auto& [begin, count] : bucket.counted(parameters_))
    add_squares(squares_, gradients.narrow(0, begin, count));
}

double Strategy::gradient_norm(double samples) {
  for (BucketStorage& bucket : buckets_.trainable()) add_squares_of(bucket);
  if (copy_ != nullptr) {
    WorkPtr work = copy_->all_reduce({squares_.limbs(), kNormLimbs, Dtype::kInt64}, {"norm", ""});
    wait(work, "wait for the norm");
  }
  return std::sqrt(squares_.value()) / samples;
}

// In the order of places, and on one place in that of the parameters.
void Strategy::add_tied_gradients() {
  std::vector<at::Tensor> own;  // the last parameter's bucket is the first
  for (const BucketStorage& bucket : buckets_.trainable())
    if (bucket.layout.tied) own.insert(own.begin(), bucket.owned(bucket.gradients));
  if (own.empty()) return;
  for (size_t i = 1; i < own.size(); ++i) own[0].add_(own[i]);
  if (tied_ != nullptr) {
    WorkPtr work = tied_->all_reduce(view_of(own[0]), {kTiedGradients, ""});
    wait(work, "wait for tied gradients");
  }
  for (size_t i = 1; i < own.size(); ++i) own[i].copy_(own[0]);
}

std::optional<double> Strategy::step(const StepOptions& options) {
  at::NoGradGuard no_grad;
  add_tied_gradients();
  const double samples = options.samples / (options_.predivide ? group_.size() : 1);  // left to divide by
  std::optional<double> norm;
  if (options_.clip_norm > 0) norm = gradient_norm(samples);
  const double factor = norm ? std::min(1.0, options_.clip_norm / (*norm + 1e-6)) : 1;
  const UpdateOptions update{options.learning_rate, options.step, float(factor / samples)};
  std::vector<FlatElements> owned;
  for (const BucketStorage& bucket : buckets_.trainable()) owned.push_back(bucket.elements());
  optimizer_.update(owned, update, *exchange_);
  share();
  return norm;
}

void Strategy::visit_parameters(const std::function<void(size_t, const at::Tensor&)>& visit) {
  for (size_t p = 0; p < parameters_.leaves.size(); ++p) visit(p, parameters_.leaves[p]);
}

void Strategy::note_hashes(int64_t step) {
  if (recorder_ == nullptr) return;
  const SpanScope span(*recorder_, "hash", step);
  for (const BucketStorage& bucket : buckets_.all()) {
    for (const Category category : {Category::kParameters, Category::kGradients, Category::kOptimizer}) {
      const std::vector<at::Tensor> live = bucket.live(category);
      if (live.empty()) continue;
      Sha256 hash;
      for (const at::Tensor& tensor : live) {
        const at::Tensor read = on_host(tensor);
        hash.update(read.data_ptr(), read.nbytes());
      }
      record_row<TensorHash>(*recorder_,
                             {std::string(to_string(category)), bucket.name, step, hash.hex().substr(0, 16)});
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
  book_next_as_unit(parameters_.unit_names[size_t(unit)]);
}

void Strategy::before_recompute(int unit) {
  if (span_) span_->name = "recompute";
}

void Strategy::after_recompute(int unit) {
  end_unit_span();
  if (recorder_ != nullptr) span_ = OpenSpan{"backward", unit, now_ns()};
}

bool Strategy::take_fresh_gradient(const at::Tensor& weight) {
  const auto found = parameter_of_.find(weight.unsafeGetTensorImpl());
  if (found == parameter_of_.end()) return false;
  Place& place = places_[found->second];
  if (!std::exchange(place.is_fresh, false)) return false;
  place.is_taken = true;
  weight.mutable_grad() = place.gradient;
  return true;
}

void Strategy::end_unit_span() {
  if (!span_) return;
  recorder_->span(span_->name, span_->start_ns, now_ns(), step_, parameters_.unit_names[size_t(span_->unit)]);
  span_.reset();
}

void Strategy::reduce_between(BucketStorage& bucket) {
  if (between_ == nullptr || !last_of_step_) return;
  const MutableView shard = view_of(bucket.owned(bucket.gradients));
  bucket.work = between_->all_reduce(shard, {kGradientsBetween, bucket.name});
  if (!options_.overlap) wait(bucket.work, "wait for gradients");
}

void Strategy::wait_for_buckets(const char* what) {
  for (BucketStorage& bucket : buckets_.trainable()) wait(bucket.work, what);
}

void Strategy::wait(WorkPtr& work, const char* what) {
  if (!work) return;
  const int64_t start = now_ns();
  work->wait();
  work.reset();
  if (recorder_ != nullptr) recorder_->span(what, start, now_ns(), step_);
}

}  // namespace ringside::inline data_parallel
