// Speed: operations, utilization, what a step waits for.
#include <algorithm>
#include <cmath>

#include "drill.h"
#include "ringside/planner/mesh_plan.h"

namespace ringside::inline kit {
namespace {

DrawnQuestion ask_mfu(Draw& draw) {
  const double psi = draw.pick({7.0, 8.0, 13.0, 70.0}), share = draw.pick({0.3, 0.4, 0.5}),
               peak = gpu_named("h100").flops;
  const double tokens = std::round(share * peak / (6 * psi * 1e9)),
               right = 100 * 6 * psi * 1e9 * tokens / peak;
  return ask_number(
      fmt::format("{:g} billion parameters, {:g} tokens a second on each H100 ({:g} TFLOP/s in dense bf16). "
                  "What is the MFU in %, by 6Ψ a token?",
                  psi, tokens, peak / 1e12),
      "%", right,
      {{"forward alone", right / 3, "2Ψ forward, 4Ψ backward."},
       {"sparse peak", right / 2, "The data sheet's larger figure is with sparsity."},
       {"with recomputation", right * 4 / 3, "That is HFU: MFU counts the model's own operations."}},
      "6 Ψ · tokens a second / peak");
}

DrawnQuestion ask_training_days(Draw& draw) {
  const double psi = draw.pick({1.0, 7.0, 8.0, 70.0}), trillions = draw.pick({1.0, 2.0, 15.0}),
               gpus = draw.pick({256.0, 1024.0, 2048.0});
  const double right = 6 * psi * 1e9 * trillions * 1e12 / (gpus * 989e12 * 0.4) / 86400;
  return ask_number(fmt::format("{:g} billion parameters, {:g} trillion tokens, {:g} H100 of 989 TFLOP/s at "
                                "40 % MFU. How many days?",
                                psi, trillions, gpus),
                    "days", right,
                    {{"at the peak", right * 0.4, "40 % of it are reached."},
                     {"forward alone", right / 3, "6Ψ a token, not 2Ψ."},
                     {"with recomputation", right * 4 / 3, "MFU counts it out already."}},
                    "6 Ψ D / (GPUs · peak · MFU)");
}

DrawnQuestion ask_global_batch(Draw& draw) {
  const int64_t ranks = draw.pick({64, 128, 256}), tp = draw.pick({2, 4, 8}), pp = draw.pick({1, 2, 4}),
                micro = draw.pick({1, 2}), g = draw.pick({4, 8, 16});
  const auto right = double(ranks / (tp * pp) * micro * g);
  return ask_number(
      fmt::format("{} GPUs, tp = {}, pp = {}, micro-batches of {} sequences, {} of them a step. How many "
                  "sequences is the global batch?",
                  ranks, tp, pp, micro, g),
      "sequences", right,
      {{"all GPUs", double(ranks * micro * g), "GPUs of one copy share its samples."},
       {"tp alone", double(ranks / tp * micro * g), "Stages of a pipeline are one copy too."},
       {"no accumulation", right / double(g), "A step has g micro-batches."}},
      "N / (tp pp) · b · g");
}

DrawnQuestion ask_overlap(Draw& draw) {
  const double forward = draw.pick({100.0, 120.0}), backward = 2 * forward,
               comm = draw.pick({80.0, 150.0, 260.0, 300.0}), right = forward + std::max(backward, comm);
  return ask_number(fmt::format("Forward {:g} ms, backward {:g} ms, gradients' all-reduce {:g} ms, all of it "
                                "hidden behind the backward as far as it goes. How many ms is a step?",
                                forward, backward, comm),
                    "ms", right,
                    {{"one after the other", forward + backward + comm, "They run side by side."},
                     {"the forward hides it too", std::max(backward, comm),
                      "Gradients come in the backward: the forward is over."},
                     {comm > backward ? "communication is free" : "the backward is free",
                      comm > backward ? forward + backward : forward + comm,
                      "The longer of backward and communication shows."}},
                    "forward + max(backward, communication)");
}

DrawnQuestion ask_decode(Draw& draw) {
  const double psi = draw.pick({7.0, 8.0, 13.0}), bw = draw.pick({1.555, 2.039, 3.35}),
               right = bw * 1e12 / (2 * psi * 1e9);
  return ask_number(fmt::format("One request, bf16 weights of {:g} billion parameters, memory of {:g} TB/s, "
                                "the KV cache aside. How many tokens a second at most?",
                                psi, bw),
                    "tokens", right,
                    {{"8-bit weights", 2 * right, "bf16 has 2 bytes."},
                     {"fp32", right / 2, "bf16 has 2 bytes."},
                     {"bound by operations", 989e12 / (2 * psi * 1e9),
                      "With one request every weight is read for two operations."}},
                    "bandwidth / bytes of the weights");
}

DrawnQuestion ask_ridge(Draw& draw) {
  const GpuFacts facts = gpu_named(draw.pick<std::string>({"a100", "h100"}));
  const double right = facts.flops / facts.memory_bytes_per_s;
  return ask_number(fmt::format("{}: {:.0f} TFLOP/s, {:.2f} TB/s. How many operations a byte must a kernel "
                                "do to be bound by operations?",
                                facts.title, facts.flops / 1e12, facts.memory_bytes_per_s / 1e12),
                    "", right,
                    {{"a value of 2 bytes", 2 * right, "Asked is a byte."},
                     {"in fp32 values", 4 * right, "Asked is a byte."},
                     {"a multiply-add is one", right / 2, "Data sheets count it as two."}},
                    "peak / bandwidth");
}

DrawnQuestion ask_matmul_flops(Draw& draw) {
  const int64_t m = draw.pick({1024, 2048, 4096}), k = draw.pick({4096, 8192}), n = draw.pick({4096, 14336});
  const double g = double(m) * double(k) * double(n) / 1e9;
  return ask_number(
      fmt::format(
          "A product of ({}, {}) and ({}, {}). How many billion operations, forward and backward together?",
          m, k, k, n),
      "billion", 6 * g,
      {{"forward alone", 2 * g, "The backward has two products of the same size."},
       {"multiplications alone", 3 * g, "Additions count as well."},
       {"one product in the backward", 4 * g, "Gradients of the input and of the weights."}},
      "2 m k n, three times");
}

DrawnQuestion ask_amdahl(Draw& draw) {
  const double serial = draw.pick({5.0, 10.0, 20.0}), n = draw.pick({8.0, 16.0, 64.0}),
               right = 1 / (serial / 100 + (1 - serial / 100) / n);
  return ask_number(fmt::format("{:g} % of a step cannot be split over ranks (data loading, say). How much "
                                "faster are {:g} ranks at most?",
                                serial, n),
                    "times", right,
                    {{"linear", n, "The serial part stays."},
                     {"the limit", 100 / serial, "That is for endless ranks."},
                     {"a share lost", n * (1 - serial / 100), "Amdahl: 1 / (s + (1-s)/N)."}},
                    "1 / (s + (1-s)/N)");
}

DrawnQuestion ask_checkpoint_interval(Draw& draw) {
  const double minutes = draw.pick({1.0, 2.0, 5.0}), hours = draw.pick({3.0, 8.0, 24.0}),
               right = std::sqrt(2 * minutes * hours * 60);
  return ask_number(
      fmt::format("A checkpoint takes {:g} min of training time, a failure comes every {:g} h on average. "
                  "How many minutes between checkpoints are best, by Young's formula?",
                  minutes, hours),
      "min", right,
      {{"no factor 2", right / std::sqrt(2.0), "√(2 C M)."},
       {"the mean of both", (minutes + hours * 60) / 2,
        "Lost work grows with the interval, cost with its inverse."},
       {"as often as it fails", hours * 60, "Half of that would be lost each time."}},
      "√(2 · cost · mean time between failures)");
}

}  // namespace

std::vector<Drill> drills_of_speed() {
  const std::string t = "speed", palm = "arXiv:2204.02311";
  return {
      {"mfu", t, 2, "fits", palm,
       "ringside plan mesh --config assets/models/llama_3_1_8b.json --gpu h100 --ranks 64", ask_mfu,
       "A token costs 2Ψ operations forward and 4Ψ backward. Divide by the dense peak.",
       "Attention adds 12 L h s a token; HFU counts recomputation as well."},
      {"training_days", t, 2, "fits", "arXiv:2001.08361",
       "ringside plan mesh --config assets/models/llama_3_1_8b.json --gpu h100 --ranks 64", ask_training_days,
       "All operations are 6ΨD. Divide by what the GPUs reach together.",
       "Restarts and evaluations add: goodput, not MFU, gives the date."},
      {"global_batch", t, 1, "megatron", "ours", "ringside run megatron", ask_global_batch,
       "tp · pp GPUs hold one copy. Copies times micro-batch times micro-batches a step.",
       "Above the critical batch more samples a step no longer save steps."},
      {"overlap", t, 1, "step_time", "ours", "ringside run step_time", ask_overlap,
       "Buckets are reduced while the backward goes on; what is longer than that shows.",
       "The first layers' bucket is ready last and is never hidden."},
      {"decode", t, 2, "context", "a common belief", "ringside run context", ask_decode,
       "Each token reads all weights once, and there is nothing else to do meanwhile.",
       "A batch reads them once for all requests, until operations or the KV cache bound it."},
      {"ridge", t, 3, "step_time", "roofline, Williams et al. 2009",
       "ringside plan mesh --config assets/models/llama_3_1_8b.json --gpu h100 --ranks 8", ask_ridge,
       "Below that many operations a byte, memory bounds the kernel: norms, softmax, updates.",
       "Fusing saves passes over memory, so it helps exactly these."},
      {"matmul_flops", t, 1, "recompute", "ours", "ringside run recompute", ask_matmul_flops,
       "A product has m k n multiplications and as many additions; the backward has one for the input and "
       "one for the weights.",
       "Recomputation adds one more forward: 8 m k n in all."},
      {"amdahl", t, 1, "step_time", "Amdahl 1967", "ringside run step_time", ask_amdahl,
       "The serial share stays, the rest is divided by N.",
       "Gustafson: with more ranks one trains larger batches, so the share falls."},
      {"checkpoint_interval", t, 3, "zero", "Young 1974", "ringside run zero", ask_checkpoint_interval,
       "Cost a time is C/T, lost work is T/2 each M: the sum is least at T = √(2CM).",
       "Saving asynchronously makes C the copy to memory alone: seconds."},
  };
}

}  // namespace ringside::inline kit
