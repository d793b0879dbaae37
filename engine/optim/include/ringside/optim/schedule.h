// Learning-rate schedules: a factor in [0, 1] for step 0 .. total-1.
//   constant: 1       linear: 1 - x       cosine: (1 + cos(pi x)) / 2
// with x the fraction of steps after the warm-up, which climbs linearly from 1/warmup to 1.
// Cosine: Loshchilov, Hutter 2016, arXiv:1608.03983.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::inline optim {

struct Schedule {
  std::string name = "cosine";  // "constant", "linear", "cosine"
  int64_t warmup = 0;           // steps
  int64_t total = 1;            // steps
};
// UsageError at every step for another name, or a warm-up below 0.
double schedule_factor(const Schedule& schedule, int64_t step);

}  // namespace ringside::inline optim
