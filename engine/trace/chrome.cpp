// The Trace Event Format. Slices of one thread must nest there; one that does
// not is written as a pair of asynchronous events, which need not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "json_text.h"
#include "ringside/trace/files.h"

namespace ringside {
namespace {

enum Thread : int { kCompute = 0, kComm = 1, kMessages = 2 };

// Calls `see(time)` for each time that the export shows.
template <typename See>
void for_each_time(const SectionView& section, int rank, See see) {
  for (const auto& event : section.collectives(rank))
    if (event.time_started_ns != 0) see(event.time_started_ns);
  for (const Category category : kCategories)
    for (const auto& event : section.memory(rank, category)) see(event.time_ns);
  for (const auto& event : section.spans(rank)) see(event.start_ns);
  for (const auto& event : section.scalars(rank)) see(event.time_ns);
  for (const auto& event : section.notes(rank)) see(event.time_ns);
  for (const auto& event : section.rows(rank)) see(event.time_ns);
  for (const auto& event : section.messages(rank)) see(event.time_sent_ns);
  if (const auto began = section.life(rank).began_ns) see(*began);
}

int64_t first_time(const Trace& trace) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const SectionView& section : trace.sections())
    for (int rank = 0; rank < section.ranks(); ++rank)
      for_each_time(section, rank, [&](int64_t time) { first = std::min(first, time); });
  return first == std::numeric_limits<int64_t>::max() ? 0 : first;
}

