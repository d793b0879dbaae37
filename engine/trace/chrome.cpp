// The Trace Event Format. Slices of one thread must nest there; one that does
// not is written as a pair of asynchronous events, which need not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "json_text.h"
#include "ringside/trace/files.h"

namespace ringside::inline trace {
namespace {

constexpr int kCompute = 0, kComm = 1, kMessages = 2;  // threads

// The first of the times that the export shows.
int64_t first_time(const Trace& trace) {
  int64_t first = std::numeric_limits<int64_t>::max();
  const auto see = [&](const auto& events, auto time) {
    for (const auto& event : events) first = std::min(first, event.*time);
  };
  for (const SectionView& section : trace.sections())
    for (int rank = 0; rank < section.ranks(); ++rank) {
      for (const auto& event : section.collectives(rank))
        if (event.time_started_ns != 0) first = std::min(first, event.time_started_ns);
      for (const Category category : kCategories) see(section.memory(rank, category), &MemoryEvent::time_ns);
      see(section.spans(rank), &SpanEvent::start_ns);
      see(section.scalars(rank), &ScalarEvent::time_ns);
      see(section.notes(rank), &NoteEvent::time_ns);
      see(section.rows(rank), &RowEvent::time_ns);
      see(section.messages(rank), &MessageEvent::time_sent_ns);
      first = std::min(first, section.life(rank).began_ns.value_or(first));
    }
  return first == std::numeric_limits<int64_t>::max() ? 0 : first;
}

struct Slice {
  int64_t start_ns, end_ns;
  std::string_view name;
  ObjectText args;
};

JsonText microseconds(int64_t ns) { return {fmt::format("{}.{:03}", ns / 1000, ns % 1000)}; }

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, std::ostream& out)
      : trace_(trace), out_(out), origin_ns_(first_time(trace)) {}

  void write() {
    const ObjectText metadata =
        object("scenario", trace_.scenario(), "complete", trace_.complete(), "origin_ns", origin_ns_);
    out_ << "{\"displayTimeUnit\":\"ms\",\"metadata\":" << metadata.text() << ",\n\"traceEvents\":[";
    for (const SectionView& section : trace_.sections())
      for (int rank = 0; rank < section.ranks(); ++rank, ++pid_) write_rank(section, rank);
    out_ << "\n]}\n";
  }

 private:
  void write_rank(const SectionView& section, int rank) {
    const std::string name = section.name().empty() ? "" : section.name() + ", ";
    describe("process_name", kCompute, "name", fmt::format("{}rank {}", name, rank));
    describe("process_sort_index", kCompute, "sort_index", pid_);
    name_thread(kCompute, "compute");
    name_thread(kComm, "comm");
    write_compute(section, rank);
    write_comm(section, rank);
    for (const NoteEvent& note : section.notes(rank))
      add(event("i", trace_.name(note.name), kCompute, note.time_ns)("s", "t", "args", args_of(note)));
    for (const RowEvent& row : section.rows(rank))
      add(event("i", row.table->name, kCompute, row.time_ns)("s", "t", "args", args_of(row)));
    write_counters(section, rank);
    write_messages(section, rank);
    const RankLife life = section.life(rank);
    if (life.began_ns) add(event("i", "rank begins", kCompute, *life.began_ns)("s", "p"));
    if (life.ended_ns) add(event("i", "rank ends", kCompute, *life.ended_ns)("s", "p"));
  }

  void name_thread(int thread, const char* label) {
    describe("thread_name", thread, "name", label);
    describe("thread_sort_index", thread, "sort_index", thread);
  }

  void write_compute(const SectionView& section, int rank) {
    std::vector<Slice> slices;
    for (const SpanEvent& span : section.spans(rank))
      slices.push_back({span.start_ns, span.end_ns, trace_.name(span.name), args_of(span)});
    write_slices(std::move(slices), kCompute, "compute");
  }

  // Of the events of a collective the ending one carries all the times.
  void write_comm(const SectionView& section, int rank) {
    std::vector<Slice> slices;
    for (const CollectiveEvent& event : section.collectives(rank)) {
      const bool ended =
          event.state == CollectiveState::kCompleted || event.state == CollectiveState::kFailed;
      if (ended && event.time_started_ns != 0)
        slices.push_back(
            {event.time_started_ns, event.time_completed_ns, to_string(event.op), args_of(event)});
    }
    write_slices(std::move(slices), kComm, "comm");
  }

