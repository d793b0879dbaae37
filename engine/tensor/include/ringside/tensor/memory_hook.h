// Measures what a rank's tensors take, by category, as the allocator hands it out. One hook a rank, living on
// the rank's own thread: it sees every allocation and free of that thread on one device, so a tensor must die
// on the thread it was made on. Nothing here is computed from shapes.
//
// On a GPU a tensor's bytes are those that were asked for. By how much the caching allocator rounds its
// blocks up is booked beside them, as "other", tensor kAllocatorRounding (trace/training_rows.h). It cannot
// tell whose the memory is that it keeps and nobody uses.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <optional>
#include <string_view>

#include "ringside/trace/trace.h"

namespace ringside::inline tensor {

class MemoryHook {
 public:
  // Installs itself on the calling thread until destroyed. recorder may be null.
  explicit MemoryHook(Recorder* recorder, at::Device device = at::kCPU);
  ~MemoryHook();

  // Books, as "other", bytes that the rank has had since before.
  void hold(int64_t bytes, std::string_view name);

  int64_t live(Category category) const;  // bytes
  int64_t live_total() const;
  int64_t peak_total() const;
  int64_t cached() const;  // of a GPU's allocator when it was last heard of: held for all ranks, and unused

  static MemoryHook* current();  // of this thread; null where none is installed

  class Book;
  Book& book() const { return *book_; }

 private:
  std::shared_ptr<Book> book_;
  c10::DebugInfoGuard guard_;
  MemoryHook* outer_;  // installed before this one, and again after it
};

// What an allocation is for.
struct MemoryLabel {
  Category category = Category::kOther;
  NameId unit = 0, tensor = 0;
  bool operator==(const MemoryLabel&) const = default;
};

inline constexpr std::nullopt_t kSameUnit = std::nullopt;

// Allocations of this thread belong to (category, unit, tensor) until it ends.
// Without a hook on the thread it does nothing.
class MemoryScope {
 public:
  // With kSameUnit the unit stays what it is.
  MemoryScope(Category category, std::optional<std::string_view> unit = "", std::string_view tensor = "");
  ~MemoryScope();
  MemoryScope& operator=(MemoryScope&&) = delete;

 private:
  MemoryLabel before_;
};

// Moves the storage of a tensor to another category, unit and name: a gradient, for one, is
// allocated inside backward, where nobody knows yet what it is.
void book_as(const at::Tensor& tensor, Category category, std::string_view unit = "",
             std::string_view name = "");

// Until this thread's current scope ends, allocations belong to another unit: backward
// runs through all of them inside one scope.
void book_next_as_unit(std::string_view unit);

}  // namespace ringside::inline tensor
