// What every rank is told when a collective cannot complete: who, where, and in time.
#include <catch.h>

#include <atomic>
#include <thread>

#include "at_once.h"
#include "endings.h"
#include "patience.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Rank `odd` makes another call than the others do.
using MakeCall = std::function<void(ProcessGroup&)>;
std::vector<Ending> doctored(int size, int odd, const ThreadGroupOptions& options, const MakeCall& usual,
                             const MakeCall& other) {
  return endings(size, options, [&](Handle& group) { (group->rank() == odd ? other : usual)(*group); });
}

MakeCall all_reduce(Dtype dtype, int64_t count, ReduceOp op = ReduceOp::kSum) {
  return [=](ProcessGroup& group) {
    TypedBuffer buffer(dtype, contribution(group.rank(), count));
    try {
      group.all_reduce(buffer.view(), {}, op)->wait();
    } catch (const CollectiveError&) {
      if (buffer.values() == contribution(group.rank(), count)) throw;
      throw std::runtime_error("data moved before the check");
    }
  };
}
MakeCall broadcast_from(int root) {
  return [=](ProcessGroup& group) {
    TypedBuffer buffer(Dtype::kInt64, 3);
    group.broadcast(buffer.view(), root, {})->wait();
  };
}
MakeCall barrier() {
  return [](ProcessGroup& group) { group.barrier({})->wait(); };
}

struct Disagreement {
  std::string name;
  MakeCall usual, other;
};
std::vector<Disagreement> disagreements() {
  return {{"op", all_reduce(Dtype::kFloat32, 1000), barrier()},
          {"dtype", all_reduce(Dtype::kFloat32, 1000), all_reduce(Dtype::kFloat64, 1000)},
          {"count", all_reduce(Dtype::kFloat32, 1000), all_reduce(Dtype::kFloat32, 1)},
          {"reduce op", all_reduce(Dtype::kInt64, 5), all_reduce(Dtype::kInt64, 5, ReduceOp::kMax)},
          {"root", broadcast_from(0), broadcast_from(1)}};
}

}  // namespace

TEST_CASE("check on: ranks that call different collectives are named at that call") {
  for (const auto& [name, usual, other] : disagreements()) {
    CAPTURE(name);
    for (const Ending& ending : doctored(4, 2, {}, usual, other)) {
      CAPTURE(ending.text);
      CHECK(ending.kind == Kind::kMismatch);
      CHECK(ending.ranks == std::vector<int>{2});
      CHECK(contains(ending.text, "ranks 0, 1 and 3 call dp #0"));
      CHECK(contains(ending.text, "rank 2 calls dp #0"));
    }
  }
}

TEST_CASE("check off: a mismatch never completes and moves nothing; the deadline ends it") {
  const auto all = disagreements();
  const auto ended = at_once(all, [](const Disagreement& one) {
    return doctored(3, 1, with_timeout(std::chrono::milliseconds(100), false), one.usual, one.other);
  });
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Ending& ending : ended[i]) {
      CAPTURE(all[i].name, ending.text);
      CHECK(ending.kind == Kind::kTimeout);
    }
  }
}

TEST_CASE("a skipped call is reported at that call") {
  const auto result = endings(3, {}, [](Handle& group) {
    TypedBuffer buffer(Dtype::kFloat32, 8);
    group->barrier({})->wait();
    if (group->rank() != 1) group->all_reduce(buffer.view(), {})->wait();
    group->all_gather(TypedBuffer(Dtype::kFloat32, 1).view(), TypedBuffer(Dtype::kFloat32, 3).view(), {})
        ->wait();
  });
  for (const Ending& ending : result) {
    CHECK(ending.kind == Kind::kMismatch);
    CHECK(ending.ranks == std::vector<int>{1});
    CHECK(ending.call.seq == 1);
  }
}

