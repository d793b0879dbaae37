// The fields of every event and row, each named once: what is written is what is
// read back. `visit` is called with pairs of a key and a reference to the field.
#pragma once

#include "ringside/trace/rows.h"

namespace ringside::inline trace {

void visit_fields(RowOf<CollectiveEvent> auto& event, auto&& visit) {
  visit("op", event.op, "collective_seq_id", event.collective_seq_id, "state", event.state);
  visit("group", event.group, "tag", event.tag, "unit", event.unit, "peer", event.peer);
  visit("dtype", event.dtype, "elements", event.elements);
  visit("bytes_in", event.bytes_in, "bytes_sent", event.bytes_sent);
  visit("time_created_ns", event.time_created_ns, "time_started_ns", event.time_started_ns);
  visit("time_completed_ns", event.time_completed_ns);
}

void visit_fields(RowOf<MemoryEvent> auto& event, auto&& visit) {
  visit("time_ns", event.time_ns, "category", event.category);
  visit("delta_bytes", event.delta_bytes, "live_bytes", event.live_bytes);
  visit("peak_bytes", event.peak_bytes, "total_bytes", event.total_bytes);
  visit("storage", event.storage, "unit", event.unit, "tensor", event.tensor);
}

void visit_fields(RowOf<SpanEvent> auto& event, auto&& visit) {
  visit("name", event.name, "unit", event.unit, "step", event.step);
  visit("start_ns", event.start_ns, "end_ns", event.end_ns);
}

void visit_fields(RowOf<ScalarEvent> auto& event, auto&& visit) {
  visit("name", event.name, "step", event.step, "value", event.value, "time_ns", event.time_ns);
}

void visit_fields(RowOf<NoteEvent> auto& event, auto&& visit) {
  visit("name", event.name, "unit", event.unit, "step", event.step, "time_ns", event.time_ns);
}

void visit_fields(RowOf<MessageEvent> auto& event, auto&& visit) {
  visit("id", event.id, "state", event.state, "tag", event.tag, "from", event.from, "to", event.to);
  visit("bytes", event.bytes, "first_key", event.first_key, "keys", event.keys);
  visit("time_sent_ns", event.time_sent_ns, "time_received_ns", event.time_received_ns);
}

void visit_fields(RowOf<TraceColumn> auto& column, auto&& visit) {
  visit("name", column.name, "kind", column.kind, "unit", column.unit);
}

void visit_fields(RowOf<TraceTable> auto& table, auto&& visit) {
  visit("name", table.name, "columns", table.columns);
}

// The table comes first: its columns say what the values are.
void visit_fields(RowOf<RowEvent> auto& row, auto&& visit) {
  visit("table", row.table, "time_ns", row.time_ns, "values", row.values);
}

void visit_fields(RowOf<WrongAnswer> auto& wrong, auto&& visit) {
  visit("name", wrong.name, "value", wrong.value, "words", wrong.words);
}

void visit_fields(RowOf<PredictionRow> auto& row, auto&& visit) {
  visit("id", row.id, "question", row.question, "answer", row.answer, "unit", row.unit, "wrong", row.wrong);
  visit("words", row.words);
}

void visit_fields(RowOf<ClaimRow> auto& row, auto&& visit) {
  visit("id", row.id, "source", row.source, "statement", row.statement);
  visit("verdict", row.verdict, "evidence", row.evidence);
}

void visit_fields(RowOf<LedgerReason> auto& reason, auto&& visit) {
  visit("name", reason.name, "bytes", reason.bytes);
}

void visit_fields(RowOf<LedgerRow> auto& row, auto&& visit) {
  visit("what", row.what, "section", row.section, "rank", row.rank);
  visit("category", row.category, "at", row.at, "op", row.op);
  visit("predicted", row.predicted, "counted", row.counted, "reasons", row.reasons);
}

void visit_fields(RowOf<Attributes> auto& attributes, auto&& visit) {
  for (auto& [name, value] : attributes) visit(name, value);
}

// Only that a function is declared: it is not called.
template <typename T>
concept HasFields = requires(T value) {
  visit_fields(value, [](auto&&...) {});
};

}  // namespace ringside::inline trace
