// JSONL and the one JSON document, the same records laid out twice; and the choice of a format.
#include <array>
#include <functional>
#include <ostream>

#include "json_text.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/check.h"
#include "ringside/trace/files.h"

namespace ringside::inline trace {
namespace {

// Where records go, kind after kind.
struct Layout {
  std::function<void(const char* key)> begin_kind;  // the key is the one document's
  std::function<void(const ObjectText& record)> add;
};

class RecordWriter {
 public:
  RecordWriter(const Trace& trace, Layout layout) : trace_(trace), layout_(std::move(layout)) {}

  void write() {
    const TraceRows& rows = trace_.rows();
    layout_.begin_kind("sections");
    for (const SectionView& section : trace_.sections())
      add("section", "name", section.name(), "ranks", section.ranks(), "attributes", section.attributes());
    write_lives();
    write_events("collectives", "collective", &SectionView::collectives);
    write_memory();
    write_events("spans", "span", &SectionView::spans);
    write_events("scalars", "scalar", &SectionView::scalars);
    write_events("notes", "note", &SectionView::notes);
    write_events("messages", "message", &SectionView::messages);
    layout_.begin_kind("tables");
    for (const TablePtr& table : trace_.tables()) add_fields(*table, "table");
    write_events("rows", "row", &SectionView::rows);
    write_rows("predictions", "prediction", rows.predictions);
    write_rows("claims", "claim", rows.claims);
    write_rows("ledger", "ledger", rows.ledger);
    layout_.begin_kind("outcome");
    for (const auto& [name, value] : rows.outcome) add("outcome", "name", name, "value", value);
    for (const auto& [name, value] : rows.outcome_text) add("outcome_text", "name", name, "value", value);
    layout_.begin_kind("lines");
    for (const std::string& line : rows.lines) add("line", "text", line);
  }

 private:
  // Of those ranks that came or went.
  void write_lives() {
    layout_.begin_kind("ranks");
    for_each_rank([&](size_t index, const SectionView& section, int rank) {
      const auto [began_ns, ended_ns] = section.life(rank);
      if (!began_ns && !ended_ns) return;
      add("rank", "section", index, "rank", rank, "began_ns", began_ns, "ended_ns", ended_ns);
    });
  }

  void write_memory() {
    layout_.begin_kind("memory");
    for_each_rank([&](size_t index, const SectionView& section, int rank) {
      for (const Category category : kCategories)
        add_events("memory", index, rank, section.memory(rank, category));
    });
  }

  template <typename Event>
  void write_events(const char* key, const char* type, EventRange<Event> (SectionView::*events)(int) const) {
    layout_.begin_kind(key);
    for_each_rank([&](size_t index, const SectionView& section, int rank) {
      add_events(type, index, rank, (section.*events)(rank));
    });
  }

  void write_rows(const char* key, const char* type, const auto& rows) {
    layout_.begin_kind(key);
    for (const auto& row : rows) add_fields(row, type);
  }

  void for_each_rank(auto visit) {
    for (size_t index = 0; index < trace_.sections().size(); ++index)
      for (int rank = 0; rank < trace_.sections()[index].ranks(); ++rank)
        visit(index, trace_.sections()[index], rank);
  }

  void add_events(const char* type, size_t section, int rank, const auto& events) {
    for (const auto& event : events) add_fields(event, type, "section", section, "rank", rank);
  }
  void add_fields(const auto& value, const char* type, const auto&... more) {
    ObjectText record(trace_);
    record("type", type, more...);
    visit_fields(value, record);
    layout_.add(record);
  }
  void add(const char* type, const auto&... fields) {
    layout_.add(ObjectText(trace_)("type", type, fields...));
  }

  const Trace& trace_;
  const Layout layout_;
};

}  // namespace

void write_jsonl(const Trace& trace, std::ostream& out) {
  const auto write_line = [&](const ObjectText& record) { out << record.text() << '\n'; };
  write_line(ObjectText(trace)("ringside_trace", kTraceFileVersion, "scenario", trace.scenario()));
  RecordWriter(trace, {[](const char*) {}, write_line}).write();
  write_line(ObjectText(trace)("type", "end", "complete", trace.complete()));
}

void export_json(const Trace& trace, std::ostream& out) {
  const ObjectText head = ObjectText(trace)("ringside_trace", kTraceFileVersion, "scenario", trace.scenario(),
                                            "complete", trace.complete());
  std::string before_kind = head.text();
  before_kind.pop_back();  // the brace: arrays follow
  const char* before_record = "\n";
  const auto begin_kind = [&](const char* key) {
    out << before_kind << ",\n\"" << key << "\":[";
    before_kind = "]";
    before_record = "\n";
  };
  const auto add = [&](const ObjectText& record) {
    out << before_record << record.text();
    before_record = ",\n";
  };
  RecordWriter(trace, {begin_kind, add}).write();
  out << "]}\n";
}

void write_trace_file(const Trace& trace, const std::filesystem::path& path, TraceFormat format) {
  constexpr std::array kWriters = {write_jsonl, export_json, export_chrome};  // in the order of TraceFormat
  RINGSIDE_CHECK_LT(static_cast<size_t>(format), kWriters.size());
  write_file_atomically(path, [&](std::ostream& out) { kWriters[size_t(format)](trace, out); });
}

}  // namespace ringside::inline trace
