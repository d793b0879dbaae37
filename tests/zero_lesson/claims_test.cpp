// A claim is a function of the trace alone: doctored traces change its verdict.
#include "ringside/trace/training_rows.h"

#include "../../lessons/zero/parted.h"
#include "ringside/base/float_bits.h"
#include "run_lesson.h"

using namespace ringside;
using namespace ringside::testing;
using namespace ringside::zero_lesson;

namespace {

constexpr int64_t kPsi = 1000;

// What one stage of a made-up run recorded, for two ranks and one step.
struct Doctored {
  std::array<int64_t, 4> sent = {2000, 2000, 2000, 3000};     // bytes a rank and step; bf16, f = 1/2
  std::array<int64_t, 4> state = {16000, 10000, 9000, 8000};  // bytes on a rank
  bool use_before_gather = false, forget_drop = false, broadcasts = false, sends_state = false;
  int64_t proof_differs_at = 0;
};

void record_stage(TraceStore& store, int stage, const Doctored& doctored, const std::string& name,
                  const std::string& part = "stage", const std::string& reduce = "reduce_scatter",
                  const std::string& accumulate = "1") {
  const auto recorders = store.add_section(name,
                                           {{"part", part},
                                            {"stage", std::to_string(stage)},
                                            {"ranks", "2"},
                                            {"parameters", std::to_string(kPsi)},
                                            {"precision", "bf16"},
                                            {"reduce", reduce},
                                            {"accumulate", accumulate},
                                            {"units", "6"},
                                            {"link", "none"},
                                            {"steps", "1"}},
                                           2);
  for (Recorder* recorder : recorders) {
    CollectiveEvent event;
    event.tag = recorder->name("gradients");
    event.op = Op::kReduceScatter;
    event.rank = recorder->rank();
    event.bytes_sent = doctored.sent[static_cast<size_t>(stage)];
    event.state = CollectiveState::kCompleted;
    recorder->collective(event);
    event.bytes_sent = doctored.sends_state ? 1 : 0;
    event.tag = recorder->name(doctored.sends_state ? "optimizer state" : "parameters");
    event.op = doctored.broadcasts ? Op::kBroadcast : Op::kAllGather;
    recorder->collective(event);
    MemoryEvent memory;
    memory.time_ns = 1;
    memory.rank = recorder->rank();
    memory.category = Category::kOptimizer;
    memory.live_bytes = memory.total_bytes = memory.delta_bytes = doctored.state[static_cast<size_t>(stage)];
    recorder->memory(memory);

    const NameId unit = recorder->name("layer 0");
    CollectiveEvent gather;
    gather.op = Op::kAllGather;
    gather.unit = unit;
    gather.tag = recorder->name("parameters");
    gather.rank = recorder->rank();
    gather.time_created_ns = 10;
    recorder->collective(gather);
    gather.state = CollectiveState::kCompleted;
    gather.time_completed_ns = 20;
    recorder->collective(gather);
    record_row<UnitGather>(*recorder, {"layer 0", 0, false});
    const int64_t start = doctored.use_before_gather ? 15 : 25;
    recorder->span("forward", start, 30, 0, "layer 0");
    if (!doctored.forget_drop) record_row<UnitGather>(*recorder, {"layer 0", 0, true});
    recorder->note("after step", 0);
  }
}

Trace doctored_trace(const Doctored& doctored, const std::optional<Doctored>& by_all = {}) {
  const auto store = TraceStore::create("zero ranks=2");
  for (int stage = 0; stage <= 3; ++stage) {
    record_stage(*store, stage, doctored, "stage " + std::to_string(stage));
    if (by_all)
      record_stage(*store, stage, *by_all, "probe " + std::to_string(stage), "probe", "all_reduce", "2");
  }
  Recorder* recorder = store->add_section("proof", {{"steps", "20"}}, 1).front();
  const TablePtr proof = store->declare({"proof",
                                         {{"ranks", ColumnKind::kInteger},
                                          {"stage"},
                                          {"setup"},
                                          {"first difference", ColumnKind::kInteger},
                                          {"where"}}});
  const bool differs = doctored.proof_differs_at > 0;
  recorder->row(proof, {2, "stage 1", "bucket default", doctored.proof_differs_at,
                        differs ? "step 7, model.norm.weight[3]" : ""});
  return store->snapshot();
}

std::string verdict(const std::string& id, const Doctored& doctored,
                    const std::optional<Doctored>& by_all = {}) {
  return verdict_of(doctored_trace(doctored, by_all), id);
}

// Trainings in turns whose steps took these ms; the first step of either warms up.
ClaimResult judged_overlap(const std::vector<double>& on, const std::vector<double>& off, int ranks = 2) {
  const auto store = TraceStore::create("zero");
  for (const auto& [section, times] : {std::pair("overlap on", on), {"overlap off", off}}) {
    Recorder* recorder = store->add_section(section, {{"stage", "0"}, {"link", "none"}}, ranks).front();
    recorder->scalar("step time", 0, 1e6);
    for (size_t i = 0; i < times.size(); ++i)
      recorder->scalar("step time", static_cast<int64_t>(i) + 1, times[i]);
  }
  return judge_alone(lesson(), "overlap_helps", store->snapshot());
}

}  // namespace

