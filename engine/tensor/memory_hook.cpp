#include "ringside/tensor/memory_hook.h"

#include <c10/core/Allocator.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "ringside/base/clock.h"
#include "ringside/device/kernels.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline tensor {
namespace {

thread_local MemoryHook* current_hook = nullptr;

}  // namespace

// Which pointer belongs to what. Single-threaded: it is only reached from the rank's own thread.
class MemoryHook::Book : public c10::MemoryReportingInfoBase {
 public:
  Book(Recorder* recorder, at::DeviceType type) : recorder_(recorder), type_(type) {}

  bool memoryProfilingEnabled() const override { return true; }
  // The integer types of this function changed between LibTorch 1.13 and 2.x;
  // whichever of the two is virtual there overrides it.
  void reportMemoryUsage(void* ptr, int64_t bytes, int64_t, int64_t, c10::Device device) {
    report(ptr, bytes, device);
  }
  void reportMemoryUsage(void* ptr, int64_t bytes, size_t allocated, size_t reserved, c10::Device device) {
    report(ptr, bytes, device);
    if (device.type() == type_) cached = int64_t(reserved - allocated);
  }

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

  void hold(int64_t bytes, std::string_view what) {
    if (bytes > 0) change({bytes, ++allocations_, {Category::kOther, 0, name(what)}}, bytes);
  }

  MemoryLabel label;  // of allocations from now on
  std::array<int64_t, kCategoryCount> live{}, peak{};
  int64_t total = 0, peak_total = 0, cached = 0;

 private:
  struct Entry {
    int64_t bytes;
    StorageId storage;
    MemoryLabel label;
    int64_t rounding = 0;  // beside them
  };

  void report(void* ptr, int64_t bytes, c10::Device device) {
    if (device.type() != type_) return;
    if (bytes > 0) {
      const int64_t asked = type_ == at::kCPU ? bytes : device_kernels().asked_for(ptr, bytes);
      const Entry& entry = entries_[ptr] = {asked, ++allocations_, label, bytes - asked};
      change(entry, asked);
      round(entry, entry.rounding);
    } else if (const auto found = entries_.find(ptr); found != entries_.end()) {
      change(found->second, -found->second.bytes);
      round(found->second, -found->second.rounding);
      entries_.erase(found);
    }
  }
  void round(const Entry& entry, int64_t delta) {
    if (delta != 0) change({0, entry.storage, {Category::kOther, 0, name(kAllocatorRounding)}}, delta);
  }

  void change(const Entry& entry, int64_t delta) {
    const MemoryLabel& of = entry.label;
    const auto index = size_t(of.category);
    live[index] += delta;
    peak[index] = std::max(peak[index], live[index]);
    total += delta;
    peak_total = std::max(peak_total, total);
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
  const at::DeviceType type_;
  StorageId allocations_ = 0;  // so far; the number of the last one
  std::unordered_map<void*, Entry> entries_;
};

MemoryHook::MemoryHook(Recorder* recorder, at::Device device)
    : book_(std::make_shared<Book>(recorder, device.type())),
      guard_(c10::DebugInfoKind::PROFILER_STATE, book_),
      outer_(std::exchange(current_hook, this)) {}

MemoryHook::~MemoryHook() { current_hook = outer_; }

void MemoryHook::hold(int64_t bytes, std::string_view name) { book_->hold(bytes, name); }
int64_t MemoryHook::live(Category category) const { return book_->live[size_t(category)]; }
int64_t MemoryHook::live_total() const { return book_->total; }
int64_t MemoryHook::peak_total() const { return book_->peak_total; }
int64_t MemoryHook::cached() const { return book_->cached; }
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

}  // namespace ringside::inline tensor
