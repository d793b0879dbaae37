// A graph that crosses ranks: a layer on each rank, one backward through all of them, and a value too many.
#include <atomic>
#include <cstring>

#include "parts.h"
#include "ringside/base/clock.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/remote_graph.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/in_world.h"

namespace ringside::lessons::remote_graph {
namespace {

constexpr int64_t kSide = 64, kSamples = 256;

at::Tensor values_of(const std::string& name, int64_t rows) {  // (rows, kSide)
  return 0.2 * normal_numbers({rows, kSide}, 2, name);
}
at::Tensor weight_of(int rank) { return values_of(tr("W{}", rank), kSide).set_requires_grad(true); }
at::Tensor layer_of(const at::Tensor& h, const at::Tensor& W) { return at::tanh(at::mm(h, W)); }
at::Tensor loss_from(const at::Tensor& h, const at::Tensor& skip) { return (h + skip).pow(2).mean(); }

// h_0 = layer 0 of the samples; rank r makes h_r of h_r-1; the last one adds h_0 again. `aside`: rank 0 first
// sends a value that nobody uses.
struct OfRank {
  at::Tensor W, gradient;
};
OfRank on_rank(World& world, RemoteGraph::Check check, bool aside) {
  const int rank = world.rank(), last = world.size() - 1;
  const at::IntArrayRef shape = {kSamples, kSide};
  const MemoryScope scope(Category::kActivations);
  auto& graph = world.make<RemoteGraph>(world.group("graph"), /*context=*/1, check);
  const at::Tensor W = weight_of(rank);
  at::Tensor h, loss;
  {
    const SpanScope span(*world.recorder(), "forward", 0);
    if (rank == 0) {
      h = layer_of(values_of("samples", kSamples), W);
      if (aside) graph.send(h.mean(0), 1, "aside");
      graph.send(h, last, "skip");
    }
    if (rank == 1 && aside) graph.receive({kSide}, at::kFloat, 0, "aside");
    const at::Tensor skip = rank == last ? graph.receive(shape, at::kFloat, 0, "skip") : at::Tensor();
    if (rank > 0) h = layer_of(graph.receive(shape, at::kFloat, rank - 1, tr("h{}", rank - 1)), W);
    if (rank < last) graph.send(h, rank + 1, tr("h{}", rank));
    if (rank == last) loss = loss_from(h, skip);
  }
  if (loss.defined()) world.recorder()->scalar("loss", 0, loss.item<double>());
  const SpanScope span(*world.recorder(), "backward", 0);
  return {W, graph.backward(loss, {W})[0]};
}

// On one thread, as each rank computes: several would round differently.
std::vector<at::Tensor> in_one_process(int ranks) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  std::vector<at::Tensor> W;
  at::Tensor h, skip;
  for (int rank = 0; rank < ranks; ++rank) {
    W.push_back(weight_of(rank));
    h = layer_of(rank == 0 ? values_of("samples", kSamples) : h.clone(), W.back());
    if (rank == 0) skip = h.clone();
  }
  run_backward(loss_from(h, skip));
  return gradients_in(W);
}

void predict(RankRows& rows, int ranks) {
  const int rank = rows.place(), last = ranks - 1;
  RemoteGraph::predict(rows, (rank < last) + (rank == 0), (rank > 0) + (rank == last), 4 * kSide * kSamples);
}

// The error in words, and who is named.
void note(DeadRow& row, const CollectiveError& error) {
  row.error = row.named = error.std::runtime_error::what();
  const auto* const dead = dynamic_cast<const DeadSendError*>(&error);
  if (dead == nullptr) return;
  row.sender = dead->sender, row.receiver = dead->receiver, row.what = dead->what;
  row.named = tr("rank {} sent '{}' to rank {}", row.sender, row.what, row.receiver);
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const int ranks = int(config.integer("ranks"));
  const std::chrono::milliseconds deadline(config.integer("deadline"));
  RunParts parts(context, 3);
  TraceRows rows;
  const auto section = [&](const std::string& name, const RanksSection& of) {
    parts.begin(name);
    run_and_book(of, name, context.control, context.store, rows);
  };

  std::atomic<int64_t> same = 0, in_grad = 0;
  const auto wanted = in_one_process(ranks);
  const auto compare = [&](World& world) {
    const auto [W, gradient] = on_rank(world, RemoteGraph::Check::kWalk, false);
    const at::Tensor found = gradient.contiguous(), one = wanted[size_t(world.rank())];
    if (std::memcmp(found.data_ptr(), one.data_ptr(), found.nbytes()) == 0) ++same;
    if (W.grad().defined()) ++in_grad;
  };
  section(kAcross, {ranks, compare, [&](RankRows& of_rank) { predict(of_rank, ranks); }});
  record_row(context.store.recorder(kAcross, 0), AcrossRow{ranks, same, in_grad});

  for (const char* way : {kWalked, kFast}) {
    const auto check = way == kWalked ? RemoteGraph::Check::kWalk : RemoteGraph::Check::kFast;
    const std::string name = tr("a value aside, {}", way);
    DeadRow row{way, double(deadline.count())};
    const int64_t start = now_ns();
    try {
      section(name, {ranks, [&](World& world) { on_rank(world, check, true); }, {}, deadline});
    } catch (const CollectiveError& error) {
      note(row, error);
    }
    row.ms = double(now_ns() - start) * 1e-6;
    record_row(context.store.recorder(name, 0), row);
  }
}

}  // namespace ringside::lessons::remote_graph
