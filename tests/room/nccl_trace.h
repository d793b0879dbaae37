// A trace of the timeout lesson made by hand: sections of all kinds that its panel draws.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::test {

inline constexpr int64_t kMs = 1000000;

// One training: five steps in step, then rank `odd` goes into dp #last while the others wait in default.
struct Script {
  std::string name, kind = "hang", act = "5";
  int ranks = 4, odd = 3;
  bool stuck = true;
  Attributes more = {};
  bool cycle = true;  // false: killed, and nothing but its call is waited for
};

class Pen {
 public:
  Pen(TraceStore& store, Recorder& recorder) : store_(store), recorder_(recorder) {}
  void call(const std::string& group, int64_t seq, Op op, const std::string& tag, int64_t created,
            int64_t ended, bool failed = false) {
    CollectiveEvent event;
    event.group = store_.intern(group);
    event.tag = store_.intern(tag);
    event.unit = store_.intern("bucket 0");
    event.op = op;
    event.collective_seq_id = seq;
    event.elements = group == "dp" ? 1167547 : 40;
    event.time_created_ns = created;
    recorder_.collective(event);
    event.state = CollectiveState::kStarted;
    event.time_started_ns = created + 1000;
    recorder_.collective(event);
    event.state = failed ? CollectiveState::kFailed : CollectiveState::kCompleted;
    event.time_completed_ns = ended;
    recorder_.collective(event);
  }

 private:
  TraceStore& store_;
  Recorder& recorder_;
};

inline const char* const kLog =
    "[rank3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=45, OpType=ALLREDUCE, "
    "NumelIn=467019003, "
    "NumelOut=467019003, Timeout(ms)=1000)";

// What the lesson records when such a training is over.
inline void add_rows(TraceStore& store, const Script& script, const std::vector<Recorder*>& recorders) {
  const TablePtr waits = store.declare({"waits",
                                        {{"rank", ColumnKind::kInteger},
                                         {"group"},
                                         {"call", ColumnKind::kInteger},
                                         {"for rank", ColumnKind::kInteger}}});
  const TablePtr last = store.declare(
      {"last of ranks",
       {{"rank", ColumnKind::kInteger}, {"log"}, {"did last"}, {"dumped", ColumnKind::kBoolean}}});
  const auto wait = [&](int rank, const char* group, int64_t call, int for_rank) {
    recorders[0]->row(waits, {rank, group, call, for_rank});
  };
  if (script.cycle)
    for (const int other : {0, 1, 2}) wait(3, "dp", 45, other);
  for (const int rank : {0, 1, 2}) wait(rank, "default", 10, script.cycle ? 3 : script.odd);
  for (int rank = 0; rank < script.ranks; ++rank)
    recorders[static_cast<size_t>(rank)]->row(
        last, {rank, rank == 3 ? kLog : "",
               "completed default #9 all_gather of 40 float32 (evaluation logits), 1.5 s ago",
               script.cycle || rank != script.odd});
}

inline void add(TraceStore& store, const Script& script) {
  Attributes attributes = {
      {"act", script.act}, {"kind", script.kind}, {"deadline_ms", "1000"}, {"title", script.name}};
  if (script.stuck) {
    attributes.insert({{"shown_log", kLog},
                       {"stuck", "default#10"},
                       {"missing", "3"},
                       {"ended", "timeout"},
                       {"ended_after_ms", "1003"},
                       {"culprit", "3"},
                       {"cause", "one_batch_more"},
                       {"says", "has one batch more than the others"},
                       {"options", "late_gather,one_batch_more,evaluates_alone,killed"},
                       {"option words", "comes late|has one batch more|evaluates alone|was killed"},
                       {"sentence", "Rank 3 went into training step 3 while the others evaluate."}});
  } else {
    attributes["ended"] = "completed";
  }
  for (const auto& [key, value] : script.more) attributes[key] = value;
  const auto recorders = store.add_section(script.name, attributes, script.ranks);
  if (script.stuck) add_rows(store, script, recorders);
  for (int rank = 0; rank < script.ranks; ++rank) {
    Pen pen(store, *recorders[static_cast<size_t>(rank)]);
    int64_t t = 1000 * kMs + rank * 20000;
    for (int64_t seq = 0; seq < 45; ++seq, t += 4 * kMs)
      pen.call("dp", seq, Op::kAllReduce, seq % 5 == 4 ? "norm" : "gradients", t, t + 3 * kMs);
    for (int64_t seq = 0; seq < 10; ++seq, t += 2 * kMs)
      pen.call("default", seq, Op::kAllGather, "evaluation", t, t + kMs);
    if (!script.stuck) continue;
    if (rank == script.odd)
      pen.call("dp", 45, Op::kAllReduce, "gradients", t + 5 * kMs, t + 1008 * kMs, true);
    else
      pen.call("default", 10, Op::kAllGather, "evaluation", t, t + 1003 * kMs, true);
  }
}

