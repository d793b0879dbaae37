// What moves in a ring, by the algorithm.
#include <algorithm>

#include "ringside/widgets/ring_view.h"

namespace ringside::ui {
namespace {

int modulo(int k, int n) { return (k % n + n) % n; }
bool reduces(Op op) { return op == Op::kAllReduce || op == Op::kReduceScatter; }
bool gathers(Op op) { return op == Op::kAllReduce || op == Op::kAllGather; }
int ring_steps(int ranks, Op op) { return (ranks - 1) * (int(reduces(op)) + int(gathers(op))); }

// What rank r sends in a step: collectives/ring.h has the words.
Transfer ring_transfer(int ranks, Op op, int step, int rank) {
  const bool adds = reduces(op) && step < ranks - 1;
  const int phase_step = adds || !reduces(op) ? step : step - (ranks - 1);
  const int chunk = modulo(adds ? rank - phase_step - 1 : rank - phase_step, ranks);
  return {step, rank, modulo(rank + 1, ranks), chunk, adds};
}

}  // namespace

std::vector<Transfer> ring_transfers(int ranks, Op op) {
  std::vector<Transfer> all;
  if (ranks < 2) return all;
  for (int step = 0; step < ring_steps(ranks, op); ++step)
    for (int rank = 0; rank < ranks; ++rank) all.push_back(ring_transfer(ranks, op, step, rank));
  return all;
}

std::vector<Transfer> direct_transfers(int ranks, Op op) {
  std::vector<Transfer> all;
  int step = 0;
  for (const bool adds : {true, false}) {
    if (adds ? !reduces(op) : !gathers(op)) continue;
    for (int to = 0; to < ranks; ++to)
      for (int from = 0; from < ranks; ++from)
        if (from != to) all.push_back({step, from, to, adds ? to : from, adds});
    ++step;
  }
  return all;
}

int steps_of(const std::vector<Transfer>& transfers) {
  int steps = 0;
  for (const Transfer& transfer : transfers) steps = std::max(steps, transfer.step + 1);
  return steps;
}

std::vector<std::vector<int>> contributions(int ranks, Op op, const std::vector<Transfer>& transfers,
                                            int steps) {
  const auto n = size_t(std::max(ranks, 0));
  std::vector<std::vector<int>> held(n, std::vector<int>(n, reduces(op) ? 1 : 0));
  for (size_t r = 0; r < n && !reduces(op); ++r) held[r][r] = ranks;
  const auto inside = [&](int i) { return i >= 0 && i < ranks; };
  for (int step = 0; step < std::min(steps, steps_of(transfers)); ++step) {
    const auto before = held;  // all of a step at once
    for (const Transfer& t : transfers) {
      if (t.step != step || !inside(t.from) || !inside(t.to) || !inside(t.chunk)) continue;
      const int sent = before[size_t(t.from)][size_t(t.chunk)];
      int& kept = held[size_t(t.to)][size_t(t.chunk)];
      kept = t.adds ? std::min(kept + sent, ranks) : sent;
    }
  }
  return held;
}

}  // namespace ringside::ui
