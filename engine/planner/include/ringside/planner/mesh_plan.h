// Every mesh of dp, tp and pp on which a transformer could be trained: what a GPU of it keeps and sends, how
// long a step takes, which are the best, and why the others fail. From sizes and facts alone, without a run.
//
//   N = dp tp pp ranks; a step of B sequences of T tokens; m = B / (dp b) micro-batches of b sequences
//   p stages hold the layers in p v parts; where L does not divide, L + 2 may: embedding and head then stand
//   for a layer each, and the first and the last part have one layer less (Llama 3 405B: arXiv:2407.21783,
//   section 3.3)
//
// The parts: mesh_memory.cpp, mesh_traffic.cpp, layer_time.h, mesh_time.cpp. How far they are from measured
// runs: notes/plan_mesh.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/comm/link_model.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/model_config.h"

namespace ringside::inline planner {

inline constexpr double kInsideShare = 370.0 / 450;
inline constexpr double kBetweenShare = 0.92;
inline constexpr double kKernelLaunch = 4e-6;  // s, the least that a kernel costs

// What a GPU can do, as far as a plan needs it: facts of its data sheet, and a few shares of them that
// programs reach. A share is one number for all sizes of model, batch and mesh; none belongs to a published
// run.
//
//   product_share    of flops, in a large matrix product of bf16; what flatter ones lose is layer_time.h's
//   attention_share  of flops, in flash attention, forward and backward, counting the products under the
//                    causal mask alone
//   memory_share     of the memory's bandwidth, over the passes of a layer that are bound by it
//   inside           one direction of a GPU's NVLinks; NCCL's protocol leaves 370 of an H100's 450 GB/s
//                    (github.com/NVIDIA/nccl-tests, issue 212), which is taken for all of them
//   between          one network card a GPU; 96 of 100 GB/s (issue 119 there), less headers
struct GpuFacts {
  std::string name;   // "h100"
  std::string title;  // "H100 SXM, 80 GB"
  // As its name says it, GB of 10^9. A driver shows 7 % more (85.5e9 on an H100 of 80 GB): that is left to
  // the gaps of an allocator.
  double memory_bytes = 0;
  double flops = 0;               // dense bf16 (V100: fp16) operations a second
  double memory_bytes_per_s = 0;  // of the data sheet
  int node_ranks = 8;             // GPUs that NVLink joins
  LinkModel inside{}, between{};  // of the data sheet, one direction
  double product_share = 0.7, attention_share = 0.4, memory_share = 0.75;
  std::string source;  // where the facts are from, and whether the shares were measured
};

const std::vector<GpuFacts>& known_gpus();
// UsageError naming those that are known.
GpuFacts gpu_named(const std::string& name);

// The sizes of a transformer as a plan of meshes needs them, and what follows from sizes alone: elements of a
// place, operations of a step.
//
//   cut over tp    q, k, v, gate and up by rows, o and down by columns, with the biases of those rows; the
//                  embedding and a language model's head by rows of the vocabulary
//   whole          norms, biases of o and down, learned positions, a classifier's head
struct MeshModel : TextSizes {
  std::string name{};
  int64_t classes = 0;      // of a classifier's head, which is not cut; 0: a language model's
  int64_t positions = 0;    // learned ones; 0: rotary
  bool gated = true;        // gate and up (SwiGLU); off: one matrix and GELU
  bool layer_norm = false;  // gain and bias; off: RMS norm
  bool dropout = false;     // behind attention, its product and the MLP
  bool head_bias = false;

