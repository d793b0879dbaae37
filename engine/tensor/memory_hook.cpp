#include "ringside/tensor/memory_hook.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

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

  void reassign(void* ptr, Category to, NameId to_unit, NameId to_tensor) {
    const auto found = entries_.find(ptr);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (entry.category == to && entry.unit == to_unit && entry.tensor == to_tensor) return;
    const int64_t bytes = entry.bytes;
    change(entry, -bytes);
    entry = {bytes, to, to_unit, to_tensor};
    change(entry, bytes);
  }

  NameId name(std::string_view text) {
    return recorder_ == nullptr || text.empty() ? 0 : recorder_->name(text);
  }

  Category category = Category::kOther;  // of allocations from now on
  NameId unit = 0, tensor = 0;
  std::array<int64_t, kCategoryCount> live{}, peak{};
  int64_t total = 0, total_peak = 0;

 private:
  struct Entry {
    int64_t bytes;
    Category category;
    NameId unit, tensor;
  };

  void report(void* ptr, int64_t bytes) {
    if (bytes > 0) {
      const Entry entry{bytes, category, unit, tensor};
      entries_[ptr] = entry;
      change(entry, bytes);
    } else if (const auto found = entries_.find(ptr); found != entries_.end()) {
      change(found->second, -found->second.bytes);
      entries_.erase(found);
    }
  }

  void change(const Entry& entry, int64_t delta) {
    const auto index = static_cast<size_t>(entry.category);
    live[index] += delta;
    peak[index] = std::max(peak[index], live[index]);
    total += delta;
    total_peak = std::max(total_peak, total);
    if (recorder_ == nullptr) return;
    MemoryEvent event;
    event.time_ns = now_ns();
    event.delta_bytes = delta;
    event.live_bytes = live[index];
    event.peak_bytes = peak[index];
    event.total_bytes = total;
    event.unit = entry.unit;
    event.tensor = entry.tensor;
    event.rank = recorder_->rank();
    event.category = entry.category;
    recorder_->memory(event);
  }

  Recorder* recorder_;
  std::unordered_map<void*, Entry> entries_;
};

class MemoryHookGuard {
 public:
  explicit MemoryHookGuard(std::shared_ptr<c10::DebugInfoBase> info)
      : guard_(c10::DebugInfoKind::PROFILER_STATE, std::move(info)) {}

 private:
  c10::DebugInfoGuard guard_;
};

MemoryHook::MemoryHook(Recorder* recorder) : book_(std::make_shared<Book>(recorder)) {
  guard_ = std::make_unique<MemoryHookGuard>(book_);
  current_hook = this;
}

MemoryHook::~MemoryHook() { current_hook = nullptr; }

int64_t MemoryHook::live(Category category) const { return book_->live[static_cast<size_t>(category)]; }
int64_t MemoryHook::live_total() const { return book_->total; }
int64_t MemoryHook::peak_total() const { return book_->total_peak; }
MemoryHook* MemoryHook::current() { return current_hook; }

MemoryScope::MemoryScope(Category category, std::string_view unit, std::string_view tensor) {
  if (current_hook == nullptr) return;
  MemoryHook::Book& book = *current_hook->book_;
  category_ = std::exchange(book.category, category);
  unit_ = std::exchange(book.unit, book.name(unit));
  tensor_ = std::exchange(book.tensor, book.name(tensor));
}

MemoryScope::~MemoryScope() {
  if (current_hook == nullptr) return;
  MemoryHook::Book& book = *current_hook->book_;
  book.category = category_;
  book.unit = unit_;
  book.tensor = tensor_;
}

void book_as(const at::Tensor& tensor, Category category, std::string_view unit, std::string_view name) {
  if (current_hook == nullptr || !tensor.defined()) return;
  MemoryHook::Book& book = *current_hook->book_;
  book.reassign(tensor.storage().data_ptr().get(), category, book.name(unit), book.name(name));
}

void book_next_as_unit(std::string_view unit) {
  if (current_hook == nullptr) return;
  current_hook->book_->unit = current_hook->book_->name(unit);
}

}  // namespace ringside
