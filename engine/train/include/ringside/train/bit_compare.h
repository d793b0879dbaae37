// Whether two trainings have the same bits after every step, and if not, where
// they first part: step, tensor, element and distance.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/train/trainer.h"

namespace ringside::inline training {

struct Difference {
  int64_t step = 0;               // the first step after which bits differ
  std::string tensor;             // the first tensor, in order of construction
  int64_t element = 0;            // its first element that differs
  int64_t elements = 0;           // how many of the tensor differ
  double distance = 0;            // the largest |a - b| in that tensor
  int64_t ulps = 0;               // the largest distance in units in the last place
  float mine = 0, reference = 0;  // both values of that element
  int64_t of_elements = 0;        // that the tensor has
};
std::string to_string(const Difference& difference);

// Every parameter after every step of a reference run. fp32 parameters.
class BitReference {
 public:
  ParameterObserver recorder();  // pass it to the reference run

  // One other run's comparison with it.
  class Comparison {
   public:
    explicit Comparison(const BitReference& reference) : reference_(reference) {}
    ParameterObserver observer();  // pass it to that run; must not outlive this
    const std::optional<Difference>& first_difference() const { return difference_; }
    int64_t compared_steps() const { return steps_; }

   private:
    void compare(int64_t step, size_t index, const std::string& name, ConstView values);
    const BitReference& reference_;
    std::optional<Difference> difference_;
    size_t differing_index_ = 0;
    int64_t steps_ = 0;
  };

 private:
  std::map<std::pair<int64_t, size_t>, std::vector<float>> values_;
};

// Where a training, of which nothing else is kept, first parts from it. CancelledError: the control did that.
std::optional<Difference> difference_from(const BitReference& reference, const TrainerConfig& config,
                                          const Dataset& dataset, TrainerHooks hooks = {});

}  // namespace ringside::inline training
