#include "ringside/ledger/ledger.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/ledger/gather_check.h"
#include "ringside/trace/training_rows.h"

using namespace ringside;

namespace {

// One rank's recorder with a clock of its own, one tick an event.
class RankScript {
 public:
  explicit RankScript(Recorder& recorder) : recorder_(recorder) {}

  void allocate(Category category, int64_t bytes, const char* tensor = "") {
    int64_t& live = live_[static_cast<size_t>(category)];
    int64_t& peak = peak_[static_cast<size_t>(category)];
    live += bytes;
    total_ += bytes;
    peak = std::max(peak, live);
    recorder_.memory({.time_ns = ++time_,
                      .delta_bytes = bytes,
                      .live_bytes = live,
                      .peak_bytes = peak,
                      .total_bytes = total_,
                      .tensor = recorder_.name(tensor),
                      .category = category});
  }
  void send(const char* tag, Op op, int64_t bytes, CollectiveState last = CollectiveState::kCompleted) {
    CollectiveEvent event;
    event.tag = recorder_.name(tag);
    event.op = op;
    for (const CollectiveState state : {CollectiveState::kScheduled, CollectiveState::kStarted, last}) {
      event.state = state;
      event.bytes_sent = state == last ? bytes : 0;
      recorder_.collective(event);
    }
  }
  void note(const char* name) { recorder_.note({.time_ns = ++time_, .name = recorder_.name(name)}); }

 private:
  Recorder& recorder_;
  int64_t time_ = 0;
  int64_t total_ = 0;
  std::array<int64_t, kCategoryCount> live_{}, peak_{};
};

// Two ranks share 1000 parameters: full fp32 parameters, half of the gradients and
// of the optimizer state; two steps. A doctor may plant a bug in rank 1's second step.
using Doctor = std::function<void(RankScript&)>;

void run_rank(RankScript& rank, const Doctor& doctor) {
  rank.allocate(Category::kParameters, 4000);
  rank.allocate(Category::kGradients, 2000);
  rank.allocate(Category::kOptimizer, 4000);
  rank.note(kAfterConstruction);
  for (int step = 0; step < 2; ++step) {
    rank.allocate(Category::kActivations, 700);
    rank.allocate(Category::kGradients, 4000);  // a bucket on its way
    rank.send("gradients", Op::kReduceScatter, 2000);
    rank.allocate(Category::kGradients, -4000);
    rank.allocate(Category::kActivations, -700);
    if (step == 1 && doctor) doctor(rank);
    rank.note(kStepEntry);
    rank.send("parameters", Op::kAllGather, 2000);
    rank.note(kAfterStep);
  }
}

std::vector<LedgerRow> count_run(const Doctor& doctor = nullptr) {
  const auto store = TraceStore::create("test");
  const auto recorders = store->add_section("stage 2", {}, 2);
  for (int rank = 0; rank < 2; ++rank) {
    RankScript script(*recorders[static_cast<size_t>(rank)]);
    run_rank(script, rank == 1 ? doctor : nullptr);
  }
  const Trace trace = store->snapshot();
  return count_rows(trace, trace.sections().front());
}

LedgerRow expect(int rank, const char* category, const char* at, const char* op, int64_t bytes) {
  LedgerRow row;
  row.what = *op == '\0' ? "memory" : "traffic";
  row.rank = rank;
  row.category = category;
  row.at = at;
  row.op = op;
  row.predicted = bytes;
  return row;
}

std::vector<LedgerRow> predictions() {
  std::vector<LedgerRow> rows;
  for (int rank = 0; rank < 2; ++rank) {
    for (const char* at : {kAfterConstruction, kStepEntry, kAfterStep}) {
      rows.push_back(expect(rank, "parameters", at, "", 4000));
      rows.push_back(expect(rank, "gradients", at, "", 2000));
      rows.push_back(expect(rank, "optimizer", at, "", 4000));
    }
    rows.push_back(expect(rank, "gradients", "", "reduce_scatter", 4000));
    rows.push_back(expect(rank, "parameters", "", "all_gather", 4000));
  }
  return rows;
}

const LedgerRow& find(const std::vector<LedgerRow>& rows, int rank, const std::string& category,
                      const std::string& at_or_op) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const LedgerRow& row) {
    return row.rank == rank && row.category == category && row.at + row.op == at_or_op;
  });
  REQUIRE(found != rows.end());
  return *found;
}

