// The lesson's parameters, the named case, and the link that stands for the case's among ranks of this
// machine.
#pragma once

#include "ringside/comm/link_model.h"
#include "ringside/lesson/config.h"
#include "ringside/train/trainer.h"

namespace ringside::lessons::step_time {

inline constexpr int64_t kReferenceBatch = 16;  // sequences: what stands for the case's micro-batch

// The case: a model of 7 billion parameters on 8 cards, each with its own port of the link. A micro-batch of
// a card has 8,192 tokens; a card computes at 40 % of an H100's 989 TFLOP/s. All of this is calculated.
struct Case {
  double parameters = 7e9, tokens = 8192, flops_per_s = 0.4 * 989e12;
  int ranks = 8;
  double compute_s() const { return 6 * parameters * tokens / flops_per_s; }  // forward and backward
  // bf16: what a rank sends in a reduce-scatter or an all-gather of the model
  double half_bytes() const { return 2 * parameters * (ranks - 1) / ranks; }
};

std::vector<ParameterSpec> parameter_specs();
TrainerConfig trainer_config(const Config& config);
double compute_s(const Config& config);  // of a micro-batch of the case that the scenario's stands for
// The same link where all is so many times smaller and everything takes so many times as long.
LinkModel scaled(const LinkModel& link, double bytes, double time);
// s of the case's step in that stage, where all that can be hidden is. A micro-batch computes c, a third of
// it in forward: the windows that hide. C is a reduce-scatter or all-gather of the whole model.
//   stage 0   g c + max(2C - 2c/3, 0)                       stage 1   g c + max(C - 2c/3, 0) + C
//   stage 2   g c + g max(C - 2c/3, 0) + C                  stage 3   g (c + max(C - c/3, 0) + max(2C - 2c/3,
//   0))
double step_at_best(const Config& config, int stage);
double step_at_best(const Config& config, const LinkModel& link, int stage);

}  // namespace ringside::lessons::step_time