TEST_CASE("a skipped last call is reported when its rank goes away") {
  const auto result = endings(3, {}, [](Handle& group) {
    if (group->rank() != 1) group->barrier({})->wait();
    if (group->rank() == 1) group.reset();
  });
  for (const int rank : {0, 2}) {
    CHECK(result[rank].kind == Kind::kPeerLost);
    CHECK(result[rank].ranks == std::vector<int>{1});
    CHECK(contains(result[rank].text, "rank 1 went away"));
  }
}

TEST_CASE("a late rank: the others time out, naming it and who waits where") {
  std::atomic<int> ended = 0;
  const auto result = endings(3, with_timeout(std::chrono::milliseconds(1000)), [&](Handle& group) {
    group->barrier({})->wait();
    if (group->rank() == 2) eventually([&] { return ended == 2; });
    TypedBuffer buffer(Dtype::kBFloat16, 12);
    const WorkPtr work = group->all_reduce(buffer.view(), {"gradients", ""});
    ending_of([&] { work->wait(); });
    ++ended;
    work->wait();
  });
  for (const int rank : {0, 1}) {
    CAPTURE(result[rank].text);
    CHECK(result[rank].kind == Kind::kTimeout);
    CHECK(result[rank].ranks == std::vector<int>{2});
    CHECK(result[rank].call.rank == rank);
    CHECK(contains(result[rank].text, "dp #1 all_reduce of 12 bfloat16"));
    CHECK(contains(result[rank].text, "without rank 2"));
    const auto is_waiting = [&](const std::string& name) {  // or its thread, of a device's memory
      return contains(result[rank].text, name + ": peers, at dp #1") ||
             contains(result[rank].text, name + ".comm: peers, at dp #1");
    };
    CHECK(is_waiting("rank0"));
    CHECK(is_waiting("rank1"));
    CHECK_FALSE(is_waiting("rank2"));
  }
  CHECK(result[2].kind == Kind::kTimeout);  // the group is broken when it comes
}

TEST_CASE("a broken group fails every later call with the first failure") {
  std::atomic<bool> broken = false;
  const auto result = endings(2, with_timeout(std::chrono::milliseconds(50)), [&](Handle& group) {
    if (group->rank() == 0) broken = ending_of([&] { group->barrier({})->wait(); }).kind == Kind::kTimeout;
    if (group->rank() == 1) eventually([&] { return broken.load(); });
    TypedBuffer buffer(Dtype::kInt64, 1);
    const Ending sent = ending_of([&] { group->send(buffer.view(), 1 - group->rank(), {})->wait(); });
    if (sent.kind != Kind::kTimeout) throw std::runtime_error("a send went through");
    group->barrier({})->wait();
  });
  for (const Ending& ending : result) CHECK(ending.kind == Kind::kTimeout);
}

TEST_CASE("abort wakes collectives, sends and receives, here and there") {
  const TimePoint start = SteadyClock::now();
  const auto result = endings(4, {}, [](Handle& group) {
    TypedBuffer buffer(Dtype::kInt64, 1);
    if (group->rank() == 0) group->barrier({})->wait();
    if (group->rank() == 1) group->send(buffer.view(), 3, {})->wait();
    if (group->rank() == 2) group->recv(buffer.view(), 3, {})->wait();
    const WorkPtr own = group->barrier({});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    group->abort("enough");
    own->wait();
  });
  CHECK(SteadyClock::now() - start < std::chrono::seconds(20));
  for (const Ending& ending : result) {
    CHECK(ending.kind == Kind::kPeerLost);
    CHECK(ending.ranks == std::vector<int>{3});
  }
}