  // A message that was received is a slice of its receiver, from its sending to its arrival. One that was
  // lost is a moment of the rank that recorded the loss.
  void write_messages(const SectionView& section, int rank) {
    const auto messages = section.messages(rank);
    if (messages.empty()) return;
    name_thread(kMessages, "messages");
    std::vector<Slice> slices;
    for (const MessageEvent& message : messages) {
      const std::string& name = trace_.name(message.tag);
      if (message.state == MessageState::kReceived || message.state == MessageState::kReceivedAgain)
        slices.push_back({message.time_sent_ns, message.time_received_ns, name, args_of(message)});
      if (message.state == MessageState::kLost)
        add(event("i", name + " lost", kMessages, message.time_sent_ns)("s", "t", "args", args_of(message)));
    }
    write_slices(std::move(slices), kMessages, "message");
  }

  // Outer slices first; each must end within the innermost one still open.
  void write_slices(std::vector<Slice> slices, int thread, const char* category) {
    for (Slice& slice : slices) slice.end_ns = std::max(slice.end_ns, slice.start_ns);
    std::ranges::stable_sort(slices, {}, [](const Slice& s) { return std::pair(s.start_ns, -s.end_ns); });
    std::vector<int64_t> open;  // ends, the innermost last
    for (const auto& [start_ns, end_ns, name, args] : slices) {
      while (!open.empty() && open.back() <= start_ns) open.pop_back();
      const auto slice_event = [&](const char* phase, int64_t time_ns) {
        return event(phase, name, thread, time_ns)("cat", category);
      };
      if (open.empty() || end_ns <= open.back()) {
        open.push_back(end_ns);
        add(slice_event("X", start_ns)("dur", microseconds(end_ns - start_ns), "args", args));
      } else {
        add(slice_event("b", start_ns)("id", ++async_id_, "args", args));
        add(slice_event("e", end_ns)("id", async_id_));
      }
    }
  }

  void write_counters(const SectionView& section, int rank) {
    for (const Category category : kCategories) {
      const std::string name = fmt::format("memory: {}", to_string(category));
      for (const MemoryEvent& memory : section.memory(rank, category))
        add(event("C", name, kCompute, memory.time_ns)("args", object("bytes", memory.live_bytes)));
    }
    for (const ScalarEvent& scalar : section.scalars(rank))
      if (std::isfinite(scalar.value))  // a counter has no other values
        add(event("C", trace_.name(scalar.name), kCompute, scalar.time_ns)("args",
                                                                           object("value", scalar.value)));
  }

  ObjectText args_of(const MessageEvent& message) const { return {trace_, message}; }
  ObjectText args_of(const auto& event) const {
    ObjectText args(trace_);
    if (event.unit != 0) args("unit", event.unit);
    if (event.step >= 0) args("step", event.step);
    return args;
  }
  ObjectText args_of(const RowEvent& row) const {
    ObjectText args(trace_);
    for (size_t i = 0; i < row.values.size(); ++i) args(row.table->columns[i].name, row.values[i]);
    return args;
  }
  // The first keys as PyTorch's profiler writes them, which analysers look for.
  ObjectText args_of(const CollectiveEvent& event) const {
    return object("Collective name", event.op, "In msg nelems", event.elements, "dtype", event.dtype,
                  "Process Group Name", event.group, "seq", event.collective_seq_id, "tag", event.tag, "unit",
                  event.unit, "bytes_sent", event.bytes_sent, "state", event.state);
  }

  ObjectText object(const auto&... fields) const { return ObjectText(trace_)(fields...); }
  ObjectText event(const char* phase, std::string_view name, int thread, int64_t time_ns) const {
    return object("ph", phase, "name", name, "pid", pid_, "tid", thread, "ts",
                  microseconds(time_ns - origin_ns_));
  }
  void describe(const char* what, int thread, const char* key, const auto& value) {
    add(object("ph", "M", "name", what, "pid", pid_, "tid", thread, "args", object(key, value)));
  }
  void add(const ObjectText& event) {
    out_ << (first_ ? "\n" : ",\n") << event.text();
    first_ = false;
  }

  const Trace& trace_;
  std::ostream& out_;
  const int64_t origin_ns_;
  int pid_ = 0;  // the rank, counted on through the sections
  int64_t async_id_ = 0;
  bool first_ = true;
};

}  // namespace

void export_chrome(const Trace& trace, std::ostream& out) { ChromeWriter(trace, out).write(); }

}  // namespace ringside::inline trace
