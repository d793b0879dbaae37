// A growing array whose elements never move and never change once published.
// One writer at a time; any number of readers, without a lock: a reader that
// has seen size() == n may read [0, n) for ever.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <tuple>
#include <utility>

namespace ringside::inline trace {

template <typename T>
class AppendOnly {
 public:
  AppendOnly() = default;
  AppendOnly& operator=(AppendOnly&&) = delete;
  ~AppendOnly() {
    for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
  }

  // Publishes one element. Costs O(1): block k holds kFirst << k elements.
  void push(const T& value) {
    const size_t index = size_.load(std::memory_order_relaxed);
    const auto [block, offset] = locate(index);
    T* data = blocks_[block].load(std::memory_order_relaxed);
    if (data == nullptr) {
      data = new T[kFirst << block];
      blocks_[block].store(data, std::memory_order_relaxed);
    }
    data[offset] = value;
    size_.store(index + 1, std::memory_order_release);
  }

  size_t size() const { return size_.load(std::memory_order_acquire); }

  const T& operator[](size_t index) const {
    const auto [block, offset] = locate(index);
    return blocks_[block].load(std::memory_order_relaxed)[offset];
  }
  // From `index` to the end of its block: where it is, and how many lie there. Null where there is no block
  // yet.
  std::pair<const T*, size_t> block_at(size_t index) const {
    const auto [block, offset] = locate(index);
    const T* data = blocks_[block].load(std::memory_order_relaxed);
    return {data == nullptr ? nullptr : data + offset, (kFirst << block) - offset};
  }

 private:
  static constexpr size_t kFirst = 64;
  static constexpr size_t kBlocks = 40;
  static std::pair<size_t, size_t> locate(size_t index) {  // block, and place in it
    const size_t block = std::bit_width(index / kFirst + 1) - 1;
    return {block, index - kFirst * ((size_t{1} << block) - 1)};
  }

  std::array<std::atomic<T*>, kBlocks> blocks_{};
  std::atomic<size_t> size_{0};
};

// The first `size` elements of an AppendOnly: what one snapshot shows.
template <typename T>
class EventRange {
 public:
  EventRange() = default;
  explicit EventRange(const AppendOnly<T>& events) : events_(&events), size_(events.size()) {}
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t index) const { return (*events_)[index]; }
  const T& back() const { return (*events_)[size_ - 1]; }

  // Looks for the next block once a block.
  class Iterator {
   public:
    Iterator(const AppendOnly<T>* events, size_t index) : events_(events), index_(index) {
      if (events != nullptr) std::tie(at_, left_) = events->block_at(index);
    }
    const T& operator*() const { return *at_; }
    Iterator& operator++() {
      ++index_;
      if (--left_ > 0)
        ++at_;
      else
        std::tie(at_, left_) = events_->block_at(index_);
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const AppendOnly<T>* events_;
    size_t index_;
    const T* at_ = nullptr;
    size_t left_ = 0;
  };
  Iterator begin() const { return {events_, 0}; }
  Iterator end() const { return {events_, size_}; }

 private:
  const AppendOnly<T>* events_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ringside::inline trace
