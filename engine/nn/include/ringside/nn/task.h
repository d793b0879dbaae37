// What is trained, in one value: whole parameters, the model that computes with a place's part of them, the
// samples, and the loss. The Trainer, strategies and the planner know a Task by this alone. Torch-free to
// include: shapes and predictions need no tensor.
//
// The loss is a sum over the samples of a batch. Data parallelism adds it up over its places and divides by
// the samples of a step; the places of one copy of the model see the same samples, and each has the same
// loss.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/planner/declaration.h"
#include "ringside/planner/distribution.h"
#include "ringside/planner/parts.h"
#include "ringside/planner/run_rows.h"

namespace at {
class Tensor;
}

namespace ringside::inline nn {

struct Batch;        // nn/batch.h
struct BatchShape;   // nn/batch.h
struct ModelOutput;  // nn/model.h
class Model;         // nn/model.h

struct Score {  // sums over samples
  double loss = 0, correct = 0, samples = 0;
  // No sum: of all samples of an evaluation that counts by class (nn/evaluation.h), else 0.
  double macro_f1 = 0;
};

struct TrainingPass {  // of a rank
  std::vector<int64_t> samples;
  int64_t step = 0, micro = 0;  // its micro-batch of the step; both from 0
};

enum class Split : uint8_t { kTrain, kHeldOut };

struct WantedOutputs {  // beside the logits
  bool hidden_states = false, attentions = false;
};

// Where a rank's model computes.
struct ModelSite {
  int rank = 0;                         // of the run
  ModelPlace place{};                   // among those that hold one copy; empty: it has all of it
  std::vector<ProcessGroup*> groups{};  // of each dimension of the place; null where its size is 1
  Device device = Device::kCpu;         // which the model's ParameterSet says too, as at::Device
  // Not a rank: one process that has all of it, and computes as so many places of tp would, one after another
  // (train/emulation.h); 0: a rank.
  int emulated_places = 0;
  // Null where nothing is cut over it.
  ProcessGroup* over(std::string_view dimension) const {
    const auto at = std::ranges::find(place, dimension, &PlaceIn::dimension);
    return at == place.end() ? nullptr : groups[size_t(at - place.begin())];
  }
};

// What one rank runs forward in a run: samples of each batch, in order.
struct ForwardedBatches {
  ModelPlace place;
  const Distribution& distribution;
  std::vector<std::vector<int64_t>> trained, held_out;
  InGroup over(std::string_view dimension) const {
    const auto at = std::ranges::find(place, dimension, &PlaceIn::dimension);
    return at == place.end() ? InGroup() : InGroup{at->size, at->coordinate};
  }
};

class Task {
 public:
  virtual ~Task() = default;

  virtual Declaration declare() const = 0;       // whole, with the cuts
  virtual int64_t count(Split split) const = 0;  // samples
  // What a run that resumes must have as the one that saved, and shapes do not show: heads, a norm's eps,
  // data.
  virtual std::map<std::string, std::string> needs() const { return {}; }
  // Tokens of each training sample, where batches of like lengths are wanted (data/sampler.h); else none.
  virtual std::vector<int32_t> lengths() const { return {}; }
  virtual std::unique_ptr<Model> make(const ModelSite& site) const = 0;  // on the rank's thread
  // In the host's memory; who runs it forward moves it to the model's device.
  virtual Batch batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const = 0;
  // The batch of a training pass, on the rank's thread, where it depends on the model as it is now: answers
  // that it writes, what its reference says of them. Under ZeRO-3 the parameters are not there. batch() if
  // not overridden.
  virtual Batch training_batch(Model& model, const TrainingPass& pass) const;
  // Of so many steps the later ones need what the Task keeps from the first, as answers that serve for
  // several updates. That is not saved: checkpoints are made between such groups of steps alone.
  virtual int64_t steps_of_a_batch() const { return 1; }
  // May take from the output what backward does without.
  virtual at::Tensor loss(ModelOutput& output, const Batch& batch) const = 0;  // ()
  // Off: its value says nothing of how far the training is, as of PPO, whose tokens are new in each rollout.
  virtual bool loss_falls() const { return true; }
  virtual Score score(const ModelOutput& output, const Batch& batch) const = 0;
  // Adds what the rank sends to the other places of its copy. Nothing where it has all of it.
  virtual void predict(const ForwardedBatches& batches, RankRows& rows) const {}
};

}  // namespace ringside::inline nn
