// A trace with other figures in it, made of a real one: what follows from the trace alone, such as a claim or a
// figure, must follow.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "ringside/trace/fields.h"

namespace ringside::testing {

enum class Doctored {
  kNumbers,  // every scalar, time, count of bytes, number in a row, in the outcome and in the ledger
  kAll       // and every text and yes or no in a row, and every number that a section says of itself
};

// A visitor of visit_fields. Times grow unevenly and keep their order. Numbers grow by a factor that differs from
// record to record, so that shares and ratios change too.
class DoctoredTrace {
 public:
  DoctoredTrace(const Trace& trace, Doctored how)
      : trace_(trace), how_(how), store_(TraceStore::create(trace.scenario())) {}

  Trace made() {
    for (const SectionView& section : trace_.sections()) add_section(section);
    for_each_rank([&](const SectionView& section, int rank, Recorder& into) {
      auto [began_ns, ended_ns] = section.life(rank);
      if (began_ns) into.begin(later(*began_ns));
      if (ended_ns) into.end(later(*ended_ns));
    });
    add_events(&SectionView::collectives, &Recorder::collective);
    for_each_rank([&](const SectionView& section, int rank, Recorder& into) {
      for (const Category category : kCategories)
        for (MemoryEvent event : section.memory(rank, category)) into.memory(changed(event));
    });
    add_events(&SectionView::spans, &Recorder::span);
    add_events(&SectionView::scalars, &Recorder::scalar);
    add_events(&SectionView::notes, &Recorder::note);
    add_events(&SectionView::messages, &Recorder::message);
    for (const TablePtr& table : trace_.tables()) store_->declare(*table);
    add_events(&SectionView::rows, &Recorder::row);
    add_written_rows();
    if (trace_.complete()) store_->set_complete();
    return store_->snapshot();
  }

  template <typename T, typename... More>
  void operator()(std::string_view key, T& field, More&&... more) {
    change(key, field);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

 private:
  int64_t factor() const { return 2 + nth_ % 3; }
  int64_t later(int64_t time_ns) {
    if (time_ns == 0) return time_ns;  // "not yet"
    first_ns_ = std::min(first_ns_, time_ns);
    const double seconds = static_cast<double>(time_ns - first_ns_) / 1e9;
    return first_ns_ + 3 * (time_ns - first_ns_) + static_cast<int64_t>(seconds * seconds * 1e8);
  }
  double other(double number) const {
    const bool whole = number == std::trunc(number) && std::abs(number) < 1e16;
    return number * static_cast<double>(factor()) + (whole ? 1 : 0.25);
  }
  int64_t other(int64_t number) const { return number % (int64_t{1} << 60) * factor() + 1; }
  bool other(bool yes) const { return !yes; }
  std::string other(const std::string& text) const { return text + "~"; }
  static bool is_number(const Attribute& value) {
    return kind_of(value) == ColumnKind::kInteger || kind_of(value) == ColumnKind::kNumber;
  }
  void change(Attribute& value) {
    if (is_number(value) || how_ == Doctored::kAll)
      value = std::visit([&](const auto& held) { return Attribute(other(held)); }, value.value());
  }

  void change(std::string_view, auto&) {}  // what kind of thing it is, and how many there are
  void change(std::string_view, NameId& id) { id = store_->intern(trace_.name(id)); }
  void change(std::string_view key, int64_t& number) {
    if (key.ends_with("_ns")) number = later(number);
    if (key.starts_with("bytes") || key.ends_with("_bytes")) number *= factor();
  }
  void change(std::string_view, TablePtr& table) { table = store_->declare(*table); }
  void change(std::string_view, std::vector<Attribute>& values) {
    for (Attribute& value : values) change(value);
  }

  template <typename Event>
  Event changed(Event event) {
    visit_fields(event, *this);
    if constexpr (std::is_same_v<Event, ScalarEvent>) event.value = other(event.value);
    ++nth_;
    return event;
  }
  void add_section(const SectionView& section) {
    Attributes attributes = section.attributes();
    for (auto& [name, value] : attributes)
      if (how_ == Doctored::kAll && is_number(value)) change(value);
    recorders_.push_back(store_->add_section(section.name(), std::move(attributes), section.ranks()));
    ++nth_;
  }
  template <typename Event>
  void add_events(EventRange<Event> (SectionView::*events)(int) const, void (Recorder::*record)(Event)) {
    for_each_rank([&](const SectionView& section, int rank, Recorder& into) {
      for (const Event& event : (section.*events)(rank)) (into.*record)(changed(event));
    });
  }
  void add_written_rows() {
    TraceRows rows = trace_.rows();
    for (LedgerRow& row : rows.ledger) row.counted = other(row.counted), ++nth_;
    for (auto& [name, value] : rows.outcome) value = other(value), ++nth_;
    store_->set_rows(std::move(rows));
  }
  void for_each_rank(auto visit) {
    for (size_t index = 0; index < trace_.sections().size(); ++index)
      for (int rank = 0; rank < trace_.sections()[index].ranks(); ++rank)
        visit(trace_.sections()[index], rank, *recorders_[index][static_cast<size_t>(rank)]);
  }

  const Trace& trace_;
  const Doctored how_;
  const std::shared_ptr<TraceStore> store_;
  std::vector<std::vector<Recorder*>> recorders_ = {};  // [section][rank]
  int64_t first_ns_ = INT64_MAX, nth_ = 1;              // the record
};

inline Trace doctored(const Trace& trace, Doctored how) { return DoctoredTrace(trace, how).made(); }

}  // namespace ringside::testing