TEST_CASE("destroying a handle fails its own calls and those that need it, promptly") {
  const TimePoint start = SteadyClock::now();
  const auto result = endings(3, {}, [](Handle& group) {
    TypedBuffer a(Dtype::kInt64, 1), b(Dtype::kInt64, 1);
    if (group->rank() == 0) return group->recv(a.view(), 2, {})->wait();
    if (group->rank() == 1) return group->barrier({})->wait();
    const WorkPtr collective = group->all_reduce(a.view(), {}), message = group->send(b.view(), 1, {});
    group.reset();
    const Ending other = ending_of([&] { collective->wait(); });
    if (other.kind != Kind::kPeerLost) throw std::runtime_error("the collective did not fail");
    message->wait();
  });
  CHECK(SteadyClock::now() - start < std::chrono::seconds(20));
  for (const Ending& ending : result) {
    CAPTURE(ending.text);
    CHECK(ending.kind == Kind::kPeerLost);
    CHECK(ending.ranks == std::vector<int>{2});
  }
}

TEST_CASE("a call behind one that its waiter carries ends with the handle too") {
  std::atomic<bool> begun = false, ended = false;
  Kind first = Kind::kFine, behind = Kind::kFine;
  const auto result = endings(2, {}, [&](Handle& group) {
    if (group->rank() == 1) {
      eventually([&] { return ended.load(); });
      return;
    }
    TypedBuffer a(Dtype::kInt64, 1), b(Dtype::kInt64, 1);
    std::jthread waiter([&] {
      begun = true;
      first = ending_of([&] { group->all_reduce_now(a.view(), {}); }).kind;
    });
    eventually([&] { return begun.load(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const WorkPtr second = group->all_reduce(b.view(), {});
    group.reset();
    behind = ending_of([&] { second->wait(); }).kind;
    ended = true;
  });
  CHECK(first == Kind::kPeerLost);
  CHECK(behind == Kind::kPeerLost);
  for (const Ending& ending : result) CHECK(ending.kind == Kind::kFine);
}

TEST_CASE("a call behind one that its waiter carries is carried without being waited for") {
  std::atomic<bool> queued = false;
  const auto result = endings(2, {}, [&](Handle& group) {
    TypedBuffer a(Dtype::kInt64, 1), b(Dtype::kInt64, 1);
    std::jthread waiter([&] {
      if (group->rank() == 1) eventually([&] { return queued.load(); });
      group->all_reduce_now(a.view(), {});
    });
    if (group->rank() == 1) waiter.join();
    if (group->rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const WorkPtr second = group->all_reduce(b.view(), {});
    queued = true;
    if (group->rank() == 1) return second->wait();
    eventually([&] { return second->done(); });
  });
  for (const Ending& ending : result) CHECK(ending.kind == Kind::kFine);
}

TEST_CASE("ranks that have finished may leave while others still work") {
  const auto result = endings(3, {}, [](Handle& group) {
    group->barrier({})->wait();
    if (group->rank() == 0) return group.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    TypedBuffer buffer(Dtype::kInt64, 1);
    if (group->rank() == 1) group->send(buffer.view(), 2, {})->wait();
    if (group->rank() == 2) group->recv(buffer.view(), 1, {})->wait();
  });
  for (const Ending& ending : result) CHECK(ending.kind == Kind::kFine);
}

TEST_CASE("a message nobody takes times out; one of another size is a mismatch") {
  const auto send_or_recv = [](int64_t sent, int64_t received) {
    return [=](Handle& group) {
      TypedBuffer out(Dtype::kFloat32, sent), in(Dtype::kFloat32, received);
      if (group->rank() == 0 && sent >= 0) group->send(out.view(), 1, {})->wait();
      if (group->rank() == 1 && received > 0) group->recv(in.view(), 0, {})->wait();
    };
  };
  const auto alone = endings(2, with_timeout(std::chrono::milliseconds(100)), send_or_recv(5, 0));
  CHECK(alone[0].kind == Kind::kTimeout);
  CHECK(alone[0].ranks == std::vector<int>{1});

  for (const Ending& ending : endings(2, {}, send_or_recv(5, 6))) CHECK(ending.kind == Kind::kMismatch);
  for (const Ending& ending :
       endings(2, with_timeout(std::chrono::milliseconds(100), false), send_or_recv(5, 6)))
    CHECK(ending.kind == Kind::kTimeout);
}
