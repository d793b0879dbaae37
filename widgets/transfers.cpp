// What moves in a ring, from the algorithm and from what was recorded.
#include <algorithm>

#include "ringside/widgets/ring_view.h"

namespace ringside::ui {
namespace {

int modulo(int k, int n) { return (k % n + n) % n; }
bool reduces(Op op) { return op == Op::kAllReduce || op == Op::kReduceScatter; }
bool gathers(Op op) { return op == Op::kAllReduce || op == Op::kAllGather; }
int ring_steps(int ranks, Op op) {
  return (ranks - 1) * (static_cast<int>(reduces(op)) + static_cast<int>(gathers(op)));
}

// What rank r sends in a step: collectives/ring.h has the words.
Transfer ring_transfer(int ranks, Op op, int step, int rank) {
  const bool adds = reduces(op) && step < ranks - 1;
  const int phase_step = adds || !reduces(op) ? step : step - (ranks - 1);
  const int chunk = modulo(adds ? rank - phase_step - 1 : rank - phase_step, ranks);
  return {step, rank, modulo(rank + 1, ranks), chunk, 0, 0, adds};
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
        if (from != to) all.push_back({step, from, to, adds ? to : from, 0, 0, adds});
    ++step;
  }
  return all;
}

std::vector<Transfer> transfers_of(const Trace& trace, const SectionView& section, Op op,
                                   std::string_view tag, std::string_view unit, int occurrence) {
  std::vector<Transfer> all;
  const int ranks = section.ranks(), steps = ring_steps(ranks, op);
  if (ranks < 2 || steps == 0 || occurrence < 0) return all;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<const CollectiveEvent*> sends;  // in order; the last state of each
    for (const CollectiveEvent& event : section.collectives(rank)) {
      if (event.op != Op::kSend || trace.name(event.tag) != tag || trace.name(event.unit) != unit) continue;
      if (event.state == CollectiveState::kScheduled) continue;
      const auto same = [&](const CollectiveEvent* e) {
        return e->group == event.group && e->peer == event.peer &&
               e->collective_seq_id == event.collective_seq_id;
      };
      // A send's own started event is among the last few: one send at a time per ring.
      const auto recent = sends.end() - std::min<std::ptrdiff_t>(std::ssize(sends), 4);
      const auto found = std::find_if(recent, sends.end(), same);
      if (found == sends.end())
        sends.push_back(&event);
      else
        *found = &event;
    }
    const size_t first = static_cast<size_t>(occurrence) * static_cast<size_t>(steps);
    for (int step = 0; step < steps && first + static_cast<size_t>(step) < sends.size(); ++step) {
      const CollectiveEvent& event = *sends[first + static_cast<size_t>(step)];
      Transfer transfer = ring_transfer(ranks, op, step, rank);
      transfer.to = event.peer;
      transfer.start_ns = event.time_started_ns;
      transfer.end_ns = event.time_completed_ns;
      all.push_back(transfer);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return all;
}

int steps_of(const std::vector<Transfer>& transfers) {
  int steps = 0;
  for (const Transfer& transfer : transfers) steps = std::max(steps, transfer.step + 1);
  return steps;
}

std::vector<std::vector<int>> contributions(int ranks, Op op, const std::vector<Transfer>& transfers,
                                            int steps) {
  const auto n = static_cast<size_t>(std::max(ranks, 0));
  std::vector<std::vector<int>> held(n, std::vector<int>(n, reduces(op) ? 1 : 0));
  for (size_t r = 0; r < n && !reduces(op); ++r) held[r][r] = ranks;
  const auto inside = [&](int i) { return i >= 0 && i < ranks; };
  for (int step = 0; step < std::min(steps, steps_of(transfers)); ++step) {
    const auto before = held;  // all of a step at once
    for (const Transfer& t : transfers) {
      if (t.step != step || !inside(t.from) || !inside(t.to) || !inside(t.chunk)) continue;
      const int sent = before[static_cast<size_t>(t.from)][static_cast<size_t>(t.chunk)];
      int& kept = held[static_cast<size_t>(t.to)][static_cast<size_t>(t.chunk)];
      kept = t.adds ? std::min(kept + sent, ranks) : sent;
    }
  }
  return held;
}

}  // namespace ringside::ui
