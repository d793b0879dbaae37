// One group or two, agreement before each step or not, and the call that closes a group.
#include <chrono>
#include <mutex>
#include <set>

#include "catch.h"
#include "faulty_group.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using namespace std::chrono_literals;

TrainerConfig with_two_groups(int ranks, int stage) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.two_groups = true;
  config.evaluate_every = 0;
  return config;
}

// What a rank called in each group, by name: tags, and sequence numbers as they were completed.
struct Calls {
  std::set<std::string> tags;
  std::vector<int64_t> numbers;
};
std::map<std::string, Calls> calls_of(const Audit& run, int rank) {
  const Trace trace = run.store->snapshot();
  std::map<std::string, Calls> calls;
  for (const CollectiveEvent& event : trace.find("run")->collectives(rank)) {
    if (event.state != CollectiveState::kCompleted) continue;
    Calls& group = calls[trace.name(event.group)];
    group.tags.insert(trace.name(event.tag));
    group.numbers.push_back(event.collective_seq_id);
  }
  return calls;
}

bool counts_from_zero(const std::vector<int64_t>& numbers) {
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<int64_t>(i)) return false;
  return !numbers.empty();
}

// Rank 1 queues a sum that nobody else knows of, after the metrics, and does not wait for it.
struct OneCallTooMany : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    const bool metrics = call.tag.what == "metrics";
    WorkPtr work = inner_->start(std::move(call));
    if (rank() == 1 && metrics) {
      work->wait();
      inner_->all_reduce({extra, 2, Dtype::kFloat64}, {"extra", ""});
    }
    return work;
  }
  double extra[2] = {0, 0};
};

// Rank 1 fails at its first call with a tag, on whichever group it comes.
template <int kWhich>
struct FailsAt : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    if (rank() == 1 && call.tag.what == (kWhich == 0 ? "gradients" : "metrics")) throw InputError("planted");
    return inner_->start(std::move(call));
  }
};

}  // namespace

TEST_CASE("two groups number their calls apart, and split them as DeepSpeed and a trainer do") {
  using Tags = std::set<std::string>;
  for (const int stage : {0, 3}) {
    const Audit run = audit(with_two_groups(3, stage), tiny_data());
    for (int rank = 0; rank < 3; ++rank) {
      std::map<std::string, Calls> calls = calls_of(run, rank);
      REQUIRE(calls.size() == 2);
      for (const char* name : {"dp", "default"}) CHECK(counts_from_zero(calls[name].numbers));
      CHECK(calls["default"].tags == Tags{"control", "metrics", "evaluation", "close"});
      // Stage 3 gathers parameters for the evaluation and the export, which is the strategy's business.
      CHECK(calls["dp"].tags == (stage == 0 ? Tags{"initial", "gradients", "close"}
                                            : Tags{"initial", "gradients", "norm", "parameters", "evaluation",
                                                   "export", "close"}));
    }
  }
}

TEST_CASE("every handle of every group is offered to be wrapped, once") {
  std::mutex mutex;
  std::multiset<std::string> seen;
  TrainerHooks hooks;
  hooks.wrap_group = [&](std::unique_ptr<ProcessGroup> group) {
    const std::lock_guard lock(mutex);
    seen.insert(group->name() + " " + std::to_string(group->rank()));
    return group;
  };
  audit(with_two_groups(2, 1), tiny_data(), hooks);
  CHECK(seen == std::multiset<std::string>{"dp 0", "dp 1", "default 0", "default 1"});
}

TEST_CASE("without agreement no word passes between steps") {
  TrainerConfig config = with_two_groups(3, 2);
  config.agree_on_steps = false;
  for (auto& [name, calls] : calls_of(audit(config, tiny_data()), 0)) CHECK(calls.tags.count("control") == 0);
}

TEST_CASE("without agreement a run is cancelled before its first step, or broken off wherever it is") {
  TrainerConfig config = tiny_config(2, 1);
  config.agree_on_steps = false;
  RunControl control;
  control.cancel();
  TrainerHooks hooks;
  hooks.control = &control;
  const Audit none = audit(config, tiny_data(), hooks);
  CHECK_FALSE(none.result.complete);
  CHECK(none.result.steps == 0);
  CHECK(none.ledger_problem() == "");

  config.steps = 100000;
  RunControl late;
  hooks.control = &late;
  hooks.on_step = [&](int64_t step) {
    if (step == 3) late.cancel();
  };
  const auto store = TraceStore::create("test");
  CHECK_THROWS_AS(train(config, tiny_data(), *store, "run", hooks), CancelledError);
}

TEST_CASE("closing a group is a collective: passed once a group, by a cancelled run too") {
  const auto closed = [](const Audit& run) {
    const Trace trace = run.store->snapshot();
    std::multiset<std::string> groups;
    for (const CollectiveEvent& event : trace.find("run")->collectives(1)) {
      if (event.state == CollectiveState::kCompleted && trace.name(event.tag) == "close") {
        CHECK(event.op == Op::kBarrier);
        groups.insert(trace.name(event.group));
      }
    }
    return groups;
  };
  using Names = std::multiset<std::string>;
  CHECK(closed(audit(tiny_config(2, 1), tiny_data())) == Names{"dp"});
  CHECK(closed(audit(with_two_groups(2, 1), tiny_data())) == Names{"dp", "default"});
  RunControl control;
  control.cancel();
  TrainerHooks hooks;
  hooks.control = &control;
  CHECK(closed(audit(with_two_groups(2, 1), tiny_data(), hooks)) == Names{"dp", "default"});
}

TEST_CASE("a call left out, or one too many, is noticed when the group closes if not before") {
  TrainerConfig config = tiny_config(3, 0);
  config.two_groups = true;
  config.agree_on_steps = false;
  config.steps = 1;  // so that the metrics are the only call of "default"
  config.timeout = 20s;
  for (const TrainerHooks& hooks : {leaving_out("metrics", 1), with_fault<OneCallTooMany>()}) {
    try {
      audit(config, tiny_data(), hooks);
      FAIL("nobody noticed");
    } catch (const MismatchError& error) {
      CHECK(error.ranks() == std::vector<int>{1});
      CHECK(error.call().group == "default");
    }
  }
}

TEST_CASE("a rank's error breaks both groups, wherever the others wait") {
  for (const TrainerHooks& hooks : {with_fault<FailsAt<0>>(), with_fault<FailsAt<1>>()}) {
    TrainerConfig config = with_two_groups(3, 0);
    config.timeout = 2 * kPatience;
    const auto start = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(audit(config, tiny_data(), hooks), InputError);
    CHECK(std::chrono::steady_clock::now() - start < kPatience);  // half of a call's deadline
  }
}
