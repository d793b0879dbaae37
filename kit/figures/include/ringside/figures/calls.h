// The collectives of a section at an instant, by group, rank and number: as boxes under each other, along
// time, and as the counters that a person compares first. A rank that never made a call that others made
// leaves a hole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

struct Call {  // of one rank, as far as it had come
  CollectiveEvent event;
  int64_t ended_ns = 0;  // 0: it has not
  bool failed = false;
  bool is_completed() const { return ended_ns > 0 && !failed; }
};
struct CallGroup {
  std::string name;
  std::vector<std::map<int64_t, Call>> ranks;  // by number
};
struct Calls {
  std::vector<CallGroup> groups;
  int64_t time_ns = 0;
  bool over = false;  // a rank has given up, or nothing comes any more: what was not called never will be
};

// What is called after the first rank has given up comes too late, and is left out. `first_group` comes
// first. ended: nothing comes any more after the section's last moment. Sends and receives are left out.
Calls calls_at(const Trace& trace, const SectionView& section, int64_t time_ns, bool ended,
               const std::string& first_group = "");

// How they are to be shown.
struct CallView {
  std::vector<int> ranks;                             // whose rows are shown
  std::set<int> gone = {};                            // left nothing that could be shown, once it is over
  bool contents = true;                               // what a call carries, and how much
  std::set<std::pair<int, std::string>> struck = {};  // (rank, "dp #42"): in the colour of alarm
};
// A row for each rank of each group, the last numbers of a group. What hangs stays in sight, whatever is
// queued behind it.
Boxes call_boxes(const Trace& trace, const Calls& calls, const CallView& view);
// A lane for each rank of each group; seconds from the first call that is shown.
Lanes call_lanes(const Trace& trace, const Calls& calls, const CallView& view);
// The last number done, started and queued (scheduled: a program runs ahead of its calls), rank by rank; how
// often a rank came last, and for how long the others waited for it (at least `worth_ns` each time).
Table call_counters(const Calls& calls, const CallView& view, int64_t worth_ns);

// The call that one of `ranks` has waited in for the longest; none shorter than `worth_ns`.
struct LongestWait {
  std::string group{};
  int64_t seq = 0, waited_ns = 0;
  std::vector<int> waiting{}, missing{};  // of all ranks
};
std::optional<LongestWait> longest_wait(const Calls& calls, const std::vector<int>& ranks, int64_t worth_ns);

std::string waited_words(int64_t ns);  // "1.50 s", "35.2 ms"

}  // namespace ringside::figure