int64_t unexplained_with(const Doctor& doctor) {
  return unexplained_bytes(reconcile(predictions(), count_run(doctor)));
}

}  // namespace

TEST_CASE("memory is read at the last note of a name, the peak over the section") {
  const auto rows = count_run([](RankScript& rank) { rank.allocate(Category::kBuffers, 64); });
  CHECK(find(rows, 1, "gradients", kStepEntry).counted == 2000);
  CHECK(find(rows, 1, "gradients", kPeak).counted == 6000);
  CHECK(find(rows, 1, "activations", kStepEntry).counted == 0);
  CHECK(find(rows, 1, "activations", kPeak).counted == 700);
  CHECK(find(rows, 1, "total", kPeak).counted == 4000 + 6000 + 4000 + 700);
  CHECK(find(rows, 1, "buffers", kAfterConstruction).counted == 0);  // not yet there
  CHECK(find(rows, 1, "buffers", kStepEntry).counted == 64);         // there in the last step
  CHECK(find(rows, 0, "buffers", kStepEntry).counted == 0);          // on the other rank
  for (const LedgerRow& row : rows) CHECK(row.section == "stage 2");
  CHECK(counted_only(expect(0, "activations", kBetweenMicroBatches, "", 0)));
  CHECK_FALSE(counted_only(expect(0, "gradients", kBetweenMicroBatches, "", 0)));  // formulas know it
}

TEST_CASE("a message counts where it was sent, once; a unit that is recomputed has to be gathered too") {
  const auto store = TraceStore::create("test");
  Recorder& recorder = *store->add_section("s", {}, 1).front();
  MessageEvent message;
  message.bytes = 10, message.tag = recorder.name("push");
  for (const MessageState state : {MessageState::kSent, MessageState::kLost}) {
    message.state = state;
    recorder.message(message);
  }
  recorder.span("recompute", 1, 2, 0, "layer 0");
  const Trace trace = store->snapshot();
  const SectionView& section = trace.sections().front();
  CHECK(find(count_rows(trace, section), 0, "push", kMessageOp).counted == 10);
  const GatherCheck check = check_gathers(trace, section);
  CHECK((check.uses == 1 && check.late == 1));
}

TEST_CASE("bytes that a transport hides are no count: the row says so, and nothing is unexplained") {
  const auto hidden = [](RankScript& rank) {
    for (int call = 0; call < 3; ++call) rank.send("gradients", Op::kAllReduce, kNotObservable);
  };
  std::vector<LedgerRow> predicted = predictions();
  predicted.push_back(expect(1, "gradients", "", "all_reduce", 600));
  predicted.back().reasons = {{"padding", 6}};
  const std::vector<LedgerRow> rows = reconcile(predicted, count_run(hidden));
  const LedgerRow& row = find(rows, 1, "gradients", "all_reduce");
  CHECK(row.counted == 0);
  REQUIRE(row.reasons.size() == 2);
  CHECK(row.reasons[1].name == kHiddenBytes);
  CHECK(row.reasons[1].bytes == -606);
  CHECK(unexplained_bytes(rows) == 0);
  CHECK(unexplained_with(hidden) == 0);  // what nobody predicted, and nobody can count
}

TEST_CASE("an event at the note's time belongs to it; a faithful run leaves no byte unexplained") {
  const auto store = TraceStore::create("test");
  Recorder& recorder = *store->add_section("one", {}, 1).front();
  recorder.memory({.time_ns = 5, .live_bytes = 10, .category = Category::kOther});
  recorder.note({.time_ns = 5, .name = recorder.name(kStepEntry)});
  recorder.memory({.time_ns = 6, .live_bytes = 99, .category = Category::kOther});
  const Trace trace = store->snapshot();
  CHECK(find(count_rows(trace, trace.sections().front()), 0, "other", kStepEntry).counted == 10);
  const auto rows = count_run([](RankScript& rank) {
    rank.send("gradients", Op::kAllReduce, 30);
    rank.send("gradients", Op::kReduceScatter, 500, CollectiveState::kFailed);
  });
  CHECK(find(rows, 1, "gradients", "reduce_scatter").counted == 4000);
  CHECK(find(rows, 1, "gradients", "all_reduce").counted == 30);
  CHECK(find(rows, 1, "parameters", "all_gather").counted == 4000);
  const auto faithful = reconcile(predictions(), count_run());
  CHECK(unexplained_bytes(faithful) == 0);
  CHECK_FALSE(find(faithful, 0, "activations", kPeak).predicted.has_value());
  CHECK_FALSE(find(faithful, 0, "parameters", kPeak).predicted.has_value());
  CHECK(find(faithful, 0, "parameters", kStepEntry).predicted == 4000);
  CHECK(find(faithful, 0, "parameters", kStepEntry).section == "stage 2");
}