struct Slice {
  int64_t start_ns, end_ns;
  std::string name, category, args;
};

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, std::ostream& out)
      : trace_(trace), out_(out), origin_ns_(first_time(trace)) {}

  void write() {
    out_ << "{\"displayTimeUnit\":\"ms\",\"metadata\":{\"scenario\":" << json_string(trace_.scenario())
         << ",\"complete\":" << (trace_.complete() ? "true" : "false") << ",\"origin_ns\":" << origin_ns_
         << "},\n\"traceEvents\":[";
    for (const SectionView& section : trace_.sections())
      for (int rank = 0; rank < section.ranks(); ++rank, ++pid_) write_rank(section, rank);
    out_ << "\n]}\n";
  }

 private:
  void write_rank(const SectionView& section, int rank) {
    name_process(section, rank);
    write_slices(compute_slices(section, rank), kCompute);
    write_slices(comm_slices(section, rank), kComm);
    for (const NoteEvent& note : section.notes(rank))
      event("i", trace_.name(note.name), kCompute, note.time_ns, ",\"s\":\"t\"" + args_of(note));
    for (const RowEvent& row : section.rows(rank))
      event("i", row.table->name, kCompute, row.time_ns, ",\"s\":\"t\"" + row_args(row));
    write_counters(section, rank);
    write_messages(section, rank);
    const RankLife life = section.life(rank);
    if (life.began_ns) event("i", "rank begins", kCompute, *life.began_ns, ",\"s\":\"p\"");
    if (life.ended_ns) event("i", "rank ends", kCompute, *life.ended_ns, ",\"s\":\"p\"");
  }

  void name_process(const SectionView& section, int rank) {
    const std::string name = section.name().empty() ? "" : section.name() + ", ";
    metadata("process_name", kCompute, "name", json_string(fmt::format("{}rank {}", name, rank)));
    metadata("process_sort_index", kCompute, "sort_index", std::to_string(pid_));
    name_thread(kCompute, "compute");
    name_thread(kComm, "comm");
  }

  void name_thread(Thread thread, const char* label) {
    metadata("thread_name", thread, "name", json_string(label));
    metadata("thread_sort_index", thread, "sort_index", std::to_string(static_cast<int>(thread)));
  }

  std::vector<Slice> compute_slices(const SectionView& section, int rank) const {
    std::vector<Slice> slices;
    for (const SpanEvent& span : section.spans(rank))
      slices.push_back({span.start_ns, span.end_ns, trace_.name(span.name), "compute", args_of(span)});
    return slices;
  }

  std::vector<Slice> comm_slices(const SectionView& section, int rank) const {
    std::vector<Slice> slices;
    for (const CollectiveEvent& event : section.collectives(rank)) {
      const bool ended =
          event.state == CollectiveState::kCompleted || event.state == CollectiveState::kFailed;
      if (!ended || event.time_started_ns == 0) continue;  // the ending event carries all the times
      slices.push_back({event.time_started_ns, event.time_completed_ns, std::string(to_string(event.op)),
                        "comm", collective_args(event)});
    }
    return slices;
  }

  // A message that was received, at its receiver: from its sending to its arrival. One that was lost is a
  // moment at whoever saw that.
  void write_messages(const SectionView& section, int rank) {
    const auto messages = section.messages(rank);
    if (messages.empty()) return;
    name_thread(kMessages, "messages");
    std::vector<Slice> slices;
    for (const MessageEvent& message : messages) {
      const std::string name = trace_.name(message.tag);
      if (message.state == MessageState::kReceived || message.state == MessageState::kReceivedAgain)
        slices.push_back(
            {message.time_sent_ns, message.time_received_ns, name, "message", message_args(message)});
      if (message.state == MessageState::kLost)
        event("i", name + " lost", kMessages, message.time_sent_ns, ",\"s\":\"t\"" + message_args(message));
    }
    write_slices(std::move(slices), kMessages);
  }

  std::string message_args(const MessageEvent& message) const {
    ObjectText args(trace_);
    visit_fields(message, args);
    return ",\"args\":" + args.text();
  }

  // Outer slices first; each must end within the innermost one still open.
  void write_slices(std::vector<Slice> slices, Thread thread) {
    for (Slice& slice : slices) slice.end_ns = std::max(slice.end_ns, slice.start_ns);
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    std::vector<int64_t> open;  // ends, the innermost last
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.start_ns) open.pop_back();
      const std::string category = ",\"cat\":" + json_string(slice.category);
      if (open.empty() || slice.end_ns <= open.back()) {
        open.push_back(slice.end_ns);
        const std::string duration = ",\"dur\":" + microseconds(slice.end_ns - slice.start_ns);
        event("X", slice.name, thread, slice.start_ns, category + duration + slice.args);
      } else {
        const std::string id = fmt::format(",\"id\":{}", ++async_id_);
        event("b", slice.name, thread, slice.start_ns, category + id + slice.args);
        event("e", slice.name, thread, slice.end_ns, category + id);
      }
    }
  }

  void write_counters(const SectionView& section, int rank) {
    for (const Category category : kCategories)
      for (const MemoryEvent& memory : section.memory(rank, category))
        event("C", fmt::format("memory: {}", to_string(category)), kCompute, memory.time_ns,
              fmt::format(",\"args\":{{\"bytes\":{}}}", memory.live_bytes));
    for (const ScalarEvent& scalar : section.scalars(rank))
      if (std::isfinite(scalar.value))  // a counter has no other values
        event("C", trace_.name(scalar.name), kCompute, scalar.time_ns,
              fmt::format(",\"args\":{{\"value\":{}}}", number_text(scalar.value)));
  }

  std::string args_of(const auto& event) const {
    ObjectText args(trace_);
    if (event.unit != 0) args("unit", event.unit);
    if (event.step >= 0) args("step", event.step);
    return ",\"args\":" + args.text();
  }

  std::string row_args(const RowEvent& row) const {
    ObjectText args(trace_);
    for (size_t i = 0; i < row.values.size(); ++i)
      std::visit([&](const auto& value) { args(row.table->columns[i].name, value); }, row.values[i].value());
    return ",\"args\":" + args.text();
  }

  // The first keys as PyTorch's profiler writes them, which analysers look for.
  std::string collective_args(const CollectiveEvent& event) const {
    ObjectText args(trace_);
    args("Collective name", to_string(event.op));
    args("In msg nelems", event.elements);
    args("dtype", to_string(event.dtype));
    args("Process Group Name", event.group);
    args("seq", event.collective_seq_id);
    args("tag", event.tag);
    args("unit", event.unit);
    args("bytes_sent", event.bytes_sent);
    args("state", to_string(event.state));
    return ",\"args\":" + args.text();
  }

  static std::string microseconds(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  void metadata(std::string_view what, Thread thread, std::string_view key, const std::string& value) {
    next() << fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what, pid_,
                          static_cast<int>(thread), key, value);
  }
  void event(const char* phase, const std::string& name, Thread thread, int64_t time_ns,
             const std::string& rest) {
    next() << fmt::format(R"({{"ph":"{}","name":{},"pid":{},"tid":{},"ts":{}{}}})", phase, json_string(name),
                          pid_, static_cast<int>(thread), microseconds(time_ns - origin_ns_), rest);
  }
  std::ostream& next() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
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

}  // namespace ringside