TEST_CASE("Copies are what has the same hash on a lower rank, by the bytes that were live") {
  const auto share = [](const std::string& hash_of_rank_1) {
    const auto store = TraceStore::create("zero");
    const auto recorders = store->add_section("stage 0", {{"steps", "1"}}, 2);
    for (Recorder* recorder : recorders) {
      for (const auto& [category, bytes] :
           {std::pair(Category::kParameters, 200), {Category::kOptimizer, 600}}) {
        MemoryEvent memory;
        memory.time_ns = 1;
        memory.tensor = recorder->name("bucket 0");
        memory.category = category;
        memory.delta_bytes = memory.live_bytes = bytes;
        recorder->memory(memory);
      }
      record_row<TensorHash>(*recorder, {"parameters", "bucket 0", 0, "00112233"});
      const std::string hash = recorder->rank() == 0 ? "aa" : hash_of_rank_1;
      record_row<TensorHash>(*recorder, {"optimizer", "bucket 0", 0, hash});
    }
    return *lesson().predictions.front().measured(store->snapshot());
  };
  CHECK(share("aa") == 50);
  CHECK(share("bb") == 12.5);  // the parameters alone: 200 of 1600
  CHECK_FALSE(lesson().predictions.front().measured(doctored_trace({})));
}

TEST_CASE("traffic claims follow the bytes sent: by one reduction more, by the other not") {
  Doctored doctored;
  CHECK(verdict("paper_volumes", doctored) == "holds");
  CHECK(verdict("more_communication", doctored) == "fails");
  doctored.sent = {2000, 2500, 3000, 3500};
  CHECK(verdict("paper_volumes", doctored) == "fails");
  CHECK(verdict("more_communication", doctored) == "holds");
  const Doctored paper, rises{.sent = {2000, 3000, 5000, 6000}}, flat{.sent = {2000, 2000, 5000, 6000}};
  CHECK(verdict("more_communication", paper, rises) == "partly");
  CHECK(verdict("more_communication", rises, paper) == "partly");
  CHECK(verdict("more_communication", rises, rises) == "holds");
  CHECK(verdict("more_communication", paper, flat) == "fails");
}

