// The naive version, kept beside the bucketed one to be compared with it: after
// backward, one all-reduce a parameter, each waited for. Same bytes, no overlap,
// and as many latencies as there are parameters.
#pragma once

#include "ringside/data_parallel/strategy.h"

namespace ringside {

class NaiveDataParallel : public Strategy {
 public:
  NaiveDataParallel(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
                    Distribution options, Recorder* recorder)
      : Strategy(parameters, group, optimizer, one_parameter_a_bucket(options), Sharding{}, recorder) {}

 protected:
  void reduce(BucketStorage&) override {}  // nothing during backward
  void finish_reductions() override;

 private:
  static Distribution one_parameter_a_bucket(Distribution options) {
    options.bucket_elements = 1;
    options.overlap = true;  // so that finish_reductions comes once, at the end
    return options;
  }
};

}  // namespace ringside
