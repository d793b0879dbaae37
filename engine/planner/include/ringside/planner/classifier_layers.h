// The classifier as far as it is known without tensors: its sizes, and its layers. Each layer declares the
// parameters it uses, under Hugging Face's names, and keeps their handles; nn/layers.h and nn/norm.h compute
// with them. This is the one list of them: its order is the order of hashes, buckets and ledger.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/field.h"
#include "ringside/planner/declaration.h"

namespace ringside::inline planner {

struct ClassifierConfig;

// A norm as it is declared: which one, where it stands, and the parameters and buffers that it has.
//
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
// Whether a position's output depends on other positions. Those of one position stand first.
inline bool spans_tokens(NormKind kind) { return kind >= NormKind::kBatch; }
inline bool has_bias(NormKind kind) { return kind != NormKind::kRms; }

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

// A sequence classifier in the shape of Qwen2ForSequenceClassification.
struct ClassifierConfig {
  int64_t vocabulary = 299;  // V
  int64_t hidden = 128;      // H
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t intermediate = 528;  // I
  int64_t layers = 4;          // L
  int64_t classes = 4;         // C
  bool head_bias = false;
  bool freeze_embedding = false;
  // A language model: the head reads every position, and its classes are the vocabulary.
  bool every_position = false;
  // A language model's head has the embedding's weight, and is cut over tp as that is; over a pipeline the
  // first and the last stage keep it. A head of its own is whole at every place of tp: a classifier's has few
  // rows.
  bool tied = false;
  bool causal = true;  // off: a token sees those behind it too, padding among them
  NormKind norm = NormKind::kRms;
  NormPlace where = NormPlace::kPre;
  int64_t norm_groups = 4;  // G, of group norm
  bool norm_mask = true;    // norms that span tokens leave padding out; off: as if it were tokens
  // RMS norm, attention between its projections and SwiGLU are one node each on plain memory (nn/norm.h,
  // nn/fused.h), in less time and with less kept; off: LibTorch's operations, other bits by rounding.
  bool fused = false;
  // What the head does not read is left out. Padding: real tokens of all samples stand one behind the other,
  // (R, H) in place of (B, T, H), and attention alone, between its projections, is padded. And all but each
  // sample's last token behind the last layer's attention. With fused, on a CPU, of a causal classifier that
  // is not cut and has no dropout; other bits by rounding.
  bool packed = false;
  double norm_eps = 1e-6;
  double rope_theta = 10000.0;
  double rope_scale = 1;             // positions are multiplied by it before they turn pairs
  std::vector<int> stage_of_unit{};  // of "pp"; none: one has all (planner/pipeline_parts.h)
  int64_t learned_positions = 0;     // so many vectors are learned and added to the tokens'; 0: rotary ones
  bool attention_bias = true;        // of q, k, v: as in Qwen2; off, as in Llama
  double dropout = 0;  // p in training, behind attention and MLP, before their residual sums (nn/dropout.h)
  int64_t head_size() const { return hidden / heads; }
  int units() const { return int(layers) + 2; }
};

// The dimension of the mesh over which layers are cut, head by head and feature by feature
// (nn/tensor_parallel.h).
inline constexpr char kTensorParallel[] = "tp";

struct LinearLayer {  // x W^T + b
  Parameter weight, bias;
  // cuts: of the weight; a bias is cut where its outputs are.
  void declare(Declaration& model, const std::string& name, int64_t out, int64_t in, bool has_bias,
               const std::vector<Cut>& cuts = {});
  // grain: outputs that stay together
  static std::vector<Cut> by_outputs(int64_t grain = 1) {
    return {{.dim = 0, .over = kTensorParallel, .sections = {}, .grain = grain}};
  }
  static std::vector<Cut> by_inputs(int64_t grain = 1) {
    return {{.dim = 1, .over = kTensorParallel, .sections = {}, .grain = grain}};
  }
};

struct AttentionLayer {
  LinearLayer q, k, v, o;
  void declare(Declaration& model, const std::string& name, const ClassifierConfig& config);
};

struct SwigluLayer {
  LinearLayer gate, up, down;
  bool fused = false;  // ClassifierConfig::fused
  void declare(Declaration& model, const std::string& name, const ClassifierConfig& config);
};

struct DecoderLayer {
  NormLayer attention_norm;
  AttentionLayer attention;
  NormLayer mlp_norm;
  SwigluLayer mlp;
  void declare(Declaration& model, const ClassifierConfig& config);
};

struct ClassifierLayers {
  Parameter embedding, positions;  // positions: (learned_positions, H), or none
  std::vector<DecoderLayer> decoder;
  NormLayer norm;
  LinearLayer score;
  // A unit for the embedding, one for each decoder layer, one for norm and score. UsageError where sizes do
  // not divide.
  void declare(Declaration& model, const ClassifierConfig& config);
};

Declaration declare_classifier(const ClassifierConfig& config);
std::vector<ParameterShape> classifier_shapes(const ClassifierConfig& config);
std::string unit_name(int unit, int64_t layers);  // "embedding", "layer 0", ..., "head"

}  // namespace ringside::inline planner
