// The bytes behind a bucket on one rank. Which of them are whole and which are this rank's shard, one of n
// equal parts of the padded bucket, is all that ZeRO's stages differ in, as far as memory goes; n is N, or
// the ranks of one group with replicas. Cut into shards are: nothing (stage 0), the optimizer's state (1),
// also the gradients (2), also the parameters (3).
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/data_parallel/named_state.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/optim/optimizer.h"
#include "ringside/planner/buckets.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/trace/trace.h"

namespace ringside::inline data_parallel {

// What a strategy is made of. All of it outlives the strategy but the options, which are copied.
struct StrategySetup {
  ParameterSet& parameters;
  ProcessGroup& group;  // over which samples are spread
  const Optimizer& optimizer;
  const Distribution& options;
  Recorder* recorder = nullptr;
  // With replicas (planner/run_mesh.h: over shard, and over replica); null: one copy, cut over `group`.
  ProcessGroup* inside = nullptr;
  ProcessGroup* between = nullptr;
  // Where places share one copy of the model: the ranks whose owned elements make it up (copy_dimensions).
  // Null: shards() are.
  ProcessGroup* copy = nullptr;
  // Of the places that have a tied parameter, in the same bucket; null: no other place has one.
  ProcessGroup* tied = nullptr;

  ProcessGroup& shards() const { return inside != nullptr ? *inside : group; }
};

struct BucketStorage {
  // Of a parameter: all that this rank keeps, or what it alone updates (under stage 0, every rank).
  enum class Extent : uint8_t { kHeld, kOwned };

  // Zeroed. Puts the leaves of its parameters into it; where gradients are whole, the leaves' gradients too,
  // so that backward adds into the bucket in place.
  BucketStorage(const StrategySetup& setup, Bucket bucket, size_t index);

  Bucket layout;
  std::string name;                    // "bucket 3"
  std::vector<ParameterPlace> places;  // of its parameters among the owned elements
  at::Tensor parameters;               // (padded); under ZeRO-3 it has bytes only while gathered
  at::Tensor parameter_shard;          // ZeRO-3: (padded / n)
  at::Tensor gradients;                // (padded), or (padded / n) where gradients are sharded
  at::Tensor staging;  // sharded gradients: (padded), from the first gradient to the reduction
  at::Tensor master;   // bf16: (owned) fp32
  // fp32, each as it is declared: (owned), or what it has of the parameters, one after the other.
  std::vector<std::pair<StateSpec, at::Tensor>> state;
  int64_t owned_begin = 0, owned_count = 0;  // the elements this rank updates
  int waiting = 0;                           // gradients of this micro-batch that have not arrived
  bool is_in_norm = false;                   // its squares are, in this step
  WorkPtr work;                              // its reduction, or after the update its gather, under way
  WorkPtr gather_work;                       // ZeRO-3: its gather under way

  at::Tensor owned(const at::Tensor& tensor) const;  // (padded) or (owned) -> (owned)
  at::Tensor owned_parameters() const;               // (owned)
  // Stretches (begin, count) of the owned elements that this place counts of the model (Part::counts).
  std::vector<std::pair<int64_t, int64_t>> counted(const ParameterSet& set) const;
  // The windows of a parameter's state. None is gathered for it.
  std::vector<StatePiece> pieces(const BucketSlot& slot, const ParameterSet& set, Extent extent) const;
  // Of the collectives that add the gradients of all ranks.
  Tag gradients_tag() const { return {.what = "gradients", .unit = name, .look_for_nan = true}; }
  // What the optimizer updates.
  FlatElements elements() const;
  // What has bytes now, of one kind of state: under ZeRO a shard, or the whole, or both while gathered.
  std::vector<at::Tensor> live(Category category) const;

 private:
  // Values of a state that the parameters before `end` have.
  int64_t state_before(const StateSpec& spec, const ParameterPlace* end) const;
};

// The buckets of one rank, and when each of them is handed over to be reduced.
//
// Backward reports each gradient by arrived(). A bucket is complete when the last of its gradients has
// arrived, but it is handed to ready() only after every bucket before it: ranks must issue the same
// collectives in the same order, and which bucket is complete first differs between ranks where parameters go
// unused. A parameter without a gradient therefore delays what comes after it, until its unit's backward is
// over (reduce_rest_of) or all of backward is (reduce_rest). In a micro-batch that is not reduced, nothing is
// handed over. A gradient may come in several backwards, as long as its bucket was not handed over: peers may
// be reading it then.
class GradientBuckets {
 public:
  using Ready = std::function<void(BucketStorage&)>;
  using Place = std::pair<BucketStorage*, const BucketSlot*>;

  // UsageError where the optimizer has to see whole what the stage would cut.
  GradientBuckets(const StrategySetup& setup, Ready ready);
  ~GradientBuckets();  // waits for what is under way: peers read these buffers
  GradientBuckets& operator=(GradientBuckets&&) = delete;

  // The trainable ones, in backward order, then the frozen.
  std::span<BucketStorage> all() { return buckets_; }
  std::span<BucketStorage> trainable() { return all().first(trainable_); }
  Place slot_of(size_t parameter) const { return places_[parameter]; }

  void begin_micro_batch(bool reduces);
  void arrived(size_t parameter);  // UsageError where its bucket was handed over
  void reduce_rest_of(int unit);   // and of the units above it, whose backward was before
  // Buckets of lower units are not handed over, in this micro-batch, until it is called with another one.
  void complete_from(int unit) { complete_from_ = unit; }
  void reduce_rest();

 private:
  void reduce_complete_buckets();
  void hand_over_next() { ready_(buckets_[next_++]); }

  const ParameterSet& parameters_;
  std::vector<BucketStorage> buckets_;
  std::vector<Place> places_;      // by parameter
  std::vector<bool> has_arrived_;  // by parameter: in this micro-batch
  Ready ready_;
  size_t trainable_ = 0;
  int complete_from_ = -1;  // all: without ZeRO-3 a bucket is of no unit
  size_t next_ = 0;         // the first that was not handed over in this micro-batch
  size_t last_ = 0;         // where handing over ends: trainable_, or 0 in a micro-batch that is not reduced
};

}  // namespace ringside::inline data_parallel
