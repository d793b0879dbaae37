// A small trace with something in every track, for the tests of files.
#pragma once

#include <cmath>
#include <limits>

#include "ringside/trace/trace.h"

namespace ringside {

inline constexpr int64_t kSampleStart = 5'000'000'000'123;  // ns; no whole microsecond

// Every field of its own value, so that two that are swapped show.
inline void record_sample_rank(Recorder& recorder) {
  const int64_t start = kSampleStart + recorder.rank();
  recorder.collective({.group = recorder.name("dp"),
                       .tag = recorder.name("gradients"),
                       .unit = recorder.name("bucket 3"),
                       .peer = 2,
                       .collective_seq_id = 41,
                       .elements = 1001,
                       .bytes_in = 2002,
                       .bytes_sent = 1503,
                       .time_created_ns = start + 10,
                       .time_started_ns = start + 2000,
                       .time_completed_ns = start + 3000,
                       .op = Op::kReduceScatter,
                       .dtype = Dtype::kBFloat16,
                       .state = CollectiveState::kCompleted});
  recorder.memory({.time_ns = start + 5,
                   .delta_bytes = -64,
                   .live_bytes = 128,
                   .peak_bytes = 192,
                   .total_bytes = 256,
                   .storage = 31,
                   .unit = recorder.name("layer 2"),
                   .tensor = recorder.name("model.norm.weight"),
                   .category = Category::kOptimizer});
  recorder.span("forward \"quoted\"\n\\", start, start + 4000, 7, "layer µ");
  recorder.scalar({.time_ns = start + 6, .step = 8, .value = 0.1, .name = recorder.name("loss")});
  recorder.note(
      {.time_ns = start + 7, .step = 9, .name = recorder.name("step entry"), .unit = recorder.name("u")});
}

inline TraceTable sample_table() {
  return {"storage",
          {{"tensor", ColumnKind::kText},
           {"offset", ColumnKind::kInteger, "bytes"},
           {"share", ColumnKind::kNumber, "%"},
           {"is view", ColumnKind::kBoolean}}};
}

inline TraceRows sample_rows() {
  TraceRows rows;
  rows.predictions.push_back({"p1", "How much?", "bytes", 16.5, {{"forgot the fp32 master copy", 12}}});
  rows.predictions.push_back(
      {"p2", "Which order?", "", NAN, {{"backwards", NAN, {"second \"2\"", "Ψ"}}}, {"Ψ", "second \"2\""}});
  rows.claims.push_back({"c1", "ZeRO, 7.2", "stage 2 costs 2Ψ", Verdict::kPartly, "1.50 Ψ"});
  LedgerRow predicted{"traffic", "stage 2", 1, "gradients", "", "reduce_scatter", 100, 104, {{"padding", 4}}};
  LedgerRow counted{"memory", "stage 2", 0, "activations", "step entry", "", std::nullopt, 77, {}};
  rows.ledger = {predicted, counted};
  rows.outcome = {{"final_loss", 0.25}, {"tiny", 5e-324}};
  rows.outcome_text = {{"parameters_sha256", "e3b0"}};
  rows.lines = {"N = 4", ""};
  return rows;
}

inline Trace sample_trace() {
  auto store = TraceStore::create("zero ranks=2 stage=all");
  for (Recorder* recorder : store->add_section(
           "stage 1", {{"psi", 1048576}, {"share", 0.25}, {"kept", true}, {"precision", "bf16"}}, 2))
    record_sample_rank(*recorder);
  Recorder* alone = store->add_section("stage 2", {}, 1).front();
  alone->scalar({.value = std::numeric_limits<double>::quiet_NaN(), .name = alone->name("loss")});
  alone->scalar({.value = -std::numeric_limits<double>::infinity(), .name = alone->name("loss")});
  const TablePtr table = store->declare(sample_table());
  alone->row({.table = table, .time_ns = kSampleStart + 8, .values = {"x \"1\"", 4096, 2, true}});
  alone->row({.table = table,
              .time_ns = kSampleStart + 9,
              .values = {"", -1, std::numeric_limits<double>::infinity(), false}});
  alone->message({.id = 17,
                  .bytes = 400,
                  .first_key = 200,
                  .keys = 100,
                  .time_sent_ns = kSampleStart + 20,
                  .time_received_ns = kSampleStart + 1520,
                  .tag = alone->name("push"),
                  .state = MessageState::kReceivedAgain});
  alone->message({.id = 18, .time_sent_ns = kSampleStart + 30, .state = MessageState::kLost});
  alone->begin(kSampleStart - 3);
  alone->end(kSampleStart + 5000);
  store->add_section("empty", {}, 0);
  store->set_rows(sample_rows());
  store->set_complete();
  return store->snapshot();
}

}  // namespace ringside
