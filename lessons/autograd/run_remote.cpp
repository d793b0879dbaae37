// A graph that crosses ranks: a layer on each rank, one backward through all of them, and a value too many.
#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <numeric>

#include "ringside/libtorch/numbers.h"
#include "ringside/nn/remote_graph.h"
#include "sections.h"

namespace ringside::lessons::autograd {
namespace {

constexpr int64_t kSide = 64, kSamples = 256, kElements = kSide * kSamples;
constexpr std::chrono::milliseconds kDeadline{1000};

at::Tensor values_of(const std::string& name, int64_t rows) {  // (rows, kSide)
  return 0.2 * normal_numbers({rows, kSide}, 2, name);
}
at::Tensor weight_of(int rank) { return values_of(tr("W{}", rank), kSide).set_requires_grad(true); }
at::Tensor layer_of(const at::Tensor& h, const at::Tensor& W) { return at::tanh(at::mm(h, W)); }
at::Tensor loss_from(const at::Tensor& h, const at::Tensor& skip) { return (h + skip).pow(2).mean(); }

// h_0 = layer 0 of the samples; rank r makes h_r of h_r-1; the last one adds h_0 again. `aside`: rank 0 first
// sends a value that nobody uses. The gradient of the rank's weight.
at::Tensor on_rank(World& world, RemoteGraph::Check check, bool aside) {
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
  return graph.backward(loss, {W})[0];
}

std::vector<at::Tensor> in_one_process(int ranks) {
  std::vector<at::Tensor> W;
  at::Tensor h, skip;
  for (int rank = 0; rank < ranks; ++rank) {
    W.push_back(weight_of(rank));
    h = layer_of(rank == 0 ? values_of("samples", kSamples) : h.clone(), W.back());
    if (rank == 0) skip = h.clone();
  }
  run_backward(loss_from(h, skip));
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& w : W) gradients.push_back(w.grad());
  return gradients;
}

// A header of three numbers before each value and gradient, and a byte that says whether it is reached.
void predict_across(RankRows& rows, int ranks) {
  const int rank = rows.place(), last = ranks - 1;
  const int64_t values = (rank < last) + (rank == 0), gradients = (rank > 0) + (rank == last);
  for (const auto& [tag, messages] : {std::pair{"value", values}, {"gradient", gradients}}) {
    rows.traffic(tag, Op::kSend).predicted = 4 * kElements * messages;
    rows.traffic(tag, Op::kRecv);
    rows.traffic(tr("{} header", tag).c_str(), Op::kSend).predicted = 24 * messages;
    rows.traffic(tr("{} header", tag).c_str(), Op::kRecv);
  }
  rows.traffic("reached", Op::kSend).predicted = gradients;
  rows.traffic("reached", Op::kRecv);
}

void run_dead(Sections& sections, const char* way, int ranks, RemoteGraph::Check check) {
  DeadRow row{way, kDeadline.count() * 1.0, NAN, -1, -1, "", ""};
  const int64_t start = now_ns();
  try {
    sections.run(
        way, ranks, [&](World& world) { on_rank(world, check, true); }, {}, kDeadline);
  } catch (const DeadSendError& error) {
    row.sender = error.sender, row.receiver = error.receiver, row.what = error.what;
    row.error = std::string(error.std::runtime_error::what());
    sections.broke(way);
  } catch (const CollectiveError& error) {
    row.error = std::string(error.std::runtime_error::what());
    sections.broke(way);
  }
  row.ms = double(now_ns() - start) * 1e-6;
  sections.record(way, row);
}

}  // namespace

void run_remote(const Config& config, Sections& sections) {
  const int ranks = int(config.integer("ranks"));
  std::vector<int64_t> same(static_cast<size_t>(ranks));
  const auto wanted = in_one_process(ranks);
  sections.run(
      kAcross, ranks,
      [&](World& world) {
        const at::Tensor gradient = on_rank(world, RemoteGraph::Check::kWalk, false).contiguous(),
                         one = wanted[size_t(world.rank())];
        same[size_t(world.rank())] = std::memcmp(gradient.data_ptr(), one.data_ptr(), gradient.nbytes()) == 0;
      },
      [&](RankRows& rows) { predict_across(rows, ranks); });
  sections.record(kAcross, AcrossRow{ranks, std::accumulate(same.begin(), same.end(), int64_t{0})});
  run_dead(sections, kWalked, ranks, RemoteGraph::Check::kWalk);
  run_dead(sections, kFast, ranks, RemoteGraph::Check::kFast);
}

}  // namespace ringside::lessons::autograd
