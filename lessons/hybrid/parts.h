// What a run records, and what is read out of it.
//
// M nodes of n = N/M neighbouring ranks. Sections: stage 3 over all ranks, and HSDP with each number of
// replicas that divides N; the same once more as rings, so that each byte has a link; stage 3 with g
// micro-batches, with no_sync and without. "bits" is a table of small fp32 trainings, each against one
// process that adds in a given order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/trace/rows.h"

namespace ringside::hybrid_lesson {

inline constexpr char kNodes[] = "nodes";  // attribute: M
inline constexpr char kSynced[] = "accumulated", kNoSync[] = "accumulated, no_sync", kBits[] = "bits";
std::string section_of(int64_t replicas, bool as_rings = false);
std::vector<int64_t> divisors(int64_t ranks);

struct BitRow {
  static constexpr char kTable[] = "bits";
  std::string run = "", last = "", tensor = "";
  int64_t step = 0, ulps = 0;
};
void visit_fields(RowOf<BitRow> auto& row, auto&& visit) {
  visit(Field{"run", "what was trained"}, row.run);
  visit(Field{"last", "what the one process adds last: the sums of nodes, or of ranks"}, row.last);
  visit(Field{"tensor", "that differs first; empty: none"}, row.tensor);
  visit(Field{"step", "after which it does"}, row.step);
  visit(Field{"ulps", "its largest distance"}, row.ulps);
}

void run(const Config& config, const RunContext& context);

// Of one rank and step, the mean over ranks, in elements a parameter; none before the section has ended.
struct Sent {
  double inside = 0, between = 0;            // nodes, by the link of each byte
  double parameters_between = 0;             // of those
  std::vector<std::vector<double>> by_link;  // [from][to], in a step, of one rank each
};
std::optional<Sent> sent_over_links(const Trace& trace, int64_t replicas);
std::optional<double> sent(const Trace& trace, const std::string& section);
// Of one rank, in bytes a parameter. No category: all state. None where the section has no such moment.
std::optional<double> bytes_at(const Trace& trace, const std::string& section, const char* at,
                               const std::string& category = "");
// M, of the trace; 0 where nothing has run.
int64_t nodes_of(const Trace& trace);

std::vector<FigureSpec> figures();
std::vector<Gauge> gauges();

}  // namespace ringside::hybrid_lesson
