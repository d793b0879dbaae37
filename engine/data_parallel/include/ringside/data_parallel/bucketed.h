// Data parallelism: every rank keeps everything; gradients are all-reduced in
// buckets, each as soon as it is full, while backward goes on with the layers below.
// Li et al. 2020, "PyTorch Distributed", arXiv:2006.15704.
//
// Per rank and step: state 16 bytes a parameter, traffic 2 (N-1)/N elements a parameter.
#pragma once

#include "ringside/data_parallel/strategy.h"

namespace ringside {

class BucketedDataParallel : public Strategy {
 public:
  BucketedDataParallel(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
                       const Distribution& options, Recorder* recorder)
      : Strategy(parameters, group, optimizer, options, Sharding{}, recorder) {}

 protected:
  void reduce(BucketStorage& bucket) override;
};

}  // namespace ringside