TEST_CASE("planted bugs turn up as unexplained bytes") {
  SECTION("a dropped copy: bytes that were never sent") {
    CHECK(unexplained_with([](RankScript& rank) { rank.send("gradients", Op::kReduceScatter, -250); }) ==
          250);
  }
  SECTION("an extra gather") {
    CHECK(unexplained_with([](RankScript& rank) { rank.send("parameters", Op::kAllGather, 2000); }) == 2000);
  }
  SECTION("a collective that nobody predicted") {
    CHECK(unexplained_with([](RankScript& rank) { rank.send("loss", Op::kAllReduce, 8); }) == 8);
  }
  SECTION("a leaked gradient is seen at both later moments") {
    CHECK(unexplained_with([](RankScript& rank) { rank.allocate(Category::kGradients, 40); }) == 80);
  }
  SECTION("state freed too early") {
    CHECK(unexplained_with([](RankScript& rank) { rank.allocate(Category::kOptimizer, -4000); }) == 8000);
  }
  SECTION("too much on one rank does not cancel too little elsewhere") {
    CHECK(unexplained_with([](RankScript& rank) {
            rank.send("gradients", Op::kReduceScatter, -100);
            rank.send("parameters", Op::kAllGather, 100);
          }) == 200);
  }
  SECTION("a buffer is counted only") {
    CHECK(unexplained_with([](RankScript& rank) { rank.allocate(Category::kBuffers, 40); }) == 0);
  }
}

TEST_CASE("reasons explain exactly their bytes; what was never counted counts nothing") {
  auto predicted = predictions();
  const auto counted = count_run();
  *predicted.front().predicted -= 16;
  CHECK(unexplained_bytes(reconcile(predicted, counted)) == 16);
  predicted.front().reasons.push_back({"padding", 16});
  CHECK(unexplained_bytes(reconcile(predicted, counted)) == 0);
  auto never = predictions();
  never.push_back(expect(0, "export", "", "all_gather", 12));
  const auto rows = reconcile(never, count_run());
  CHECK(find(rows, 0, "export", "all_gather").counted == 0);
  CHECK(unexplained_bytes(rows) == 12);
  auto twice = predictions();
  twice.push_back(twice.front());
  CHECK_THROWS_AS(reconcile(twice, count_run()), InvariantError);
}

TEST_CASE("what a GPU's allocator adds has names among the reasons, at each moment") {
  const auto store = TraceStore::create("gpu");
  Recorder* recorder = store->add_section("run", {}, 1).at(0);
  RankScript rank(*recorder);
  rank.allocate(Category::kOther, 33, kWorkSpace);
  rank.allocate(Category::kOther, 5, kAllocatorRounding);
  rank.allocate(Category::kOther, 100, "a product's copies");
  rank.note(kAfterConstruction);
  rank.allocate(Category::kOther, 7, kAllocatorRounding);
  rank.allocate(Category::kOther, -5, kAllocatorRounding);
  rank.note(kAfterStep);
  for (const double bytes : {40.0, 90.0, 60.0}) recorder->scalar(kCachedMemory, 0, bytes);
  const Trace trace = store->snapshot();
  const auto reasons_at = [&](const std::string& at) {
    std::map<std::string, int64_t> reasons;
    for (const LedgerRow& row : count_rows(trace, *trace.find("run")))
      if (row.category == "other" && row.at == at)
        for (const LedgerReason& reason : row.reasons) reasons[reason.name] = reason.bytes;
    return reasons;
  };
  CHECK(reasons_at(kAfterConstruction) ==
        std::map<std::string, int64_t>{{kAllocatorRounding, 5}, {kWorkSpace, 33}});
  CHECK(reasons_at(kAfterStep) == std::map<std::string, int64_t>{{kAllocatorRounding, 7}, {kWorkSpace, 33}});
  for (const LedgerRow& row : count_rows(trace, *trace.find("run"))) {
    if (row.category != kCachedMemory) continue;
    CHECK(row.counted == 90);
    CHECK(counted_only(row));
  }
  CHECK(unexplained_bytes(reconcile({}, count_rows(trace, *trace.find("run")))) == 0);
}
