// Traffic: what a GPU sends in a collective and in a step.
#include <cmath>

#include "drill.h"
#include "ringside/collectives/cost.h"
#include "ringside/comm/link_model.h"
#include "ringside/planner/zero_plan.h"

namespace ringside::inline kit {
namespace {

double traffic_psi(int ranks, int stage, int64_t micro = 1, ReduceMode reduce = ReduceMode::kReduceScatter) {
  ZeroSetup setup;
  setup.parameters = 1;
  setup.ranks = ranks;
  setup.stage = stage;
  setup.accumulate = micro;
  setup.reduce = reduce;
  return zero_traffic(setup).total();
}

DrawnQuestion ask_zero_traffic(Draw& draw) {
  const int n = draw.pick({2, 4, 8}), stage = draw.pick({0, 1, 2, 3});
  const double f = (n - 1.0) / n, right = traffic_psi(n, stage);
  std::vector<WrongNumber> wrong = {
      {"counted once", f, "A reduce-scatter or an all-gather alone is (N-1)/N."},
      {"N does not matter", stage == 3 ? 3.0 : 2.0, "That is the limit of many GPUs."}};
  wrong.push_back(
      stage == 3 ? WrongNumber{"as stage 2", 2 * f, "Stage 3 gathers parameters once more, for the backward."}
                 : WrongNumber{"more than stage 0", 3 * f,
                               "Stages 1 and 2 send what an all-reduce is made of: 2f."});
  return ask_number(
      fmt::format(
          "ZeRO stage {} on {} GPUs, one micro-batch. How many times Ψ elements does a GPU send in a step?",
          stage, n),
      "Ψ", right, wrong,
      stage == 3 ? "two all-gathers and a reduce-scatter, (N-1)/N each"
                 : "a reduce-scatter and an all-gather, (N-1)/N each");
}

DrawnQuestion ask_accumulated(Draw& draw) {
  const int n = draw.pick({4, 8, 16}), stage = draw.pick({1, 2, 3});
  const int64_t g = draw.pick({2, 4, 8});
  const double f = (n - 1.0) / n, k = double(g), right = traffic_psi(n, stage, g);
  std::vector<WrongNumber> wrong = {
      {"one transfer", f, "Gradients are reduced and parameters gathered: two kinds at least."}};
  if (stage == 1)
    wrong.push_back(
        {"as stage 2", (k + 1) * f, "Stage 1 keeps whole gradients and reduces them at the end."});
  if (stage == 2)
    wrong.push_back({"as stage 1", 2 * f, "Stage 2 keeps a shard alone: it reduces every micro-batch."});
  if (stage == 3) wrong.push_back({"once a step", 3 * f, "It gathers and reduces for every micro-batch."});
  wrong.push_back(
      stage == 3 ? WrongNumber{"one gather", 2 * k * f, "The backward gathers again."}
                 : WrongNumber{"all of it every time", 2 * k * f, "Parameters are gathered once a step."});
  return ask_number(fmt::format("ZeRO stage {}, {} GPUs, {} micro-batches a step, no no_sync. How many Ψ "
                                "elements does a GPU send in a step?",
                                stage, n, g),
                    "Ψ", right, wrong,
                    stage == 1   ? "2f: gradients wait for the last micro-batch"
                    : stage == 2 ? "(g+1)f: a reduction a micro-batch, one gather"
                                 : "3gf");
}

DrawnQuestion ask_ring_bytes(Draw& draw) {
  const int n = draw.pick({4, 8, 16});
  const int64_t mib = draw.pick({64, 256, 1024}), elements = mib * (1 << 20) / 2;
  const double right = double(ring::all_reduce({elements, Dtype::kBFloat16, n})) / (1 << 20), s = double(mib);
  return ask_number(
      fmt::format("A ring all-reduce of {} MiB on {} GPUs. How many MiB does each GPU send?", mib, n), "MiB",
      right,
      {{"half of it", right / 2, "That is the reduce-scatter; the all-gather sends as much."},
       {"to everybody", s * (n - 1), "The ring sends each chunk to one neighbour at a time."},
       {"once", s, "It is nearly twice the buffer: 2(N-1)/N."}},
      "2 (N-1)/N of the buffer");
}

DrawnQuestion ask_ring_steps(Draw& draw) {
  const int n = draw.pick({4, 6, 8, 12, 16, 32});
  return ask_number(
      fmt::format("In how many steps does a ring of {} GPUs finish an all-reduce?", n), "steps",
      double(hops(Op::kAllReduce, n)),
      {{"one pass", n - 1.0, "Reduce-scatter takes N-1, all-gather N-1 more."},
       {"as a tree", 2 * std::ceil(std::log2(n)), "A ring passes every chunk through every GPU."},
       {"one for each pair", n * (n - 1) / 2.0, "All neighbours send at the same time."}},
      "2(N-1): N-1 to add up, N-1 to spread");
}

DrawnQuestion ask_ring_time(Draw& draw) {
  const int n = draw.pick({4, 8, 16});
  const double gb = draw.pick({1.0, 2.0, 14.0}), bw = draw.pick({25.0, 50.0, 300.0});
  const double right = 2 * (n - 1.0) / n * gb / bw * 1e3;
  return ask_number(fmt::format("An all-reduce of {:g} GB on {} GPUs, {:g} GB/s a GPU in each direction, "
                                "latency aside. How many ms at least?",
                                gb, n, bw),
                    "ms", right,
                    {{"one pass", right / 2, "Each GPU sends 2(N-1)/N of the buffer."},
                     {"grows with N", gb / bw * 1e3 * (n - 1), "A ring's time hardly depends on N."},
                     {"bits for bytes", right * 8, "GB/s are bytes."}},
                    "2 (N-1)/N · bytes / bandwidth");
}

DrawnQuestion ask_latency(Draw& draw) {
  const int n = draw.pick({64, 128, 256, 1024});
  const double us = draw.pick({3.0, 5.0, 10.0}), right = double(hops(Op::kAllReduce, n)) * us / 1e3;
  return ask_number(
      fmt::format(
          "A tiny all-reduce on a ring of {} GPUs, {:g} µs a hop. How many ms does latency alone take?", n,
          us),
      "ms", right,
      {{"one hop", us / 1e3, "The hops follow each other."},
       {"one pass", right / 2, "N-1 to add up and N-1 to spread."},
       {"as a tree", 2 * std::ceil(std::log2(n)) * us / 1e3, "A tree is what one uses instead."}},
      "2(N-1) hops");
}

DrawnQuestion ask_reduce_scatter(Draw& draw) {
  const int n = draw.pick({4, 8, 16});
  const int64_t mib = draw.pick({64, 512, 1024}), elements = mib * (1 << 20) / 4;
  const double right = double(ring::reduce_scatter({elements, Dtype::kFloat32, n})) / (1 << 20);
  return ask_number(
      fmt::format(
          "A reduce-scatter of a {} MiB buffer on {} GPUs. How many MiB does each GPU send on a ring?", mib,
          n),
      "MiB", right,
      {{"an all-reduce's", 2 * right, "Half of an all-reduce."},
       {"its shard", double(mib) / n, "It sends N-1 chunks, not one."}},
      "(N-1)/N of the buffer");
}

DrawnQuestion ask_all_to_all(Draw& draw) {
  const int n = draw.pick({4, 8, 16});
  const int64_t mib = draw.pick({32, 64, 256}), elements = mib * (1 << 20) / 2;
  const double right = double(direct::all_to_all({elements, Dtype::kBFloat16, n})) / (1 << 20);
  return ask_number(
      fmt::format("An all-to-all of {} MiB a GPU over {} GPUs (experts). How many MiB does each GPU send?",
                  mib, n),
      "MiB", right,
      {{"all to everybody", double(mib) * (n - 1), "Each peer gets its own 1/N."},
       {"as an all-reduce", 2 * right, "Nothing is added up: one pass."},
       {"one part", double(mib) / n, "There are N-1 peers."}},
      "(N-1)/N of the buffer: its own part stays");
}

DrawnQuestion ask_tensor_parallel(Draw& draw) {
  const int t = draw.pick({2, 4, 8});
  const int64_t b = draw.pick({1, 2, 4}), s = draw.pick({2048, 4096}), h = draw.pick({4096, 5120, 8192});
  const double one = double(ring::all_reduce({b * s * h, Dtype::kBFloat16, t})) / 1e6;
  return ask_number(
      fmt::format("Megatron's tensor parallelism over {} GPUs, b = {}, s = {}, h = {}, bf16. How many MB "
                  "does a GPU send in all-reduces for one layer, forward and backward?",
                  t, b, s, h),
      "MB", 4 * one,
      {{"forward alone", 2 * one, "The backward has two all-reduces as well."},
       {"one a layer", one, "Attention and MLP have one each, in each direction."},
       {"one a product", 8 * one, "Behind a column cut nothing is added up."}},
      "four all-reduces of b s h values, 2(t-1)/t each");
}

DrawnQuestion ask_between_nodes(Draw& draw) {
  const double psi = draw.pick({7.0, 13.0, 70.0});
  const int m = draw.pick({2, 4, 8});
  ZeroSetup setup;
  setup.parameters = psi * 1e9;
  setup.ranks = 8 * m;
  setup.stage = 3;
  setup.replicas = m;
  const double right = zero_traffic(setup).between * 2 / 1e9, whole = 2 * (m - 1.0) / m * psi * 2;
  return ask_number(
      fmt::format("HSDP: {:g} billion bf16 parameters, sharded over the 8 GPUs of a node, {} nodes. How many "
                  "GB does a GPU send between nodes in a step?",
                  psi, m),
      "GB", right,
      {{"the whole model", whole, "A GPU reduces its own eighth."},
       {"all of its traffic", zero_traffic(setup).total() * 2 / 1e9, "Most of it stays inside the node."},
       {"one pass", right / 2, "An all-reduce is two passes."}},
      "2 (M-1)/M of its shard Ψ/8, 2 bytes each");
}

DrawnQuestion ask_step_order(Draw& draw) {
  const Words right = {"all-gather parameters of a layer", "forward of the layer", "backward of the layer",
                       "reduce-scatter its gradients", "update the shard"};
  Words early = right, late = right, dropped = right;
  std::swap(early[2], early[3]);
  std::swap(late[3], late[4]);
  std::swap(dropped[0], dropped[1]);
  return ask_order(draw, "ZeRO-3, one layer, one step (the second gather is left out). In which order?",
                   right,
                   {{"reduces before the backward", early, "There is no gradient yet."},
                    {"updates before the sum", late, "The shard needs the sum over all ranks."},
                    {"computes without parameters", dropped, "A rank has only a shard of the layer."}},
                   "gather, forward, backward, reduce-scatter, update");
}

}  // namespace

std::vector<Drill> drills_of_traffic() {
  const std::string t = "traffic", zero = "arXiv:1910.02054", ring = "doi:10.1016/j.jpdc.2008.09.002";
  return {
      {"zero_traffic", t, 1, "zero", zero, "ringside run zero", ask_zero_traffic,
       "An all-reduce is a reduce-scatter and an all-gather, (N-1)/N each. Stages 1 and 2 put the update "
       "between the halves and send the same. Stage 3 gathers twice.",
       "With reshard off stage 3 keeps what it gathered and sends 2f again, for the memory of the whole "
       "model."},
      {"accumulated", t, 3, "zero", zero, "ringside run zero accumulate=8", ask_accumulated,
       "Stage 1 can add up whole gradients and reduce once. Stage 2 keeps a shard and must reduce each "
       "micro-batch. Stage 3 gathers twice for each as well.",
       "FSDP's no_sync keeps whole gradients and reduces once; its gathers stay: (2g+1)f. DeepSpeed refuses "
       "no_sync in stages 2 and 3."},
      {"ring_bytes", t, 1, "megatron", ring, "ringside bench collectives", ask_ring_bytes,
       "Reduce-scatter and all-gather each send N-1 chunks of 1/N. Where ranks send to ranks, no algorithm "
       "sends less from each.",
       "It hardly depends on N, so bandwidth scales; the 2(N-1) latencies do not. Where the switch adds "
       "(NVLS, "
       "SHARP), a rank sends its buffer about once."},
      {"ring_steps", t, 1, "rounding", ring, "ringside run rounding", ask_ring_steps,
       "Each chunk goes around once to be added and once to be spread, a hop a step.",
       "Trees take 2 log2 N steps: NCCL picks them for small messages."},
      {"ring_time", t, 2, "step_time", ring, "ringside run step_time", ask_ring_time,
       "Each rank sends 2(N-1)/N of the buffer over its own link, all at once.",
       "nccl-tests call 2(N-1)/N · bytes / time the bus bandwidth: compare that with the link."},
      {"latency", t, 3, "bucket_size", ring, "ringside run bucket_size", ask_latency,
       "The hops follow each other: 2(N-1) times the latency, whatever the size.",
       "So buckets are large, and thousands of GPUs use trees or several levels."},
      {"reduce_scatter", t, 1, "zero", ring, "ringside run zero stage=2", ask_reduce_scatter,
       "N-1 steps, a chunk of 1/N each. Every rank ends with the sum of one chunk.",
       "It is the first half of an all-reduce; ZeRO drops or delays the second."},
      {"all_to_all", t, 2, "megatron", "arXiv:2006.16668", "ringside bench collectives", ask_all_to_all,
       "Each peer gets another 1/N of the buffer, and one part stays at home.",
       "Experts do it twice a layer, forward; it crosses nodes, where links are slow."},
      {"tensor_parallel", t, 3, "megatron", "arXiv:1909.08053", "ringside run megatron", ask_tensor_parallel,
       "A column cut followed by a row cut needs one all-reduce a block: attention and MLP, forward and "
       "backward, make four of b s h values.",
       "Sequence parallelism turns each into a reduce-scatter and an all-gather: the same bytes, less "
       "memory."},
      {"between_nodes", t, 3, "hybrid", "arXiv:2304.11277", "ringside run hybrid", ask_between_nodes,
       "Inside a node gradients are reduce-scattered. Each GPU then all-reduces its own shard with its twins "
       "in the other nodes.",
       "FSDP over all GPUs would gather parameters over the slow links twice a step."},
      {"step_order", t, 2, "zero", zero, "ringside run zero stage=3", ask_step_order,
       "A layer's parameters are gathered before they are used and dropped behind; the sum of gradients must "
       "be complete before the update.",
       "The next gather is started while this layer computes: prefetch hides it."},
  };
}

}  // namespace ringside::inline kit
