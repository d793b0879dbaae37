// What a run records, and what is read out of it.
//
// M nodes of n = N/M neighbouring ranks. Sections: stage 3 over all ranks, and HSDP with each number of
// replicas that divides N; the same once more as rings, so that each byte has a link; stage 3 with g
// micro-batches, with no_sync and without. "bits" is a table of small fp32 trainings, each against one
// process that adds in a given order.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::hybrid {

inline constexpr char kNodes[] = "nodes";  // attribute: M
inline constexpr char kSynced[] = "accumulated", kNoSync[] = "accumulated, no_sync", kBits[] = "bits";
std::string section_of(int64_t replicas, bool as_rings = false);

struct BitRow {
  static constexpr Columns kTable{"bits", "run", "last", "tensor", "step", "ulps"};
  std::string run = "", last = "", tensor = "";  // the one process adds last: the sums of nodes, or of ranks
  int64_t step = 0, ulps = 0;                    // of what differs first; no tensor: nothing does
};

// Sent in a step, in elements per parameter: the mean over ranks, by the link of each byte.
struct Sent {
  int64_t of_node = 1;                            // ranks
  double inside = 0, between = 0;                 // nodes
  double parameters_between = 0;                  // of those
  std::vector<std::vector<double>> by_link = {};  // [from][to], of one rank each
  double out_of_node() const { return double(of_node) * between; }
};
// Stage 3, or HSDP of that many replicas; none before it has run.
struct Scheme {
  std::string name;
  Sent sent;
  double keeps = 0;  // a rank, bytes of state per parameter
};
std::optional<Scheme> scheme_of(const Trace& trace, int64_t replicas);
int64_t nodes_of(const Trace& trace);  // M; 0 where nothing has run

// Of one rank; none before the section has ended.
std::optional<double> sent(const Trace& trace, const std::string& section);
// In bytes per parameter. No category: all state. None where the section has no such moment.
std::optional<double> bytes_at(const Trace& trace, const std::string& section, const char* at,
                               const std::string& category = "");

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::hybrid
