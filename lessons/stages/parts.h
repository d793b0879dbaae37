// What the run records of each stage.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::stages {

inline constexpr char kUntrained[] = "untrained", kPretraining[] = "pre-training", kSft[] = "SFT",
                      kSftAll[] = "SFT without a mask", kDpo[] = "DPO", kDpoNear[] = "DPO, near pairs",
                      kPpo[] = "PPO", kGrpo[] = "GRPO", kTokens[] = "few and many tokens";
inline constexpr int64_t kOldShares[] = {0, 10, 50};  // percent of the old text in continual pre-training
inline std::string continual(int64_t percent) { return fmt::format("continual, {} % old", percent); }
inline const std::string kContinued = continual(kOldShares[1]);  // the one that goes on to SFT

// The model behind a stage, on what no stage has read.
struct StageRow {
  static constexpr Columns kTable{"stages",    "stage", "old [nats]", "new [nats]", "answer [nats]",
                                  "right [%]", "text",  "C++",        "task"};
  std::string stage;
  double text = 0, cpp = 0, answer = 0;  // held-out loss of a byte: of texts, and of answers in rising order
  double right = 0;                      // of held-out tasks, by the likeliest bytes
  std::string writes_text, writes_cpp, writes_task;  // behind three prompts
};

// What a stage read, what it changed in the model that it began with, and what it took on rank 0.
struct ChangeRow {
  static constexpr Columns kTable{
      "changes",      "stage",     "from",        "steps",   "read [tokens]", "loss on [tokens]", "moved [%]",
      "moved a step", "KL [nats]", "in bf16 [%]", "answers", "state [bytes]", "sent [bytes]"};
  std::string stage, from;
  int64_t steps = 0;
  int64_t read = 0, with_loss = 0;  // tokens of samples; those whose prediction is in the loss
  double moved = 0;                 // |after - before| / |before| of the policy's weights
  double per_step = 0;              // of it, over steps and AdamW's rate
  double kl = 0;                    // KL(before || after) of the next byte, on held-out text
  double changed = 0;               // weights whose bf16 value is another one
  int64_t answers = 0;              // written by all ranks, in training
  int64_t state = 0, sent = 0;      // parameters, gradients, optimizer; gradients and parameters of one step
};

// Curves of a DPO: log-probabilities of whole answers, less those before it.
inline constexpr char kChosen[] = "chosen", kRejected[] = "rejected";

// A rank whose loss is the mean over its own answer tokens; the ranks' gradients are averaged.
struct TokenRow {
  static constexpr Columns kTable{"tokens",        "rank",        "tokens",
                                  "weight of one", "in one mean", "difference [%]"};
  int64_t rank = 0, tokens = 0;
  double weight = 0, fair = 0;  // d loss / d loss of one of its tokens; the same of the mean over all tokens
  double difference = 0;        // of the gradient, from that mean's: |difference| / |gradient|
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::stages
