// What is timed by `ringside bench optimizers`: passes over memory that is far larger than the caches.
//
//   triad            a = b + s c         12 bytes an element: two floats are read, one is written
//   an optimizer     its update          4 for the gradient, 8 for the weight, 8 for each state it keeps
//
// McCalpin's STREAM counts the triad so (https://www.cs.virginia.edu/stream/). A plain store makes the
// processor read the line first, which nobody counts: 16 bytes move. A streaming store does not, and the
// faster of the two is the machine's. An update in place has read what it writes and pays nothing more.
#pragma once

#include <memory>
#include <vector>

#include "ringside/optim/optimizer.h"

namespace ringside {

// n floats at a multiple of 64 bytes, none of them 0 or denormal.
class Floats {
 public:
  Floats(int64_t count, float scale);
  float* data() const { return values_.get(); }

 private:
  struct Free {
    void operator()(float* values) const;
  };
  std::unique_ptr<float[], Free> values_;
};

inline constexpr int64_t kTriadBytes = 12;

class Triad {
 public:
  explicit Triad(int64_t count) : count_(count), a_(count, 1), b_(count, 1), c_(count, 1) {}
  void run(int threads, bool streaming);
  static bool can_stream();  // streaming stores are written for x86-64

 private:
  int64_t count_;
  Floats a_, b_, c_;
};

// fp32 weights and gradients, no bf16 copy.
int64_t bytes_per_parameter(const Optimizer& optimizer);

// One optimizer's update of n parameters in one piece.
class FusedPass {
 public:
  FusedPass(Optimizer optimizer, int64_t count);
  void run(int threads);
  const Optimizer& optimizer() const { return optimizer_; }

 private:
  Optimizer optimizer_;
  int64_t count_, step_ = 0;
  Floats weights_, gradient_;
  std::vector<Floats> state_;
};

int64_t last_level_cache_bytes();  // what the first core shares with others; 0 where the system does not tell

}  // namespace ringside
