// Memory: what a GPU keeps of parameters, gradients, optimizer state, activations and caches.
#include "drill.h"
#include "ringside/planner/mesh_plan.h"
#include "ringside/planner/model_config.h"
#include "ringside/planner/zero_plan.h"

namespace ringside::inline kit {
namespace {

ZeroSetup zero_of(double billions, int ranks, int stage, Precision precision = Precision::kBFloat16) {
  ZeroSetup setup;
  setup.parameters = billions * 1e9;
  setup.ranks = ranks;
  setup.stage = stage;
  setup.precision = precision;
  return setup;
}
double state_gb(const ZeroSetup& setup) { return zero_state(setup).total() / 1e9; }

DrawnQuestion ask_zero_state(Draw& draw) {
  const double psi = draw.pick({1.5, 3.0, 7.0, 8.0, 13.0, 30.0, 70.0});
  const int n = draw.pick({4, 8, 16, 32, 64}), stage = draw.pick({1, 2, 3});
  const double right = state_gb(zero_of(psi, n, stage)),
               g = zero_state(zero_of(psi, n, stage)).gradients / 1e9;
  std::vector<WrongNumber> wrong = {
      {"forgot the fp32 master copy", right - 4 * psi / n, "K = 12: master copy 4, momentum 4, variance 4."},
      {"one stage too early", state_gb(zero_of(psi, n, stage - 1)),
       "Stage 1 cuts the optimizer's state, 2 gradients too, 3 all."},
      {"nothing is sharded", 16 * psi, "From stage 1 on a GPU keeps 1/N of the optimizer's state."}};
  if (stage == 2) wrong.push_back({"fp32 gradients", right + g, "They are bf16 here: 2 bytes."});
  if (stage == 1) wrong[1] = {"gradients are cut too", state_gb(zero_of(psi, n, 2)), "That is stage 2."};
  return ask_number(
      fmt::format("{:g} billion parameters, {} GPUs, ZeRO stage {}, bf16 with AdamW and an fp32 master copy. "
                  "How many GB of parameters, gradients and optimizer state does a GPU keep?",
                  psi, n, stage),
      "GB", right, wrong,
      stage == 1   ? "4Ψ + 12Ψ/N bytes"
      : stage == 2 ? "2Ψ + 14Ψ/N bytes"
                   : "16Ψ/N bytes");
}

DrawnQuestion ask_zero_fp32(Draw& draw) {
  const double psi = draw.pick({0.5, 1.0, 3.0, 7.0});
  const int n = draw.pick({4, 8, 16}), stage = draw.pick({1, 2});
  const double right = state_gb(zero_of(psi, n, stage, Precision::kFloat32));
  return ask_number(
      fmt::format("All in fp32, AdamW: {:g} billion parameters, {} GPUs, ZeRO stage {}. How many GB of state "
                  "on a GPU?",
                  psi, n, stage),
      "GB", right,
      {{"adds a master copy", right + 4 * psi / n, "In fp32 the parameters are their own master copy."},
       {"bf16 widths", state_gb(zero_of(psi, n, stage)), "Parameters and gradients have 4 bytes each here."},
       {"forgot the optimizer", right - 8 * psi / n, "AdamW keeps momentum and variance: 8 bytes."}},
      stage == 1 ? "8Ψ + 8Ψ/N bytes" : "4Ψ + 12Ψ/N bytes");
}

DrawnQuestion ask_zero_fits(Draw& draw) {
  const int n = draw.pick({4, 8, 16, 64}), stage = draw.pick({1, 2, 3});
  const std::vector<PlanStage> plan = plan_stages(zero_of(1, n, 0));
  const auto fits = [&](int s) { return plan[size_t(s)].parameters_per_card / 1e9; };
  std::vector<WrongNumber> wrong = {
      {"nothing is sharded", fits(0), "16 bytes a parameter is stage 0."},
      {"parameters alone", 40, "Two bytes a parameter leave out gradients and optimizer."}};
  if (stage < 3)
    wrong.push_back({"one stage too late", fits(stage + 1), "Each stage cuts one kind of state more."});
  return ask_number(fmt::format("How many billion parameters fit on {} GPUs of 80 GB with ZeRO stage {}, "
                                "counting state alone (bf16, AdamW)?",
                                n, stage),
                    "billion", fits(stage), wrong, "80e9 bytes divided by the bytes a parameter on one GPU");
}

DrawnQuestion ask_bytes_of_optimizer(Draw& draw) {
  const std::string name = draw.pick<std::string>({"adamw", "sgd", "lion"});
  const double right = double(state_widths(Precision::kBFloat16, {.name = name}).optimizer);
  return ask_number(fmt::format("bf16 training with an fp32 master copy. How many bytes a parameter are the "
                                "optimizer's, master copy included, with {}?",
                                name == "sgd"    ? "SGD with momentum"
                                : name == "lion" ? "Lion"
                                                 : "AdamW"),
                    "bytes", right,
                    {{"forgot the master copy", right - 4, "It has 4 bytes, beside the optimizer's own."},
                     {"one moment too many", right + 4, "AdamW keeps two, SGD with momentum and Lion one."},
                     {"fp32 parameters and gradients", right + 8, "They are not the optimizer's."}},
                    "4 for the master copy, 4 for each moment");
}

DrawnQuestion ask_hsdp_state(Draw& draw) {
  const double psi = draw.pick({7.0, 13.0, 30.0});
  const int nodes = draw.pick({2, 4, 8}), n = 8 * nodes;
  ZeroSetup setup = zero_of(psi, n, 3);
  const double everywhere = state_gb(setup);
  setup.replicas = nodes;
  return ask_number(
      fmt::format("{:g} billion parameters, {} nodes of 8 GPUs. HSDP shards everything inside a node and "
                  "replicates over nodes (bf16, AdamW). How many GB of state has a GPU?",
                  psi, nodes),
      "GB", state_gb(setup),
      {{"shards over all GPUs", everywhere, "That is plain FSDP; here the group has 8 GPUs."},
       {"no shards", 16 * psi, "Inside the node everything is cut by 8."},
       {"optimizer alone is cut", 4 * psi + 12 * psi / 8, "Parameters and gradients are too."}},
      "16Ψ bytes over the 8 GPUs of a node");
}

MeshSetup gpt(Draw& draw, int64_t micro) {
  const int64_t heads = draw.pick({16, 32, 40}), tokens = draw.pick({1024, 2048, 4096});
  return {.model = gpt_model("gpt", 24, heads * 128, heads, 51200, tokens),
          .gpu = gpu_named("a100"),
          .batch = micro,
          .tokens = tokens,
          .attention = AttentionKernel::kPlain};
}

DrawnQuestion ask_layer_activations(Draw& draw) {
  const int64_t b = draw.pick({1, 2, 4});
  const MeshSetup setup = gpt(draw, b);
  const auto mb = [&](Recompute kind) {
    return layer_activations(setup, {.micro = b, .recompute = kind}) / 1e6;
  };
  const double sbh = double(setup.tokens * b * setup.model.hidden) / 1e6, right = mb(Recompute::kNothing);
  return ask_number(fmt::format("A GPT layer in 16 bits, no tensor parallelism, nothing recomputed, plain "
                                "attention: b = {}, s = {}, h = {}, {} heads. How many MB of activations?",
                                b, setup.tokens, setup.model.hidden, setup.model.heads),
                    "MB", right,
                    {{"no attention scores", mb(Recompute::kSelective),
                      "5as/h: softmax, its dropout and mask keep a s² values each."},
                     {"the input alone", 2 * sbh, "That is full recomputation."},
                     {"in fp32", 2 * right, "34 and 5 already count bytes of 16-bit values."}},
                    "s b h (34 + 5 a s / h) bytes");
}

DrawnQuestion ask_selective(Draw& draw) {
  const int64_t b = draw.pick({1, 2, 4});
  const MeshSetup setup = gpt(draw, b);
  const auto mb = [&](Recompute kind) {
    return layer_activations(setup, {.micro = b, .recompute = kind}) / 1e6;
  };
  return ask_number(
      fmt::format("A GPT layer, b = {}, s = {}, h = {}, {} heads, 16 bits. With flash attention, or with "
                  "selective recomputation, how many MB of activations stay?",
                  b, setup.tokens, setup.model.hidden, setup.model.heads),
      "MB", mb(Recompute::kSelective),
      {{"scores are kept", mb(Recompute::kNothing), "They are computed again in the backward."},
       {"the input alone", mb(Recompute::kFull), "That is full recomputation: 2 s b h."}},
      "34 s b h bytes: nothing is left that grows with s²");
}

DrawnQuestion ask_full_recompute(Draw& draw) {
  const int64_t b = draw.pick({1, 2, 4}), layers = draw.pick({24, 32, 48, 80});
  const MeshSetup setup = gpt(draw, b);
  const double kept = layer_activations(setup, {.micro = b, .recompute = Recompute::kFull}) / 1e9,
               l = double(layers);
  return ask_number(fmt::format("{} layers, each recomputed in full; b = {}, s = {}, h = {}, 16 bits. How "
                                "many GB are kept until the backward begins?",
                                layers, b, setup.tokens, setup.model.hidden),
                    "GB", l * kept,
                    {{"one layer's input", kept, "Every layer keeps its own input."},
                     {"34 bytes an element", 17 * l * kept, "That is without recomputation."},
                     {"in fp32", 2 * l * kept, "The input has 2 bytes an element."}},
                    "L · 2 s b h bytes; while a layer is recomputed, its own activations come on top");
}

MeshModel packaged(const std::string& name) {
  return mesh_model(read_model_config(packaged_model(name)), name);
}

DrawnQuestion ask_kv_cache(Draw& draw) {
  const std::string name =
      draw.pick<std::string>({"llama_2_7b", "llama_3_1_8b", "llama_3_2_1b", "qwen2_5_7b", "qwen2_5_0_5b"});
  const MeshModel m = packaged(name);
  const double kib = 2.0 * 2 * double(m.layers) * m.keys() / 1024;
  std::vector<WrongNumber> wrong = {
      {"keys alone", kib / 2, "Values are cached too."},
      {"in fp32", 2 * kib, "It has the 2 bytes of the computation."},
      {"one layer", kib / double(m.layers), "Each layer has a cache of its own."}};
  if (m.heads != m.kv_heads)
    wrong.push_back(
        {"all query heads", kib * m.queries() / m.keys(), "Grouped queries share keys: count kv heads."});
  return ask_number(fmt::format("{}: {} layers, {} heads, {} kv heads of {} values. How many KiB does a "
                                "token add to a 16-bit KV cache?",
                                name, m.layers, m.heads, m.kv_heads, m.head_size),
                    "KiB", kib, wrong, "2 (keys, values) · 2 bytes · layers · kv heads · head size");
}

DrawnQuestion ask_kv_total(Draw& draw) {
  const MeshModel m = packaged("llama_3_1_8b");
  const int64_t tokens = draw.pick({8192, 32768, 131072}), requests = draw.pick({1, 4, 16, 32});
  const double gib = 4.0 * double(m.layers * tokens * requests) * m.keys() / (1 << 30);
  return ask_number(fmt::format("Llama 3.1 8B ({} layers, {} kv heads of {}): {} requests of {} tokens each. "
                                "How many GiB is the 16-bit KV cache?",
                                m.layers, m.kv_heads, m.head_size, requests, tokens),
                    "GiB", gib,
                    {{"all query heads", gib * m.queries() / m.keys(), "8 kv heads serve 32 query heads."},
                     {"keys alone", gib / 2, "Values too."},
                     {"one layer", gib / double(m.layers), "Every layer has a cache."}},
                    "4 bytes · layers · kv heads · head size · tokens · requests");
}

DrawnQuestion ask_logits(Draw& draw) {
  const int64_t b = draw.pick({1, 2, 4, 8}), s = draw.pick({2048, 4096, 8192}),
                v = draw.pick({32000, 128256, 151936});
  const double gb = double(b * s * v) * 4 / 1e9;
  return ask_number(
      fmt::format("{} sequences of {} tokens, a vocabulary of {}. How many GB are the logits in fp32?", b, s,
                  v),
      "GB", gb,
      {{"in bf16", gb / 2, "The loss wants them in fp32: 4 bytes."},
       {"the last position alone", gb / double(s), "In training every position has a loss."},
       {"with their gradient", 2 * gb, "That comes on top; asked is the logits."}},
      "b · s · V · 4 bytes");
}

DrawnQuestion ask_scores(Draw& draw) {
  const int64_t b = draw.pick({1, 2}), a = draw.pick({32, 40}), s = draw.pick({2048, 4096, 8192});
  const double gb = double(b * a * s * s) * 2 / 1e9;
  return ask_number(fmt::format("Plain attention in 16 bits, a micro-batch of {} with {} tokens each, {} "
                                "heads. How many GB has one layer's matrix of scores?",
                                b, s, a),
                    "GB", gb,
                    {{"one head", gb / double(a), "Each head has an s × s matrix."},
                     {"linear in s", gb / double(s), "Every token looks at every token."},
                     {"in fp32", 2 * gb, "16 bits are 2 bytes."}},
                    "b · a · s² · 2 bytes");
}

DrawnQuestion ask_model_bytes(Draw& draw) {
  const std::string name =
      draw.pick<std::string>({"llama_2_7b", "llama_3_1_8b", "llama_3_2_1b", "qwen2_5_7b"});
  const double gb = packaged(name).parameters() * 2 / 1e9;
  return ask_number(
      fmt::format("How many GB are the weights of {} ({:.2f} billion parameters) in bf16?", name, gb / 2),
      "GB", gb,
      {{"in fp32", 2 * gb, "bf16 has 2 bytes."},
       {"in 8 bits", gb / 2, "bf16 has 16."},
       {"with AdamW's state", 8 * gb, "16 bytes a parameter are for training."}},
      "2 bytes a parameter");
}

}  // namespace

std::vector<Drill> drills_of_memory() {
  const std::string t = "memory", zero = "arXiv:1910.02054", seq = "arXiv:2205.05198";
  return {
      {"zero_state", t, 1, "zero", zero, "ringside run zero stage=2 ranks=8", ask_zero_state,
       "bf16 parameters and gradients have 2 bytes each, AdamW 12: master copy, momentum, variance, 4 each. "
       "Stage 1 cuts the 12 by N, stage 2 the gradients too, stage 3 all 16.",
       "Activations, buffers and fragments come on top; a framework that adds gradients up in fp32 has 18 "
       "bytes."},
      {"zero_fp32", t, 2, "zero", zero, "ringside run zero precision=fp32", ask_zero_fp32,
       "In fp32: 4 bytes of parameters, 4 of gradients, 8 of AdamW's two moments. There is no master copy.",
       "At stage 0 fp32 and bf16 both have 16 bytes: low precision saves activations and time, no state."},
      {"zero_fits", t, 2, "fits", zero, "ringside plan zero --parameters 7.5e9 --ranks 64", ask_zero_fits,
       "Divide the card by the bytes a parameter: 16 at stage 0, 4 + 12/N, 2 + 14/N, 16/N. Only stage 3 "
       "grows with N without a bound.",
       "A card is never full of state: activations, logits, the gathered layer of stage 3 and 2 GB of "
       "context need room."},
      {"optimizer_bytes", t, 1, "optimizers", zero, "ringside run optimizers", ask_bytes_of_optimizer,
       "The master copy has 4 bytes. Each moment has 4: AdamW two, SGD with momentum and Lion one.",
       "Adafactor keeps sums of rows and columns, 8-bit optimizers quantize moments: name what they lose."},
      {"hsdp_state", t, 2, "hybrid", "arXiv:2304.11277", "ringside run hybrid", ask_hsdp_state,
       "The shard group is the node, so every kind of state is cut by 8, whatever the number of nodes. "
       "Gradients are all-reduced between nodes.",
       "It trades memory for traffic: parameters never cross a node's border, shards of gradients do."},
      {"layer_activations", t, 3, "recompute", seq, "ringside run recompute", ask_layer_activations,
       "The linear parts keep 34 s b h bytes: inputs of products, two dropout masks, GELU. Attention keeps 5 "
       "a s² b: softmax, its dropout's output and mask.",
       "Tensor parallelism cuts 24 of the 34 by t, sequence parallelism the other 10."},
      {"selective", t, 2, "recompute", seq, "ringside run recompute", ask_selective,
       "Scores are recomputed from q, k and v, which are kept. They are most of the memory and little of the "
       "time.",
       "Flash attention does so inside its kernel and keeps one number a row for the backward."},
      {"full_recompute", t, 2, "recompute", seq, "ringside run recompute", ask_full_recompute,
       "Each layer keeps its input, 2 bytes an element, and runs its forward again before its backward. That "
       "costs a third more compute.",
       "The peak is all inputs and one layer's activations, so an uneven layer sets it."},
      {"kv_cache", t, 1, "context", "arXiv:2305.13245", "ringside run context", ask_kv_cache,
       "Each layer keeps a key and a value a kv head for each token. Grouped queries have fewer kv heads "
       "than heads.",
       "Multi-head latent attention caches one compressed vector; a quantized cache halves it again."},
      {"kv_total", t, 2, "context", "arXiv:2309.06180", "ringside run context", ask_kv_total,
       "The cache grows with tokens and with requests; weights do not. It bounds how many requests a card "
       "serves at once.",
       "Pages of a few tokens avoid the space that a reservation for the longest answer wastes."},
      {"logits", t, 2, "fits", "a common belief", "ringside run fits", ask_logits,
       "Every position has a score for every word, and the loss needs fp32. Their gradient has the same size "
       "again.",
       "Compute the loss in chunks of tokens, or cut the vocabulary over tp."},
      {"scores", t, 1, "context", "arXiv:2205.14135", "ringside run context", ask_scores,
       "Each head has a score for each pair of tokens: twice the text, four times the memory.",
       "Flash attention never writes the matrix; its compute stays quadratic."},
      {"model_bytes", t, 1, "fits", "a common belief", "ringside run fits", ask_model_bytes,
       "bf16 has 2 bytes a parameter: 8 billion are 16 GB. GB are 1e9 bytes, GiB 7 % more.",
       "Serving adds the KV cache, training 14 more bytes a parameter."},
  };
}

}  // namespace ringside::inline kit
