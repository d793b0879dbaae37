// What the live panel says of a section at an instant: memory of a rank by category, what it sends by
// operation and by what is carried, who waits for whom, and the figures that were recorded. Indexes are kept
// up as events come, so that an instant costs a few searches, however long the run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ringside/figures/step_windows.h"
#include "ringside/lesson/lesson.h"

namespace ringside::figure {

struct LiveMemory {
  std::array<int64_t, kCategoryCount> kinds{};  // bytes that live on the rank
  int64_t total = 0, peak = 0;                  // of all kinds; the highest total so far
  int highest_rank = 0;                         // the rank with the highest peak so far
  int64_t highest = 0;                          // that peak
  bool operator==(const LiveMemory&) const = default;
};

struct LiveSent {                        // by one rank, of one kind
  std::string what, carried;             // "all_reduce", "gradients"; of a message: "", "push"
  int64_t calls = 0, bytes = 0;          // in this step, so far
  int64_t all_calls = 0, all_bytes = 0;  // since the section began
  bool operator==(const LiveSent&) const = default;
};
struct LiveWait {
  std::vector<int> ranks, missing;  // these wait for those; none missing where that is not recorded
  std::string what, carried, group;
  int64_t call = 0, waited_ns = 0;  // the first of them
  std::optional<int64_t> left_ns;   // until its deadline
  bool operator==(const LiveWait&) const = default;
};
struct LiveTraffic {
  std::optional<int64_t> step;  // none: `calls` and `bytes` are of the whole section so far
  std::vector<LiveSent> kinds;  // those that ever occurred by then
  int64_t sent = 0, wire = 0;   // bytes in this step: of the rank, of all ranks
  std::vector<LiveWait> waits;
  bool operator==(const LiveTraffic&) const = default;
};

struct LiveValue {  // a scalar: its newest value
  std::string name, unit;
  double value = 0;
  int64_t step = 0, age_ns = 0;
  bool operator==(const LiveValue&) const = default;
};

// How a node of a parameter server is called where that row says so: "server 1"; else "".
std::string node_name(const RowEvent& row);
// The same of a rank, by its first rows; "rank 2" where it is none.
std::string name_of_rank(const SectionView& section, int rank);

class LiveIndex {
 public:
  // Takes in what came since the last call; another section, or another run, starts anew.
  void update(const Trace& trace, const SectionView& section, uint64_t run);
  int ranks() const { return int(ranks_.size()); }
  bool has_memory() const { return has_memory_; }
  bool has_traffic() const { return has_traffic_; }
  const SectionView* section() const { return section_ ? &*section_ : nullptr; }
  size_t events_of(int rank) const;     // of memory, seen so far
  std::string name_of(int rank) const;  // "rank 2", or as a node is called: "server 1"

  LiveMemory memory(int rank, int64_t time_ns) const;
  LiveTraffic traffic(int rank, int64_t time_ns) const;
  std::vector<LiveValue> values(int64_t time_ns) const;
  // Bytes that the rank held at so many instants of [from, to].
  std::vector<int64_t> spark(int rank, int64_t from_ns, int64_t to_ns, size_t instants) const;

 private:
  struct Sums {  // of one kind, in order of time
    std::vector<int64_t> times, bytes;
    void add(int64_t time_ns, int64_t sent);
    std::pair<int64_t, int64_t> until(int64_t time_ns) const;  // calls and bytes
  };
  struct Call {
    int64_t seq, started_ns, ended_ns;  // 0: it has not ended
    Op op;
    NameId tag;
  };
  using Kind = std::pair<int, NameId>;  // an Op, or kMessage; a tag
  static constexpr int kMessage = -1;
  struct Clock {  // of a worker of a parameter server, from this instant on
    int64_t time_ns, pushed;
    bool waits;
  };
  using RanksFrom = std::pair<int64_t, std::vector<int>>;  // an instant, and who it is from then on
  struct Rank {
    StepWindows steps;
    std::map<Kind, Sums> sent;
    std::map<NameId, std::vector<Call>> calls;  // by group, in order of their numbers
    std::array<std::vector<std::pair<int64_t, int64_t>>, kCategoryCount> peaks;  // times and rising totals
    std::array<size_t, kCategoryCount> memory{};
    size_t collectives = 0, messages = 0, rows = 0;
    std::string name;
    std::vector<Clock> clocks;
  };
  struct Scalar {
    std::string name;
    std::vector<ScalarEvent> events;
  };

  void take_memory(int rank);
  void take_collective(Rank& rank, const CollectiveEvent& event);
  void take_messages(int rank);
  void take_rows(int rank);
  void take_scalars();
  std::vector<std::pair<Kind, const Sums*>> in_order(const std::map<Kind, Sums>& sent) const;
  int64_t sent_between(int rank, int64_t from_ns, int64_t to_ns) const;
  int64_t peak_until(int rank, int64_t time_ns) const;
  const Call* call_of(int rank, NameId group, int64_t seq) const;
  std::vector<LiveWait> waits(int64_t time_ns) const;
  LiveWait wait_in(int rank, NameId group, const Call& call, int64_t time_ns) const;
  std::vector<int> waiting_spans(int64_t time_ns) const;
  void take_server_row(Rank& rank, const RowEvent& row);
  const Clock* clock_of(int rank, int64_t time_ns) const;
  bool has_gone(int rank, int64_t time_ns) const;
  std::vector<int> waited_for(int64_t pushed, int64_t time_ns) const;
  std::vector<LiveWait> server_waits(int64_t time_ns) const;

  Trace trace_;
  std::optional<SectionView> section_;
  std::string of_;
  std::vector<Rank> ranks_;
  std::map<NameId, Scalar> scalars_;  // of the first rank that has one of that name
  std::vector<size_t> scalars_seen_;
  std::vector<RanksFrom> members_;                   // of a parameter server: workers that are waited for
  std::map<int64_t, std::vector<RanksFrom>> heads_;  // of a range: who serves it
  bool has_memory_ = false, has_traffic_ = false;
};

}  // namespace ringside::figure
