#include <utility>

#include "ringside/base/check.h"
#include "ringside/trace/trace.h"

namespace ringside::inline trace {

NameId Recorder::name(std::string_view text) { return store_.intern(text); }

void Recorder::memory(MemoryEvent event) {
  const auto category = static_cast<size_t>(event.category);
  RINGSIDE_CHECK_LT(category, kCategories.size());
  event.rank = rank_;
  const std::lock_guard lock(mutex_);
  // The pyramid first: a reader that sees n events finds n points.
  tracks_.memory_pyramids[category].add(event.time_ns, static_cast<double>(event.live_bytes));
  tracks_.memory[category].push(event);
}

void Recorder::row(RowEvent row) {
  RINGSIDE_CHECK(row.table != nullptr, "trace: a row of no table");
  const std::string why = row.make_fit();
  RINGSIDE_CHECK(why.empty(), "trace: row: " << why);
  append(tracks_.rows, std::move(row));
}

TablePtr Recorder::declare(TraceTable table) { return store_.declare(std::move(table)); }

void Recorder::begin(std::optional<int64_t> time_ns) {
  const std::lock_guard lock(mutex_);
  RINGSIDE_CHECK(tracks_.began.size() + tracks_.ended.size() == 0,
                 "trace: rank " << rank_ << " has come or gone already");
  tracks_.began.push(time_ns.value_or(now()));
}

void Recorder::end(std::optional<int64_t> time_ns) {
  const std::lock_guard lock(mutex_);
  RINGSIDE_CHECK(tracks_.ended.size() == 0, "trace: rank " << rank_ << " has gone already");
  tracks_.ended.push(time_ns.value_or(now()));
}

void Recorder::span(std::string_view name, int64_t start_ns, int64_t end_ns, int64_t step,
                    std::string_view unit) {
  span({start_ns, end_ns, this->name(name), this->name(unit), step});
}

void Recorder::scalar(std::string_view name, int64_t step, double value) {
  scalar({.time_ns = now(), .step = step, .value = value, .name = this->name(name)});
}

void Recorder::note(std::string_view name, int64_t step, std::string_view unit) {
  note({.time_ns = now(), .step = step, .name = this->name(name), .unit = this->name(unit)});
}

void Recorder::row(const TablePtr& table, std::vector<Attribute> values) {
  row({.table = table, .time_ns = now(), .values = std::move(values)});
}

SpanScope::SpanScope(Recorder& recorder, std::string_view name, int64_t step, std::string_view unit)
    : recorder_(recorder), span_{recorder.now(), 0, recorder.name(name), recorder.name(unit), step} {}

SpanScope::~SpanScope() {
  span_.end_ns = recorder_.now();
  recorder_.span(span_);
}

}  // namespace ringside::inline trace
