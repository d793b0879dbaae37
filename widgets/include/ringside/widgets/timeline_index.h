// The events of a section in the order in which a timeline needs them: lanes in which
// nothing overlaps, sorted by time, so that a frame costs its pixels, not its events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::ui {

class TimelineLane {
 public:
  struct Item {
    int64_t start_ns, end_ns;
    uint32_t event;  // its index in the section's spans or collectives of the rank
    uint32_t kind;   // items of one kind look alike
  };
  // False where it overlaps what is there. O(1) at the end; elsewhere what lies behind it moves.
  bool insert(const Item& item);
  size_t size() const { return items_.size(); }
  const Item& operator[](size_t i) const { return items_[i]; }
  size_t first_ending_after(int64_t time_ns) const;
  size_t first_starting_at(int64_t time_ns, size_t from = 0) const;  // or after, at or behind `from`
  bool alike(size_t first, size_t last) const { return run_[last - 1] <= first; }  // [first, last), not empty
  int64_t busy_ns(size_t first, size_t last) const;  // of [first, last) together

 private:
  void measure(size_t from);
  std::vector<Item> items_;
  std::vector<uint32_t> run_;  // the first item of the run of like ones that each belongs to
  std::vector<int64_t> busy_;  // up to and with each
};

class TimelineIndex {
 public:
  // A collective as all ranks know it: of a group, or between two ranks (channel: the peer, twofold).
  using CollectiveKey = std::tuple<NameId, int32_t, int64_t>;  // group, channel, seq
  struct Rank {
    std::vector<TimelineLane> compute;  // innermost spans first; what encloses them behind
    std::vector<TimelineLane> waits;    // spans that only wait
    std::vector<TimelineLane> comm;     // from started to completed
    TimelineLane steps;
    std::map<CollectiveKey, uint32_t> open;  // the last event of each that has not completed
    uint64_t left_out = 0;                   // overlapped more deeply than there are lanes
    // Of each group and channel, seq and start in the order of completion.
    std::map<std::pair<NameId, int32_t>, std::vector<std::pair<int64_t, int64_t>>> starts;
    size_t spans = 0, collectives = 0;  // taken in so far
  };
  static constexpr size_t kLanes = 4;

  // Takes in what came since the last call; another section starts anew. O(new events).
  // `step`: the span that encloses a step of the lesson; "wait..." only wait.
  void update(const Trace& trace, const SectionView& section, std::string_view step = "step");
  const std::string& step() const { return step_; }
  // Names of spans that work, in the order in which they came: "forward", "evaluate".
  const std::vector<NameId>& phases() const { return phases_; }
  bool only_steps() const;  // nothing lies in them: they are what there is to see
  int ranks() const { return int(ranks_.size()); }
  const Rank& rank(int rank) const { return ranks_[size_t(rank)]; }
  const SectionView& section() const { return section_; }  // as of the last update
  bool is_of(const SectionView& section) const { return identity_of(section) == identity_; }
  const void* identity() const { return identity_; }  // another one for another section
  bool empty() const { return first_ns_ > last_ns_; }
  int64_t first_ns() const { return empty() ? 0 : first_ns_; }
  int64_t last_ns() const { return empty() ? 0 : last_ns_; }

  static CollectiveKey key_of(const CollectiveEvent& event);
  // The same collective on another rank: for a send its recv. Empty where it has not completed there.
  std::optional<int64_t> start_of(const CollectiveEvent& event, int rank) const;

 private:
  static const void* identity_of(const SectionView& section);
  void take_spans(const Trace& trace, int rank);
  void take_collectives(int rank);
  void widen(int64_t time_ns);
  enum class Kind : uint8_t { kStep, kWait, kWork };
  Kind kind_of(const Trace& trace, NameId name);

  SectionView section_;
  const void* identity_ = nullptr;
  std::string step_;
  std::vector<Rank> ranks_;
  std::map<NameId, Kind> kinds_;
  std::vector<NameId> phases_;
  int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
};

}  // namespace ringside::ui
