// The engine's classifier, trained on a parameter server: its parameters as keys, its batches as a worker's
// task. Under BSP, in fp32 and without filters it has the bits of data parallelism (train/trainer.h) on the
// same configuration: the same samples a rank, gradients added up in rank order, the same update.
//
//   key       an element of a trainable parameter; parameters with the same hyperparameters are one group of
//             keys, in the model's order
//   worker r  pulls all keys, computes on what the sampler gives rank r, and pushes the sum of its gradients
//   server    divides by the samples of the step, and applies the optimizer's rule to its ranges
//
// Torch-free: the caller sees keys and values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/parameter_server/worker.h"
#include "ringside/train/trainer.h"

namespace ringside::inline server_train {

class ServedClassifier {
 public:
  // Of config: the model, the data's order, the optimizer and its schedule, ranks as workers. UsageError for
  // what a server of elements cannot do: bf16, clipping, an update that is not elementwise, norms that keep
  // statistics of a batch, groups of parameters with rates of their own.
  ServedClassifier(const TrainerConfig& config, const Dataset& dataset);
  ~ServedClassifier();

  // Groups, initial values and the number of workers; servers, copies and consistency are the caller's.
  ps::Cluster cluster() const;
  uint64_t keys() const;

  // For the thread on which it is called, with a model of its own.
  ps::WorkerTask task(uint32_t rank) const;

  // Of values by key.
  std::string parameters_sha256(const std::vector<float>& values) const;  // as TrainResult's
  struct Score {
    double loss = 0, accuracy = 0;
  };
  Score evaluate(const std::vector<float>& values) const;  // on the held-out samples

 private:
  struct Layout;
  class Replica;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace ringside::inline server_train
