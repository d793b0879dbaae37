// Ranks that stop inside a collective, inputs that are not finite, and what is noted of it.
#include <catch.h>

#include <atomic>
#include <limits>
#include <thread>

#include "at_once.h"
#include "endings.h"
#include "patience.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;
using std::chrono::milliseconds;

namespace {

constexpr int kRanks = 4;

// The rank stays inside one of its calls.
class Holds final : public GroupDecorator {
 public:
  Holds(std::unique_ptr<ProcessGroup> inner, int call, std::chrono::nanoseconds time)
      : GroupDecorator(std::move(inner)), call_(call), time_(time) {}
  WorkPtr start(Collective call) override {
    if (calls_++ == call_) call.hold = time_;
    return inner_->start(std::move(call));
  }

 private:
  const int call_;
  const std::chrono::nanoseconds time_;
  int calls_ = 0;
};

using Call = std::function<void(ProcessGroup&)>;
std::vector<Ending> run_all(const ThreadGroupOptions& options, const Call& body) {
  return endings(kRanks, options, [&](Handle& group) { body(*group); });
}

// `rank` stays inside its `call`-th collective for `time`.
std::vector<Ending> run_holding(int rank, int call, std::chrono::nanoseconds time, milliseconds timeout,
                                const Call& body) {
  return endings(kRanks, with_timeout(timeout), [&](Handle& group) {
    if (group->rank() == rank) group = std::make_unique<Holds>(std::move(group), call, time);
    body(*group);
  });
}

std::vector<std::pair<std::string, Call>> collectives() {
  const auto buffer = [](int64_t count) { return TypedBuffer(Dtype::kFloat32, count); };
  return {{"all_reduce",
           [=](ProcessGroup& group) {
             auto data = buffer(5000);
             group.all_reduce(data.view(), {}, ReduceOp::kSum)->wait();
           }},
          {"small all_reduce",
           [=](ProcessGroup& group) {
             auto data = buffer(3);
             group.all_reduce(data.view(), {}, ReduceOp::kSum)->wait();
           }},
          {"all_gather",
           [=](ProcessGroup& group) {
             auto in = buffer(700), out = buffer(700 * kRanks);
             group.all_gather(in.view(), out.view(), {})->wait();
           }},
          {"reduce_scatter",
           [=](ProcessGroup& group) {
             auto in = buffer(700 * kRanks), out = buffer(700);
             group.reduce_scatter(in.view(), out.view(), {})->wait();
           }},
          {"barrier", [=](ProcessGroup& group) { group.barrier({})->wait(); }}};
}

}  // namespace

TEST_CASE("a rank that stops inside a collective: the others end at their deadline and name it") {
  const auto all = collectives();
  const auto held = at_once(all, [](const auto& collective) {
    const auto twice = [&](ProcessGroup& group) {
      collective.second(group);
      collective.second(group);
    };
    return run_holding(2, 1, kHoldForEver, milliseconds(500), twice);
  });
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Ending& end : held[i]) {
      CAPTURE(all[i].first, end.text);
      // Over channels who has heard of all is through a barrier: no data follows.
      if (is_as_processes() && all[i].first == "barrier" && &end != &held[i][2]) continue;
      CHECK(end.kind == Kind::kTimeout);
      CHECK(end.ranks == std::vector<int>{2});
    }
  }
}

TEST_CASE("a rank that is slow inside a collective, but in time: the result is right") {
  const auto sums = [](ProcessGroup& group) {
    for (const int64_t count : {5000, 3}) {
      TypedBuffer data(Dtype::kFloat32, contribution(group.rank(), count));
      group.all_reduce(data.view(), {}, ReduceOp::kSum)->wait();
      if (data.values() != naive_reduce(kRanks, count)) throw std::runtime_error("wrong sum");
    }
  };
  const auto ended = run_holding(1, 0, milliseconds(50), milliseconds(20000), sums);
  for (const Ending& end : ended) CHECK(end.text == "");
  CHECK(ended[0].time >= milliseconds(50));
}

TEST_CASE("an abort ends a collective that a rank is held in, at once") {
  for (const int64_t count : {5000, 3}) {
    const auto dies = [count](ProcessGroup& group) {
      TypedBuffer data(Dtype::kFloat32, count);
      const WorkPtr work = group.all_reduce(data.view(), {}, ReduceOp::kSum);
      std::this_thread::sleep_for(milliseconds(30));
      if (group.rank() == 2) group.abort("it died inside");
      work->wait();
    };
    const auto ended = run_holding(2, 0, kHoldForEver, 2 * kPatience, dies);
    for (const Ending& end : ended) {
      CAPTURE(end.text);
      CHECK(end.ranks == std::vector<int>{2});
      CHECK(end.time < kPatience);
    }
  }
}