  double queries() const { return double(heads * head_size); }
  double keys() const { return double(kv_heads * head_size); }  // as many values
  double parameters() const;
};

MeshModel mesh_model(const ModelConfig& config, const std::string& name);  // its text; without a vision tower
// Megatron-LM's GPT: biases, GELU of 4 h, layer norm, dropout, learned positions, a tied head.
MeshModel gpt_model(const std::string& name, int64_t layers, int64_t hidden, int64_t heads,
                    int64_t vocabulary, int64_t positions);

// Elements that one of tp places has.
double layer_elements(const MeshModel& model, int64_t tp);
double norm_elements(const MeshModel& model);  // of a layer's two
double embedding_elements(const MeshModel& model, int64_t tp);
double head_elements(const MeshModel& model,
                     int64_t tp);  // with the last norm; a tied head has its matrix too

// Operations (multiplications and additions) of one token's forward: of a layer's products, of its attention
// over so many tokens (in full, as Megatron-LM counts it, also where a mask hides half), of the head. A step
// has three times as many; for GPT that is 72 B s l h^2 (1 + s / 6h + V / 12lh), arXiv:2104.04473
// section 5.1.
double product_flops(const MeshModel& model);
double attention_flops(const MeshModel& model, double tokens);
double head_flops(const MeshModel& model);
double step_flops(const MeshModel& model, double batch, double tokens);

enum class Recompute : uint8_t { kNothing, kSelective, kFull };
inline constexpr std::string_view kRecomputeTexts[] = {"none", "selective", "full"};
inline std::span<const std::string_view> texts(Recompute) { return kRecomputeTexts; }
enum class AttentionKernel : uint8_t { kFlash, kPlain };
inline constexpr std::string_view kAttentionKernelTexts[] = {"flash", "plain"};
inline std::span<const std::string_view> texts(AttentionKernel) { return kAttentionKernelTexts; }

struct MeshSetup {
  MeshModel model;
  GpuFacts gpu;
  int64_t ranks = 1;
  int64_t batch = 1;   // B, sequences of a step
  int64_t tokens = 1;  // T
  AttentionKernel attention = AttentionKernel::kFlash;
  int gradient_bytes = 4;  // what gradients are added up in
  // How a framework runs it. tp: the backward's calls hide behind the products of weight gradients; dp:
  // gradients (and ZeRO's parameters) hide behind the backward (and forward) of one micro-batch.
  bool hides_tensor = true, hides_data = true;
  // Kernels keep what their backward needs: SwiGLU gate, up and product, positions nothing. Off: as eager
  // PyTorch keeps it, the result of each operation.
  bool fused = true;
  // A message of pp goes in tp parts, which the places of tp gather (arXiv:2104.04473, section 4.1). Off:
  // each place sends all that it has.
  bool scatters_messages = true;
  // With sequence parallelism the gathered inputs of products are kept, not gathered again.
  bool keeps_gathered = false;
};

struct MeshShape {
  int64_t dp = 1, tp = 1, pp = 1;
  int64_t chunks = 1;        // v; 1: 1F1B, more: interleaved 1F1B
  bool zero_bubble = false;  // ZB-H1 (arXiv:2401.10241), v = 1
  int64_t micro = 1;         // b, sequences of a micro-batch
  int stage = 1;             // ZeRO's; 2 and 3 with pp = 1
  bool sequence = false;
  Recompute recompute = Recompute::kNothing;
  int64_t fullest_layers = 0;  // of the stage with the most, where a framework cuts otherwise; 0: as above
  int64_t micro_batches(int64_t batch) const { return batch / (dp * micro); }
};

// Bytes of one rank, of the stage that needs the most.
struct MeshMemory {
  double parameters = 0, gradients = 0, optimizer = 0;  // bf16; gradient_bytes; fp32 copy and AdamW's moments
  double activations = 0;                               // of all micro-batches that live at once
  double logits = 0;                                    // bf16, fp32 and their gradient: of the last stage
  double gathered = 0;                                  // ZeRO 3: whole parameters of two neighbouring units
  double staged = 0;   // ZeRO 2, 3: a unit's gradients before their reduction
  double context = 0;  // CUDA's and NCCL's own: an estimate
  double allocated() const {
    return parameters + gradients + optimizer + activations + logits + gathered + staged;
  }
  double total() const { return allocated() + context; }
};
inline constexpr double kContextBytes = 2e9;
MeshMemory mesh_memory(const MeshSetup& setup, const MeshShape& shape);
MeshMemory stage_memory(const MeshSetup& setup, const MeshShape& shape, int64_t stage);  // of pp
// Of one layer and micro-batch, Korthikanti et al. 2022, arXiv:2205.05198, section 4; for GPT s b h (34 + 5 a
// s / h).
double layer_activations(const MeshSetup& setup, const MeshShape& shape);

// Bytes that one rank sends in a step, by dimension; of the stage that sends the most.
struct MeshTraffic {
  double tensor = 0, pipeline = 0, data = 0;
};
MeshTraffic mesh_traffic(const MeshSetup& setup, const MeshShape& shape);
MeshTraffic stage_traffic(const MeshSetup& setup, const MeshShape& shape, int64_t stage);  // of pp

// Seconds of a step on the busiest stage: what it waits for is what nothing hides.
struct MeshTime {
  double compute = 0;   // products, attention, what memory bounds
  double tensor = 0;    // tp's calls
  double bubble = 0;    // waiting for the pipeline to fill and to drain, and for a slower stage
  double messages = 0;  // pp's
  double data = 0;      // dp's calls
  double update = 0;    // of the optimizer
  double total() const { return compute + tensor + bubble + messages + data + update; }
};
MeshTime mesh_time(const MeshSetup& setup, const MeshShape& shape);    // by closed forms
MeshTime replay_mesh(const MeshSetup& setup, const MeshShape& shape);  // its schedule on a virtual clock
inline constexpr int64_t kMostReplayedPasses = 2'000'000;              // of more it is mesh_time()
// Of the model's operations alone, without those that recompute.
double flops_utilization(const MeshSetup& setup, double seconds);

struct MeshRow {
  MeshShape shape;
  MeshMemory memory;
  MeshTraffic traffic;
  MeshTime time;
  double utilization = 0;
};

// What is tried. A value of 0 (or none): every one.
struct MeshSearch {
  int64_t dp = 0, tp = 0, pp = 0, chunks = 0, micro = 0;
  std::vector<int> stages = {0, 1, 2, 3};
  std::vector<Recompute> recompute = {Recompute::kNothing, Recompute::kSelective, Recompute::kFull};
  std::vector<bool> sequence = {false, true};
  bool zero_bubble = false;  // ZB-H1 in the place of 1F1B
};

// Those that fail for one reason, together: "20 meshes: tp 16 is more than a node's 8".
struct MeshRefusal {
  int64_t count = 0;
  std::string reason;
};
struct MeshPlan {
  int64_t meshes = 0;                 // (dp, tp, pp) with the product N
  int64_t settings = 0, fitting = 0;  // with v, b, ZeRO's stage, sequence and recompute: tried, and in memory
  std::vector<MeshRow> best;          // the fastest of each mesh, the fastest first
  std::vector<MeshRefusal> refusals;  // of meshes, then of settings; the most frequent first
};
// UsageError for sizes out of range.
MeshPlan plan_meshes(const MeshSetup& setup, const MeshSearch& search = {});
std::vector<int64_t> divisors(int64_t ranks);  // the sizes that a dimension of their mesh can have

inline constexpr size_t kReplayedMeshes = 16;
inline constexpr int64_t kMostPlannedRanks = 1 << 17;

}  // namespace ringside::inline planner
