#include "ringside/tensor/memory_hook.h"

#include <c10/core/Allocator.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "ringside/base/clock.h"

namespace ringside {
namespace {

thread_local MemoryHook* current_hook = nullptr;

}  // namespace

// Which pointer belongs to what. Single-threaded: it is only reached from the rank's own thread.
class MemoryHook::Book : public c10::MemoryReportingInfoBase {
 public:
  explicit Book(Recorder* recorder) : recorder_(recorder) {}

  bool memoryProfilingEnabled() const override { return true; }
  // The integer types of this function changed between LibTorch 1.13 and 2.x;
  // whichever of the two is virtual there overrides it.
  void reportMemoryUsage(void* ptr, int64_t bytes, int64_t, int64_t, c10::Device) { report(ptr, bytes); }
  void reportMemoryUsage(void* ptr, int64_t bytes, size_t, size_t, c10::Device) { report(ptr, bytes); }

  void reassign(void* ptr, const MemoryLabel& to) {
    const auto found = entries_.find(ptr);
    if (found == entries_.end() || found->second.label == to) return;
    Entry& entry = found->second;
    change(entry, -entry.bytes);
    entry.label = to;
    change(entry, entry.bytes);
  }

  NameId name(std::string_view text) {
    return recorder_ == nullptr || text.empty() ? 0 : recorder_->name(text);
  }

  MemoryLabel label;  // of allocations from now on
  std::array<int64_t, kCategoryCount> live{}, peak{};
  int64_t total = 0;

 private:
  struct Entry {
    int64_t bytes;
    StorageId storage;
    MemoryLabel label;
  };

  void report(void* ptr, int64_t bytes) {
    if (bytes > 0) {
      change(entries_[ptr] = {bytes, ++allocations_, label}, bytes);
    } else if (const auto found = entries_.find(ptr); found != entries_.end()) {
      change(found->second, -found->second.bytes);
      entries_.erase(found);
    }
  }

  void change(const Entry& entry, int64_t delta) {
    const MemoryLabel& of = entry.label;
    const auto index = static_cast<size_t>(of.category);
    live[index] += delta;
    peak[index] = std::max(peak[index], live[index]);
    total += delta;
    if (recorder_ == nullptr) return;
    recorder_->memory({.time_ns = now_ns(),
                       .delta_bytes = delta,
                       .live_bytes = live[index],
                       .peak_bytes = peak[index],
                       .total_bytes = total,
                       .storage = entry.storage,
                       .unit = of.unit,
                       .tensor = of.tensor,
                       .category = of.category});
  }

  Recorder* recorder_;
  StorageId allocations_ = 0;  // so far; the number of the last one
  std::unordered_map<void*, Entry> entries_;
};

MemoryHook::MemoryHook(Recorder* recorder)
    : book_(std::make_shared<Book>(recorder)), guard_(c10::DebugInfoKind::PROFILER_STATE, book_) {
  current_hook = this;
}

MemoryHook::~MemoryHook() { current_hook = nullptr; }

int64_t MemoryHook::live(Category category) const { return book_->live[static_cast<size_t>(category)]; }
int64_t MemoryHook::live_total() const { return book_->total; }
MemoryHook* MemoryHook::current() { return current_hook; }

MemoryScope::MemoryScope(Category category, std::optional<std::string_view> unit, std::string_view tensor) {
  if (current_hook == nullptr) return;
  MemoryHook::Book& book = current_hook->book();
  const NameId unit_id = unit ? book.name(*unit) : book.label.unit;
  before_ = std::exchange(book.label, {category, unit_id, book.name(tensor)});
}

MemoryScope::~MemoryScope() {
  if (current_hook != nullptr) current_hook->book().label = before_;
}

void book_as(const at::Tensor& tensor, Category category, std::string_view unit, std::string_view name) {
  if (current_hook == nullptr || !tensor.defined()) return;
  MemoryHook::Book& book = current_hook->book();
  book.reassign(tensor.storage().data_ptr().get(), {category, book.name(unit), book.name(name)});
}

void book_next_as_unit(std::string_view unit) {
  if (current_hook == nullptr) return;
  MemoryHook::Book& book = current_hook->book();
  book.label.unit = book.name(unit);
}

}  // namespace ringside