TEST_CASE("a value that is not finite is found on its own rank, before it is added") {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16, Dtype::kFloat64}) {
    for (const int64_t place : {int64_t{0}, int64_t{4095}, int64_t{4096}, int64_t{8999}}) {
      CAPTURE(to_string(dtype), place);
      ThreadGroupOptions options;
      options.check_finite = true;
      const auto ended = run_all(options, [&](ProcessGroup& group) {
        TypedBuffer data(dtype, 9000);
        if (group.rank() == 3) {
          auto* first = static_cast<std::byte*>(data.view().data) + place * size_of(dtype);
          if (dtype == Dtype::kFloat64)
            *reinterpret_cast<double*>(first) = -std::numeric_limits<double>::infinity();
          if (dtype == Dtype::kFloat32) *reinterpret_cast<float*>(first) = std::nanf("");
          if (dtype == Dtype::kBFloat16) *reinterpret_cast<uint16_t*>(first) = 0xff81;
        }
        group.all_reduce(data.view(), {"sums", "bucket 0", /*look_for_nan=*/true}, ReduceOp::kSum)->wait();
      });
      for (const Ending& end : ended) {
        CAPTURE(end.text);
        CHECK(end.kind == Kind::kNonFinite);
        CHECK(end.ranks == std::vector<int>{3});
        CHECK(end.text.find("at element " + std::to_string(place)) != std::string::npos);
      }
    }
  }
}

TEST_CASE("a call is looked at where its tag and its group ask for it, whatever it carries") {
  for (const bool look : {true, false}) {
    ThreadGroupOptions options;
    options.check_finite = look;
    const auto ended = run_all(options, [&](ProcessGroup& group) {
      float value = std::nanf("");
      group.all_reduce({&value, 1, Dtype::kFloat32}, {"gradients", "", !look}, ReduceOp::kSum)->wait();
    });
    for (const Ending& end : ended) CHECK(end.text == "");
  }
}

TEST_CASE("a late rank is noted by those who wait, once, and is no error") {
  RecordedRun run(kRanks);
  run.options.late_after = milliseconds(500);
  run.options.timeout = kPatience;
  const auto noted = [&] {
    const Trace trace = run.store->snapshot();
    size_t all = 0;
    for (const int rank : {0, 2, 3}) all += trace.find("test")->notes(rank).size();
    return all == 3;
  };
  on_ranks(kRanks, run.options, [&](ProcessGroup& group) {
    group.barrier({})->wait();
    if (group.rank() == 1) eventually(noted);
    group.barrier({})->wait();
  });
  const Trace trace = run.store->snapshot();
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto notes = trace.find("test")->notes(rank);
    if (rank == 1) {
      CHECK(notes.size() == 0);
      continue;
    }
    REQUIRE(notes.size() == 1);
    CHECK(trace.name(notes[0].name) == "late");
    CHECK(trace.name(notes[0].unit) == "dp #1 barrier waits for rank 1 after 500.0 ms");
  }
}

TEST_CASE("a late rank is noted and a cycle is looked for once each, whichever comes first") {
  for (const int late_after : {1, 40}) {
    RecordedRun run(2);
    std::atomic<int> asked = 0;
    run.options.late_after = milliseconds(late_after);
    run.options.timeout = kPatience;
    run.options.on_blocked = [&] { ++asked; };
    const auto notes = [&] { return run.store->snapshot().find("test")->notes(0).size(); };
    on_ranks(2, run.options, [&](ProcessGroup& group) {
      if (group.rank() == 1) eventually([&] { return asked == 1 && notes() == 1; });
      group.barrier({})->wait();
    });
    CAPTURE(late_after);
    CHECK(asked == 1);
    CHECK(notes() == 1);
  }
}

TEST_CASE("flight records: what a rank called, and what it had come to when the group broke") {
  std::vector<std::unique_ptr<FlightRecorder>> flights;
  ThreadGroupOptions options;
  options.timeout = milliseconds(500);
  for (int rank = 0; rank < kRanks; ++rank) {
    flights.push_back(std::make_unique<FlightRecorder>(rank));
    options.flights.push_back(flights.back().get());
  }
  std::atomic<int> broken = 0;
  run_all(options, [&](ProcessGroup& group) {
    TypedBuffer data(Dtype::kFloat32, 40), out(Dtype::kFloat32, 40 * kRanks);
    group.all_gather(data.view(), out.view(), {"parameters", "layer 1"})->wait();
    if (group.rank() == 2) eventually([&] { return broken == kRanks - 1; });
    const WorkPtr work = group.all_reduce(data.view(), {"gradients", "bucket 0"}, ReduceOp::kSum);
    try {
      work->wait();
    } catch (const CollectiveError&) {
      ++broken;
      throw;
    }
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    const FlightDump dump = flights[static_cast<size_t>(rank)]->dump();
    CAPTURE(rank);
    REQUIRE(dump.groups.size() == 1);
    CHECK(dump.groups[0].ranks == std::vector<int>{0, 1, 2, 3});
    REQUIRE(dump.entries.size() == (rank == 2 ? 1 : 2));  // what it called too late is not in it
    CHECK(dump.entries[0].state == CollectiveState::kCompleted);
    CHECK(dump.entries[0].elements_out == 40 * kRanks);
    CHECK(dump.entries[0].timeout_ms == 500);
    if (rank == 2) continue;
    CHECK(dump.entries[1].state == CollectiveState::kStarted);
    CHECK(dump.entries[1].retired);
    CHECK(dump.entries[1].collective_seq_id == 1);
    CHECK(dump.entries[1].tag == "gradients");
    CHECK(dump.entries[1].unit == "bucket 0");
  }
}
