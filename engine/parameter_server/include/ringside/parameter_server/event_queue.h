// What is planned, in the order of time; of one time, in the order in which it was planned. What is planned
// stays in its place: the heap above it moves 24 bytes a step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringside {

template <typename T>
class EventQueue {
 public:
  void plan(int64_t time_ns, T what) {
    uint32_t slot = static_cast<uint32_t>(slots_.size());
    if (free_.empty()) {
      slots_.push_back(std::move(what));
    } else {
      slot = free_.back();
      free_.pop_back();
      slots_[slot] = std::move(what);
    }
    heap_.push_back({time_ns, planned_++, slot});
    std::push_heap(heap_.begin(), heap_.end());
  }

  bool empty() const { return heap_.empty(); }
  int64_t next_ns() const { return heap_.front().time_ns; }

  T take() {
    const uint32_t slot = heap_.front().slot;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    free_.push_back(slot);
    return std::move(slots_[slot]);
  }

 private:
  struct Entry {
    int64_t time_ns = 0;
    uint64_t order = 0;
    uint32_t slot = 0;
    bool operator<(const Entry& other) const {  // the heap's top is its largest
      return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
    }
  };

  std::vector<Entry> heap_ = {};
  std::vector<T> slots_ = {};
  std::vector<uint32_t> free_ = {};
  uint64_t planned_ = 0;
};

}  // namespace ringside
