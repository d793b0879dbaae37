// What every rank holds at any instant of one section, block by block.
//
// Memory events carry a difference, so they can be applied and taken back: a playhead
// that moves a little costs what lies between. A jump starts at the nearest
// checkpoint, of which there is one about every thousand events.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::ui {

class MemoryHistory {
 public:
  struct Held {
    NameId unit = 0, tensor = 0;
    int64_t bytes = 0;
    bool operator==(const Held&) const = default;
  };

  // Takes in what came since the last call; another section starts anew. O(new events).
  void update(const SectionView& section);
  int ranks() const { return int(tracks_.size()); }

  // Everything a rank holds of a category after the events up to and at that time, in the order in
  // which the tensors were first allocated in this section. Valid until the next call for the same
  // rank and category.
  const std::vector<Held>& at(int rank, Category category, int64_t time_ns);
  int64_t total(int rank, Category category, int64_t time_ns) const;  // O(log events)
  int64_t total(int rank, int64_t time_ns) const;
  // The highest total up to that time: of one category, and of all of them together.
  int64_t peak(int rank, Category category, int64_t time_ns) const;
  int64_t peak(int rank, int64_t time_ns) const;
  int64_t highest() const { return highest_; }      // of any rank over the section so far: for an axis
  uint64_t events_moved() const { return moved_; }  // by all calls of at(): what they cost

 private:
  static constexpr size_t kInterval = 1024;
  struct Live {
    uint32_t slot;
    int64_t bytes;
  };
  struct Checkpoint {
    size_t events;
    std::vector<Live> live;
  };
  // One category of one rank.
  struct Track {
    EventRange<MemoryEvent> events;
    const Pyramid* times = nullptr;  // of the same events, never falling
    std::map<std::pair<NameId, NameId>, uint32_t> slots;
    std::vector<std::pair<NameId, NameId>> names;  // of each slot
    std::vector<uint32_t> slot_of;                 // of each event
    std::vector<int64_t> peaks;                    // of the rank's total, as this category's events saw it
    std::vector<Checkpoint> checkpoints;
    std::vector<Live> newest;  // after the last event

    size_t cursor = 0;  // events applied to `shown`
    std::vector<uint32_t> shown_slots;
    std::vector<Held> shown;
  };

  const Track& track(int rank, Category category) const;
  static size_t events_until(const Track& track, int64_t time_ns);
  void extend(Track& track, const SectionView& section, int rank, Category category);
  void move_to(Track& track, size_t events);
  static void add(Track& track, size_t event, int64_t sign);

  SectionView section_;  // keeps what the tracks point to
  std::vector<std::array<Track, kCategoryCount>> tracks_;
  int64_t highest_ = 0;
  uint64_t moved_ = 0;
};

}  // namespace ringside::ui