TEST_CASE("An answer in words follows the bytes that were sent and kept") {
  const auto trace_of = [](const Doctored& once, const Doctored& often, const Doctored& by_all) {
    const auto store = TraceStore::create("zero ranks=2");
    for (int stage = 0; stage <= 3; ++stage) {
      record_stage(*store, stage, once, "stage " + std::to_string(stage));
      record_stage(*store, stage, often, "probe often" + std::to_string(stage), "probe", "reduce_scatter",
                   "2");
      record_stage(*store, stage, by_all, "probe all once" + std::to_string(stage), "probe", "all_reduce",
                   "1");
      Doctored all_often = by_all;
      all_often.sent[2] += 2000;  // of a second micro-batch
      record_stage(*store, stage, all_often, "probe all" + std::to_string(stage), "probe", "all_reduce", "2");
    }
    return store->snapshot();
  };
  const Doctored paper, often{.sent = {2000, 2000, 3000, 6000}}, by_all{.sent = {2000, 3000, 3000, 3000}};
  const std::string least = "least_bytes_sent", by_default = "sent_by_default";
  CHECK(answer_of(lesson(), least, trace_of(paper, often, by_all)) == Words{"stage 1"});
  CHECK(answer_of(lesson(), least, trace_of(paper, {.sent = {2000, 2000, 2000, 6000}}, by_all)) ==
        Words{"stage 2"});
  CHECK(answer_of(lesson(), least, trace_of(paper, {.sent = {2000, 3000, 3000, 6000}}, by_all)) ==
        Words{"stage 0"});
  CHECK(answer_of(lesson(), by_default, trace_of(paper, often, by_all)) == Words{"2g + 1"});
  CHECK(answer_of(lesson(), by_default, trace_of(paper, often, {.sent = {2000, 3000, 2000, 3000}})) ==
        Words{"2g"});
  CHECK(answer_of(lesson(), "shard_grad_op", trace_of(paper, often, by_all)).empty());
  CHECK(answer_of(lesson(), least, Trace()).empty());
}

TEST_CASE("the memory claim follows live bytes, a bit fails the check, what was not run is open") {
  Doctored doctored;
  CHECK(verdict("memory_falls", doctored) == "holds");
  doctored.state[2] = doctored.state[1];
  CHECK(verdict("memory_falls", doctored) == "fails");
  Doctored differing;
  CHECK(verdict("same_training", differing) == "holds");
  CHECK(lesson().failed_check(doctored_trace(differing)) == "");
  differing.proof_differs_at = 7;
  CHECK(verdict("same_training", differing) == "fails");
  CHECK(lesson().failed_check(doctored_trace(differing)).find("model.norm.weight[3]") != std::string::npos);
  const Doctored empty;
  CHECK(verdict("all_reduce_costs_more", empty) == "not_testable");
  CHECK(verdict("accumulation_costs", empty) == "not_testable");
  CHECK(verdict("overlap_helps", empty) == "not_testable");
}

TEST_CASE("a use before its gather is found, and the source's words of each use follow the calls") {
  Doctored doctored;
  CHECK(verdict("fetched_and_dropped", doctored) == "holds");
  doctored.use_before_gather = true;
  CHECK(verdict("fetched_and_dropped", doctored) == "fails");
  doctored.use_before_gather = false;
  doctored.forget_drop = true;
  CHECK(verdict("fetched_and_dropped", doctored) == "fails");
  CHECK(verdict("broadcast", {}) == "partly");
  CHECK(verdict("broadcast", {.broadcasts = true}) == "holds");
  CHECK(verdict("every_use", {}) == "fails");
  CHECK(verdict("every_use", {.sends_state = true}) == "holds");
}