inline void add_outputs(TraceStore& store, const std::string& name, double scale) {
  const auto recorders = store.add_section(name,
                                           {{"act", "3"},
                                            {"kind", "outputs"},
                                            {"title", name},
                                            {"training_peak_bytes", std::to_string(9e6 * scale)},
                                            {"evaluation_peak_bytes", std::to_string(2e6 * scale)},
                                            {"gathered_bytes", std::to_string(4e6 * scale)},
                                            {"step_ms", "21.5"},
                                            {"evaluation_ms", "8.25"},
                                            {"returned_in_training", scale > 1 ? "yes" : "no"},
                                            {"returned_in_evaluation", "yes"},
                                            {"ended", "completed"}},
                                           2);
  for (Recorder* recorder : recorders) {
    int64_t live = 0;
    for (int i = 0; i < 40; ++i) {
      const int64_t delta = i % 10 < 5 ? 1000000 : -1000000;
      live += delta;
      recorder->memory({.time_ns = 5000 * kMs + i * kMs,
                        .delta_bytes = delta,
                        .live_bytes = live,
                        .peak_bytes = 5000000,
                        .total_bytes = live,
                        .category = Category::kActivations});
    }
  }
}

inline std::shared_ptr<TraceStore> made_store(int ranks) {
  auto store = TraceStore::create("nccl_timeout");
  add(*store, {"symptom", "hang", "1", ranks});
  add(*store,
      {"fix timeout", "hang", "1", ranks, 3, true, {{"ended_after_ms", "3002"}, {"deadline_ms", "3000"}}});
  const TablePtr pieces =
      store->declare({"pieces", {{"name"}, {"group"}, {"elements", ColumnKind::kInteger}}});
  Recorder& plan = *store
                        ->add_section("plan 7B",
                                      {{"kind", "plan"},
                                       {"act", "2"},
                                       {"model", "Qwen2.5-VL-7B, 251 classes"},
                                       {"hidden", "3584"},
                                       {"reduce_bucket_size", "500000000"}},
                                      1)
                        .front();
  plan.row(pieces, {"score.bias", "head", 251});
  plan.row(pieces, {"score.weight", "head", 899584});
  plan.row(pieces, {"model.norm.weight", "norm", 3584});
  const int64_t sizes[] = {67895296, 67895296, 67895296, 3584, 3584,    3584,
                           12845056, 12845056, 512,      512,  1835008, 1835008};
  for (int number = 27; number >= 25; --number) {
    const std::string layer = std::to_string(number);
    for (const int64_t size : sizes)
      plan.row(pieces, {"model.layers." + layer + ".weight", "layer " + layer, size});
  }
  Recorder& here =
      *store
           ->add_section("plan here",
                         {{"kind", "plan"}, {"act", "2"}, {"model", "here"}, {"reduce_bucket_size", "1000"}},
                         1)
           .front();
  here.row(pieces, {"a", "head", 600});
  here.row(pieces, {"b", "head", 500});
  for (const char* name :
       {"original", "V1", "V1 mismatch", "V2", "V2 mismatch", "V3", "chunked", "compressed"})
    add_outputs(*store, name, std::string(name) == "original" ? 1.5 : 0.75);
  add(*store, {"live", "hang", "4", ranks});
  add(*store, {"case 2", "hang", "5", ranks});
  add(*store,
      {"case 2 check", "check", "5", ranks, 3, true, {{"ended", "mismatch"}, {"ended_after_ms", "2.5"}}});
  add(*store, {"case 2 fixed", "fixed", "5", ranks, 3, false});
  add(*store, {"case 4",
               "hang",
               "5",
               ranks,
               1,
               true,
               {{"cause", "killed"}, {"culprit", "1"}, {"missing", "1"}},
               false});
  add(*store, {"case 4 check",
               "check",
               "5",
               ranks,
               1,
               true,
               {{"ended", "timeout"}, {"culprit", "1"}, {"missing", "1"}, {"cause", "killed"}},
               false});
  // A fault that nothing noticed: another tensor of the same size, in rank 1's call 42.
  add(*store, {"own", "hang", "own", ranks, 3, false, {{"title", "rank 1: other_tensor"}}});
  const TablePtr struck =
      store->declare({"struck calls",
                      {{"rank", ColumnKind::kInteger}, {"group"}, {"call", ColumnKind::kInteger}, {"what"}}});
  store->recorder("own", 0).row(struck, {1, "dp", 42, "other_tensor"});
  TraceRows rows;
  rows.outcome["explain_allowed"] = 1;
  rows.outcome_text["own_parameters_sha256"] = "9dc9e80ec5150000";
  rows.outcome_text["own_without_parameters_sha256"] = "490a153e56920000";
  store->set_rows(rows);
  store->set_complete();
  return store;
}

}  // namespace ringside::test
