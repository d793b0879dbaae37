// ZeRO-3 (P_os+g+p): parameters are sharded too. A unit (a layer) is gathered
// before it is used, forward and backward, and dropped right after; with prefetch
// the next one is on its way meanwhile. arXiv:1910.02054, section 5.3 and 7.2.2.
//
// Per micro-batch: two gathers and one reduce-scatter, 3 (N-1)/N a parameter. With reshard off (FSDP's
// reshard_after_forward) a unit stays whole from its forward to its backward: one gather less, 2 (N-1)/N, for
// all parameters held at once. Gathers are collectives: every rank runs forward and backward through every
// unit. Single parameters may go unused on some ranks.
//
// With recompute the gather before a unit's backward serves the forward that is run again: still two gathers.
//
// A unit's parameters are dropped at the first of these moments: its last gradient has arrived and it has no
// frozen parameter; the backward of the unit below begins; backward has ended. Gradients are staged and
// summed as in stage 2; no_sync saves all reductions but the last, and no gather.
#include <c10/core/GradMode.h>

#include <utility>

#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"
#include "stages.h"

namespace ringside::inline zero {
namespace {

class ZeroStage3 final : public Strategy {
 public:
  explicit ZeroStage3(const StrategySetup& setup)
      : Strategy(setup), units_(static_cast<size_t>(parameters_.units)) {
    for (BucketStorage& bucket : buckets_.all()) unit(bucket.layout.unit).buckets.push_back(&bucket);
    for (const ParameterShape& shape : parameters_.shapes) {
      ++(shape.trainable ? unit(shape.unit).trainable : unit(shape.unit).frozen);
    }
    while (first_trainable_ < parameters_.units && unit(first_trainable_).trainable == 0) ++first_trainable_;
  }

  void set_purpose(const std::string& purpose) override { purpose_ = purpose; }

  void before_forward(int index) override {
    gather(index);
    if (options_.prefetch && index + 1 < parameters_.units) launch_gather(index + 1);
    Strategy::before_forward(index);
  }

  at::Tensor after_forward(int index, at::Tensor output) override {
    at::Tensor result = Strategy::after_forward(index, std::move(output));
    // Only what a gradient comes back to has a backward to be kept for.
    if (options_.reshard || !result.requires_grad()) drop(index);
    Unit& u = unit(index);
    u.waiting = u.trainable;
    return result;
  }

  void visit_parameters(const std::function<void(size_t, const at::Tensor&)>& visit) override {
    const std::string before = std::exchange(purpose_, "export");
    for (int index = 0; index < parameters_.units; ++index) {
      gather(index);
      for (size_t p = 0; p < parameters_.shapes.size(); ++p) {
        if (parameters_.shapes[p].unit == index) visit(p, parameters_.leaves[p]);
      }
      drop(index);
    }
    purpose_ = before;
  }

 private:
  // With no_sync earlier micro-batches are added up in the staging buffers, whole.
  bool reduces(bool last_of_step) const override { return last_of_step || !options_.no_sync; }

  void before_backward(int index) override {
    end_unit_span();
    // The unit above is over. It may hold frozen parameters, whose last use no gradient announces, and
    // parameters that got no gradient on this rank alone: its reductions must not come after our gather.
    if (index + 1 < parameters_.units) drop(index + 1);
    buckets_.reduce_rest_of(index + 1);
    gather(index);
    if (options_.prefetch && index - 1 >= first_trainable_) launch_gather(index - 1);
    Strategy::before_backward(index);
  }

  void arrived(size_t parameter) override {
    at::NoGradGuard no_grad;
    const auto [bucket, slot] = buckets_.slot_of(parameter);
    at::Tensor& gradient = parameters_.leaves[parameter].mutable_grad();
    book_as(gradient, Category::kGradients, "", parameters_.shapes[parameter].name);
    make_staging(*bucket);
    bucket->staging.narrow(0, slot->offset, slot->numel).add_(gradient.reshape({-1}));
    gradient.reset();
    Unit& u = unit(bucket->layout.unit);
    if (--u.waiting == 0 && u.frozen == 0) drop(bucket->layout.unit);
    buckets_.arrived(parameter);
  }

  void ready(BucketStorage& bucket) override {
    make_staging(bucket);  // none of its parameters may have had a gradient
    if (options_.predivide) bucket.staging.div_(group_.size());
    take_sum();
    bucket.work = shards_.reduce_scatter(view_of(bucket.staging), view_of(bucket.owned(bucket.staging)),
                                         bucket.gradients_tag());
    under_way_ = &bucket;
    if (!options_.overlap) take_sum();
  }

  void backward_ended() override {
    take_sum();
    wait_for_gradients();  // between groups
    for (int index = 0; index < parameters_.units; ++index) drop(index);
  }

  void share() override {}  // nobody keeps whole parameters

  struct Unit {
    std::vector<BucketStorage*> buckets;
    int trainable = 0, frozen = 0;  // parameters
    int waiting = 0;                // gradients that have not arrived in this backward
    bool launched = false;          // gathered, or on its way
  };
  Unit& unit(int index) { return units_[static_cast<size_t>(index)]; }
  const std::string& name_of(int index) const { return parameters_.unit_names[static_cast<size_t>(index)]; }

  void make_staging(BucketStorage& bucket) {
    if (bucket.staging.defined()) return;
    MemoryScope scope(Category::kGradients, "", bucket.name);
    bucket.staging = at::zeros({bucket.layout.padded}, bucket.gradients.options());
  }

  void take_sum() {
    if (under_way_ == nullptr) return;
    at::NoGradGuard no_grad;
    BucketStorage& bucket = *std::exchange(under_way_, nullptr);
    wait(bucket.work, "wait for gradients");
    bucket.gradients.add_(bucket.owned(bucket.staging));
    bucket.staging.reset();
    reduce_between(bucket);
  }

  void launch_gather(int index) {
    Unit& u = unit(index);
    if (u.launched) return;
    u.launched = true;
    note(index, /*dropped=*/false);
    MemoryScope scope(Category::kParameters, name_of(index), "gathered");
    for (BucketStorage* bucket : u.buckets) {
      allocate_storage(bucket->parameters, bucket->layout.padded * bucket->parameters.element_size());
      bucket->gather_work = shards_.all_gather(view_of(bucket->parameter_shard), view_of(bucket->parameters),
                                               {purpose_, name_of(index)});
    }
  }

  void gather(int index) {  // launches if need be, and waits
    launch_gather(index);
    for (BucketStorage* bucket : unit(index).buckets) wait(bucket->gather_work, "wait for parameters");
  }

  void drop(int index) {  // frees the bytes; nothing if not gathered
    Unit& u = unit(index);
    if (!u.launched) return;
    u.launched = false;
    for (BucketStorage* bucket : u.buckets) {
      wait(bucket->gather_work, "wait for parameters");
      free_storage(bucket->parameters);
    }
    note(index, /*dropped=*/true);
  }

  void note(int index, bool dropped) {
    if (recorder_ != nullptr) record_row<UnitGather>(*recorder_, {name_of(index), step_, dropped});
  }

  std::vector<Unit> units_;
  int first_trainable_ = 0;  // below it no gradient flows, so nothing is gathered in backward
  std::string purpose_ = "parameters";
  BucketStorage* under_way_ = nullptr;
};

}  // namespace

std::unique_ptr<Strategy> make_stage3(const StrategySetup& setup) {
  return std::make_unique<ZeroStage3>(setup);
}

}  // namespace ringside::inline zero