TEST_CASE("overlap is judged round by round, and cannot be told of few or of one rank") {
  const std::vector<double> on = {10, 20, 10, 20, 10, 20, 10, 20, 10};
  std::vector<double> off;
  for (const double ms : on) off.push_back(1.2 * ms);
  CHECK(judged_overlap(on, off).verdict == Verdict::kHolds);
  CHECK(judged_overlap(off, on).verdict == Verdict::kFails);
  CHECK(judged_overlap(on, off).evidence ==
        "1.20 [1.20, 1.20] times as long without overlap as with it (stage 0, no link model: memory speed), "
        "9 rounds in turns");
  off[3] = 100;  // one round that something else disturbed
  CHECK(judged_overlap(on, off).verdict == Verdict::kHolds);
  CHECK(judged_overlap(on, off).evidence.starts_with("1.20 [1.20, 1.20]"));
  off[4] = off[5] = 9;  // two that went the other way
  CHECK(judged_overlap(on, off).verdict == Verdict::kNotTestable);
  CHECK(judged_overlap(on, off).evidence.starts_with("cannot be told here: 1.20 [0.90, 1.20]"));
  CHECK(judged_overlap({10, 10, 10, 10, 10}, {20, 20, 20, 20, 20}).verdict == Verdict::kNotTestable);
  CHECK(judged_overlap({10, 10, 10, 10, 10, 10}, {20, 20, 20, 20, 20, 20}).verdict == Verdict::kHolds);
  CHECK(judged_overlap({10, 10, 10, 10, 10, 10}, {20, 20, 20, 20, 20}).verdict == Verdict::kNotTestable);
  CHECK(judged_overlap({}, {}).verdict == Verdict::kNotTestable);
  CHECK(judged_overlap({10, 10, 10, 10, 10, 10}, {20, 20, 20, 20, 20, 20}, 1).verdict ==
        Verdict::kNotTestable);
}

// The proof's rows and what is drawn of them: where bits part, and the addends of both orders.
TEST_CASE("where bits part, both values are kept and the addends of both orders") {
  const Trace& trace = run_small({"ranks=2", "proof=own"});
  const auto runs = proven_runs(trace);
  size_t equal = 0, parted = 0;
  for (const ProvenRun& run : runs) {
    REQUIRE(run.setting);
    equal += run.equal() ? 1 : 0;
    if (run.equal()) continue;
    ++parted;
    REQUIRE(run.parted);
    const auto mine = static_cast<float>(run.parted->mine), other = static_cast<float>(run.parted->reference);
    CHECK(mine != other);
    CHECK(ulps_between(mine, other) > 0);
    CHECK(ulps_between(mine, other) <= run.parted->ulps);
    CHECK(run.parted->element < run.parted->of_elements);
    // Two emulations, one arithmetic: what a rank adds up is the sum of its micro-batches.
    std::map<int64_t, float> own, whole;
    for (const Addend& one : run.addends) {
      if (one.at_end) whole[one.rank] = static_cast<float>(one.value);
      if (!one.at_end) own[one.rank] += static_cast<float>(one.value);
    }
    CHECK(whole.size() == static_cast<size_t>(run.proof.ranks));
    CHECK(own == whole);
  }
  CHECK(equal == 35);
  CHECK(parted == 2);
  const std::string text = figure_text(lesson(), "bits", trace);
  CHECK(text.find("10 of 10 equal") != std::string::npos);
  CHECK(text.find("0 of 2 equal") != std::string::npos);
  CHECK(std::holds_alternative<figure::Listing>(figure_value(lesson(), "orders", trace)));
}

TEST_CASE("a sum is made in the order that is said") {
  const auto addend = [](bool at_end, int64_t micro, int64_t rank, double value) {
    return Addend{.label = "", .at_end = at_end, .micro = micro, .rank = rank, .value = value};
  };
  const float big = 16777216.0f;  // 2^24: one more is lost
  const std::vector<Addend> addends = {addend(true, 0, 0, big),  addend(true, 0, 1, 2),
                                       addend(false, 0, 0, big), addend(false, 0, 1, 1),
                                       addend(false, 1, 0, 0),   addend(false, 1, 1, 1)};
  CHECK(sum_of(addends, true).total == big + 2);
  CHECK(sum_of(addends, false).total == big);
  CHECK(sum_of(addends, false).steps.size() == 6);
  CHECK(ulps_between(1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(bits_of(1.0f) == "0 01111111 00000000000000000000000");
}
