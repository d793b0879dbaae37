// The fields of every event and row, each named once: what is written is what is
// read back. `visit` is called with the key and a reference to the field.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "ringside/trace/events.h"
#include "ringside/trace/table.h"

namespace ringside {

template <typename T, typename U>
concept MaybeConst = std::same_as<std::remove_const_t<T>, U>;

void visit_fields(MaybeConst<CollectiveEvent> auto& event, auto&& visit) {
  visit("op", event.op);
  visit("collective_seq_id", event.collective_seq_id);
  visit("state", event.state);
  visit("group", event.group);
  visit("tag", event.tag);
  visit("unit", event.unit);
  visit("peer", event.peer);
  visit("dtype", event.dtype);
  visit("elements", event.elements);
  visit("bytes_in", event.bytes_in);
  visit("bytes_sent", event.bytes_sent);
  visit("time_created_ns", event.time_created_ns);
  visit("time_started_ns", event.time_started_ns);
  visit("time_completed_ns", event.time_completed_ns);
}

void visit_fields(MaybeConst<MemoryEvent> auto& event, auto&& visit) {
  visit("time_ns", event.time_ns);
  visit("category", event.category);
  visit("delta_bytes", event.delta_bytes);
  visit("live_bytes", event.live_bytes);
  visit("peak_bytes", event.peak_bytes);
  visit("total_bytes", event.total_bytes);
  visit("unit", event.unit);
  visit("tensor", event.tensor);
}

void visit_fields(MaybeConst<SpanEvent> auto& event, auto&& visit) {
  visit("name", event.name);
  visit("unit", event.unit);
  visit("step", event.step);
  visit("start_ns", event.start_ns);
  visit("end_ns", event.end_ns);
}

void visit_fields(MaybeConst<ScalarEvent> auto& event, auto&& visit) {
  visit("name", event.name);
  visit("step", event.step);
  visit("value", event.value);
  visit("time_ns", event.time_ns);
}

void visit_fields(MaybeConst<NoteEvent> auto& event, auto&& visit) {
  visit("name", event.name);
  visit("unit", event.unit);
  visit("step", event.step);
  visit("time_ns", event.time_ns);
}

void visit_fields(MaybeConst<WrongAnswer> auto& wrong, auto&& visit) {
  visit("name", wrong.name);
  visit("value", wrong.value);
}

void visit_fields(MaybeConst<PredictionRow> auto& row, auto&& visit) {
  visit("id", row.id);
  visit("question", row.question);
  visit("answer", row.answer);
  visit("unit", row.unit);
  visit("wrong", row.wrong);
}

void visit_fields(MaybeConst<ClaimRow> auto& row, auto&& visit) {
  visit("id", row.id);
  visit("source", row.source);
  visit("statement", row.statement);
  visit("verdict", row.verdict);
  visit("evidence", row.evidence);
}

void visit_fields(MaybeConst<LedgerReason> auto& reason, auto&& visit) {
  visit("name", reason.name);
  visit("bytes", reason.bytes);
}

void visit_fields(MaybeConst<LedgerRow> auto& row, auto&& visit) {
  visit("what", row.what);
  visit("section", row.section);
  visit("rank", row.rank);
  visit("category", row.category);
  visit("at", row.at);
  visit("op", row.op);
  visit("predicted", row.predicted);
  visit("counted", row.counted);
  visit("reasons", row.reasons);
}

void visit_fields(MaybeConst<MessageEvent> auto& event, auto&& visit) {
  visit("id", event.id);
  visit("state", event.state);
  visit("tag", event.tag);
  visit("from", event.from);
  visit("to", event.to);
  visit("bytes", event.bytes);
  visit("first_key", event.first_key);
  visit("keys", event.keys);
  visit("time_sent_ns", event.time_sent_ns);
  visit("time_received_ns", event.time_received_ns);
}

void visit_fields(MaybeConst<TraceColumn> auto& column, auto&& visit) {
  visit("name", column.name);
  visit("kind", column.kind);
  visit("unit", column.unit);
}

void visit_fields(MaybeConst<TraceTable> auto& table, auto&& visit) {
  visit("name", table.name);
  visit("columns", table.columns);
}

// The table comes first: its columns say what the values are.
void visit_fields(MaybeConst<RowEvent> auto& row, auto&& visit) {
  visit("table", row.table);
  visit("time_ns", row.time_ns);
  visit("values", row.values);
}

// What a line of JSONL calls itself.
inline std::string_view line_type(const CollectiveEvent&) { return "collective"; }
inline std::string_view line_type(const MemoryEvent&) { return "memory"; }
inline std::string_view line_type(const SpanEvent&) { return "span"; }
inline std::string_view line_type(const ScalarEvent&) { return "scalar"; }
inline std::string_view line_type(const NoteEvent&) { return "note"; }
inline std::string_view line_type(const MessageEvent&) { return "message"; }
inline std::string_view line_type(const TraceTable&) { return "table"; }
inline std::string_view line_type(const RowEvent&) { return "row"; }
inline std::string_view line_type(const PredictionRow&) { return "prediction"; }
inline std::string_view line_type(const ClaimRow&) { return "claim"; }
inline std::string_view line_type(const LedgerRow&) { return "ledger"; }

}  // namespace ringside
