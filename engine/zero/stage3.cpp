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
// In backward a unit's parameters are dropped when the backward of another unit begins, or backward has
// ended: until then one of its operations may read them. A unit may run forward several times in a
// micro-batch (two texts through one encoder). Backward goes through them in the reverse order, so a unit's
// gradients are complete when the backward of its first forward is over. They are reduced then and not
// before: a parameter may be used in another forward on each rank, and the order of reductions and gathers is
// one. Gradients are staged and summed as in stage 2 (staged.h); no_sync saves all reductions but the last,
// and no gather.
#include <algorithm>
#include <utility>

#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"
#include "staged.h"
#include "stages.h"

namespace ringside::inline zero {
namespace {

class ZeroStage3 final : public StagedStrategy {
 public:
  explicit ZeroStage3(const StrategySetup& setup)
      : StagedStrategy(setup), units_(size_t(parameters_.units)), first_trainable_(parameters_.units) {
    parameters_.is_away.assign(units_.size(), true);
    for (BucketStorage& bucket : buckets_.all()) unit(bucket.layout.unit).buckets.push_back(&bucket);
    for (const ParameterShape& shape : parameters_.shapes)
      if (shape.trainable) first_trainable_ = std::min(first_trainable_, shape.unit);
  }

  void set_purpose(const std::string& purpose) override { purpose_ = purpose; }

  void before_forward(int index) override {
    gather(index);
    if (options_.prefetch && index + 1 < parameters_.units) launch_gather(index + 1);
    Strategy::before_forward(index);
  }

  at::Tensor after_forward(int index, at::Tensor output) override {
    const bool has_backward = output.requires_grad();
    if (has_backward) {
      output.register_hook([this, before = highest_](const at::Tensor&) { highest_before_ = before; });
      highest_ = std::max(highest_, index);
    }
    at::Tensor result = Strategy::after_forward(index, std::move(output));
    if (options_.reshard || !has_backward) drop(index);  // no backward will read it
    return result;
  }

  void visit_parameters(const std::function<void(size_t, const at::Tensor&)>& visit) override {
    const std::string before = std::exchange(purpose_, "export");
    for (int index = 0; index < parameters_.units; ++index) {
      gather(index);
      for (size_t p = 0; p < parameters_.shapes.size(); ++p)
        if (parameters_.shapes[p].unit == index) visit(p, parameters_.leaves[p]);
      drop(index);
    }
    purpose_ = before;
  }

 private:
  void before_backward(int index) override {
    end_unit_span();
    drop_before(index);
    // A parameter may have got no gradient on this rank alone: reductions of the units above must not come
    // after our gather.
    buckets_.reduce_rest_of(std::max(index, highest_before_) + 1);
    buckets_.complete_from(highest_before_ + 1);
    gather(index);
    if (options_.prefetch && index - 1 >= first_trainable_) launch_gather(index - 1);
    Strategy::before_backward(index);
  }

  void ready(BucketStorage& bucket) override { reduce(bucket, ReduceMode::kReduceScatter); }

  void backward_ended() override {
    take_sum();
    wait_for_gradients();  // between groups
    for (int index = 0; index < parameters_.units; ++index) drop(index);
    in_backward_ = highest_ = -1;
  }

  void share() override {}  // nobody keeps whole parameters

  struct Unit {
    std::vector<BucketStorage*> buckets;
    bool launched = false;  // gathered, or on its way
  };
  Unit& unit(int index) { return units_[size_t(index)]; }
  const std::string& name_of(int index) const { return parameters_.unit_names[size_t(index)]; }

  // The unit that was in backward, and those that were gathered for it and passed by.
  void drop_before(int index) {
    const int before = std::exchange(in_backward_, index);
    if (before >= 0 && before < index) drop(before);
    for (int above = before; above > index; --above) drop(above);
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
    parameters_.is_away[size_t(index)] = false;
  }

  void drop(int index) {  // frees the bytes; nothing if not gathered
    Unit& u = unit(index);
    if (!u.launched) return;
    u.launched = false;
    parameters_.is_away[size_t(index)] = true;
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
  int first_trainable_;   // below it no gradient flows, so nothing is gathered in backward
  int in_backward_ = -1;  // the unit; -1: none
  // The highest unit of this micro-batch's forwards; of those before the forward that is in backward.
  int highest_ = -1, highest_before_ = -1;
  std::string purpose_ = "parameters";
};

}  // namespace

std::unique_ptr<Strategy> make_stage3(const StrategySetup& setup) {
  return std::make_unique<ZeroStage3>(setup);
}

}  // namespace ringside::inline zero
