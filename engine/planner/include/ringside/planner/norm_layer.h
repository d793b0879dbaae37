// A norm as it is declared: which one, where it stands, and the parameters and buffers that it has. nn/norm.h
// computes with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ringside/planner/declaration.h"

namespace ringside::inline planner {

struct ClassifierConfig;

// Which cells of a (B, T, H) block share a mean and a variance:
enum class NormKind : uint8_t {
  kRms,        // one position's H features; no mean, no bias
  kLayer,      // one position's H features
  kBatch,      // one feature, over the real tokens of this rank's batch
  kSyncBatch,  // one feature, over the real tokens of all ranks' batches
  kGroup,      // H/G features, over the real tokens of one sample
  kInstance    // one feature, over the real tokens of one sample
};
inline constexpr std::string_view kNormKindTexts[] = {"rms",        "layer", "batch",
                                                      "sync_batch", "group", "instance"};
inline std::span<const std::string_view> texts(NormKind) { return kNormKindTexts; }
inline bool is_batch_norm(NormKind kind) { return kind == NormKind::kBatch || kind == NormKind::kSyncBatch; }
// Whether a position's output depends on other positions.
inline bool spans_tokens(NormKind kind) { return kind != NormKind::kRms && kind != NormKind::kLayer; }

// h + f(norm(h)), or norm(h + f(h)). Xiong et al. 2020, arXiv:2002.04745.
enum class NormPlace : uint8_t { kPre, kPost };
inline constexpr std::string_view kNormPlaceTexts[] = {"pre", "post"};
inline std::span<const std::string_view> texts(NormPlace) { return kNormPlaceTexts; }

// Batch norm: of its own statistics it keeps a running average, for evaluation.
struct BatchNormLayer {
  double eps = 1e-5, momentum = 0.1;
  std::string name;
  Parameter weight, bias;
  Buffer running_mean, running_var;

  // shared: the ranks add up their statistics, so their buffers are equal. Else each rank has its own.
  void declare(Declaration& model, const std::string& its_name, int64_t width, bool shared = true);
};

struct NormLayer {
  NormKind kind = NormKind::kRms;
  double eps = 0;      // under the root
  int64_t fold = 1;    // kGroup: H/G
  bool fused = false;  // kRms: ClassifierConfig::fused
  Parameter weight, bias;
  BatchNormLayer batch{};  // of the two batch norms
  void declare(Declaration& model, const std::string& name, const ClassifierConfig& config);
};

}  // namespace ringside::inline planner
