// Reads the section of a parameter server (server_rows.h) as it stood at an instant.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ringside/trace/server_rows.h"

namespace ringside::inline trace {

class ServerView {
 public:
  // Both must outlive it; a null section has nothing.
  ServerView(const Trace& trace, const SectionView* section,
             int64_t until_ns = std::numeric_limits<int64_t>::max())
      : trace_(trace), section_(section), until_ns_(until_ns) {}

  const SectionView* section() const { return section_; }
  // Nodes of a role that have come, by their rank in the section: "worker 0", "new server 5".
  std::map<int32_t, std::string> nodes(const std::string& role) const;
  bool is_dead(int32_t rank) const;
  // Who holds each range: ranks, the owner's first.
  std::map<int64_t, std::vector<int32_t>> chains() const;
  // The last row of each rank.
  template <typename Row>
  std::map<int32_t, Row> last() const {
    std::map<int32_t, Row> all;
    if (section_ == nullptr) return all;
    for (const RowEvent* event : section_->rows_of(Row::kTable))
      if (const auto row = row_as<Row>(*event); row && event->time_ns <= until_ns_) all[event->rank] = *row;
    return all;
  }
  bool waits(int32_t rank) const;  // a worker, for values, at the instant
  // What a worker's spans of this name, "wait" or "compute", have taken so far.
  double seconds_of(int32_t rank, std::string_view span) const;

  // The messages of one push, in order: from the worker, along the chain, back, and to the worker. The last
  // push that was alone on its range is taken; where none was, the last one, with what went on beside it.
  std::vector<MessageEvent> messages_of_a_push() const;

 private:
  std::map<int64_t, MessageEvent> messages() const;  // by id, as each was seen last

  const Trace& trace_;
  const SectionView* section_;
  int64_t until_ns_;
};

}  // namespace ringside::inline trace
