// What a run records, and what is read out of it.
//
// M nodes of n = N/M neighbouring ranks. Sections: stage 3 over all ranks, and HSDP with each number of
// replicas that divides N; the same once more as rings, so that each byte has a link; stage 3 with g
// micro-batches, with no_sync and without. Each has rows of what was counted in it. "bits" is a table of
// small fp32 trainings, each against one process that adds in a given order.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::hybrid {

inline constexpr char kSynced[] = "accumulated", kNoSync[] = "accumulated, no_sync", kBits[] = "bits",
                      kNowhere[] = "nowhere";
std::string section_of(int64_t replicas, bool as_rings = false);

struct BitRow {
  static constexpr Columns kTable{"bits", "run", "last", "differs"};
  std::string run, last;  // the one process adds last: the sums of nodes, or of ranks
  std::string differs;    // "step 2, 1 ulp, head" is what differs first; or kNowhere
};

// Stage 3, or HSDP of that many replicas. Sent in a step, in elements per parameter: the mean over ranks, by
// the link of each byte.
struct SchemeRow {
  static constexpr Columns kTable{"schemes",      "chosen",     "replicas",    "scheme",
                                  "node [ranks]", "inside [Ψ]", "between [Ψ]", "parameters between [Ψ]",
                                  "keeps [B]"};
  bool chosen = false;  // by the scenario: HSDP of a replica a node
  int64_t replicas = 1;
  std::string name = "";
  int64_t of_node = 1;             // ranks
  double inside = 0, between = 0;  // nodes
  double parameters_between = 0;   // of those
  double keeps = 0;                // a rank, bytes of state per parameter
  double out_of_node() const { return double(of_node) * between; }
};
struct LinkRow {
  static constexpr Columns kTable{"links", "replicas", "from", "to", "sent [Ψ]"};
  int64_t replicas = 1, from = 0, to = 0;
  double sent = 0;  // by one rank
};

// Stage 3 with g micro-batches: sent by a rank in a step, and what it keeps of gradients per parameter.
inline constexpr char kEachTime[] = "each time", kOnce[] = "once: no_sync";
struct ReducedRow {
  static constexpr Columns kTable{"reduced", "reduced", "sent [Ψ]", "between [B]", "at the end [B]"};
  std::string reduced = "";
  double sent = 0;
  double between = 0, at_end = 0;  // from one micro-batch to the next, when the last is over
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::hybrid
