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
inline bool is_post_training(const std::string& stage) {
  return stage.starts_with(kDpo) || stage == kPpo || stage == kGrpo;
}

// The model behind a stage, on what no stage has read.
struct StageRow {
  static constexpr Columns kTable{
      "stages",      "stage",      "from",          "read [tokens]", "with a loss [tokens]",
      "text [nats]", "C++ [nats]", "answer [nats]", "right [%]"};
  std::string stage{}, from{};
  int64_t read = 0, with_loss = 0;       // tokens of samples; those whose prediction is in the loss
  double text = 0, cpp = 0, answer = 0;  // held-out loss of a byte: of texts, and of answers in rising order
  double right = 0;                      // of held-out tasks, by the likeliest bytes
};

// What it changed in the model that it began with, and what it took on rank 0.
struct ChangeRow {
  static constexpr Columns kTable{"changes",
                                  "stage",
                                  "steps",
                                  "rate",
                                  "moved [%]",
                                  "KL [nats]",
                                  "bf16 changed [%]",
                                  "answers written",
                                  "state [bytes]",
                                  "sent a step [bytes]"};
  std::string stage;
  int64_t steps = 0;
  double rate = 0;              // of AdamW
  double moved = 0;             // |after - before| / |before| of the policy's weights
  double kl = 0;                // KL(before || after) of the next byte, on held-out text
  double changed = 0;           // weights whose bf16 value is another one
  int64_t answers = 0;          // by all ranks, in training
  int64_t state = 0, sent = 0;  // parameters, gradients, optimizer; gradients and parameters of one step
  double per_step() const { return moved / (double(steps) * rate); }
};

// What the model writes behind three prompts.
struct SampleRow {
  static constexpr Columns kTable{"samples", "stage", "text", "C++", "task"};
  std::string stage, text, cpp, task;
};

// DPO's pairs: log-probabilities of whole answers, after less before.
struct PairRow {
  static constexpr Columns kTable{"pairs", "stage", "first loss", "chosen [nats]", "rejected [nats]"};
  std::string stage;
  double first_loss = 0, chosen = 0, rejected = 0;
};

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
