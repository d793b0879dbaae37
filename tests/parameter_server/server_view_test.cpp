// A recorded server as it stood at an instant.
#include "ringside/trace/server_view.h"

#include <catch.h>

#include "ringside/parameter_server/recording.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::ps;
using namespace ringside::testing;

namespace {

constexpr int64_t kKilled = 200'000'000, kJoins = 300'000'000;  // ns

// Three workers and four servers; the owner of range 0 dies, and another server joins.
Trace recorded() {
  const auto store = TraceStore::create("view");
  Recording recording({.store = store.get(), .section = "training"});
  SimulatedCluster cluster(recording.observed(toy_cluster(3, 4, 2, 53)), {}, 1, [](NodeId, uint32_t rank) {
    WorkerTask task = toy_task(rank, 60, 53);
    task.compute_ns = [rank](int64_t) { return (10 + 5 * int64_t{rank}) * 1'000'000; };
    return task;
  });
  recording.attach(cluster);
  SimulatedNetwork& network = cluster.network();
  network.at(kKilled, [&] { network.crash(cluster.scheduler().table().chains[0].nodes.front()); });
  network.at(kJoins, [&] { cluster.add_server(); });
  REQUIRE(cluster.train(60 * kSecond));
  return store->snapshot();
}

}  // namespace

TEST_CASE("server view: who is there, who is dead, and who holds a range, by the instant") {
  const Trace trace = recorded();
  const SectionView& section = trace.sections().front();
  const ServerView before(trace, &section, kKilled - 1), after(trace, &section);
  const int32_t owner = before.chains().at(0).front();
  CHECK(before.nodes("worker").size() == 3);
  CHECK(before.nodes("server").size() == 4);
  CHECK(after.nodes("server").rbegin()->second == "new server 5");
  CHECK(!before.is_dead(owner));
  CHECK(after.is_dead(owner));
  for (const auto& [range, chain] : after.chains()) {
    CHECK(chain.size() == 3);
    CHECK(std::count(chain.begin(), chain.end(), owner) == 0);
  }
  CHECK(before.seconds_of(0, "compute") < after.seconds_of(0, "compute"));
  CHECK(before.last<WorkerPush>().at(0).clock < 59);
  CHECK(after.last<WorkerPush>().at(0).clock == 59);
  CHECK(!after.waits(0));
  CHECK(ServerView(trace, nullptr).chains().empty());
  CHECK(ServerView(trace, nullptr).messages_of_a_push().empty());
}

TEST_CASE("server view: a push goes along the chain and back, and then its worker hears of it") {
  const Trace trace = recorded();
  const std::vector<MessageEvent> messages =
      ServerView(trace, &trace.sections().front(), kKilled - 1).messages_of_a_push();
  REQUIRE(messages.size() == 6);  // two copies
  CHECK(trace.name(messages.front().tag) == "push");
  CHECK(trace.name(messages.back().tag) == "pushed");
  CHECK(messages.back().to == messages.front().from);
  for (const MessageEvent& message : messages) CHECK(message.first_key == messages.front().first_key);
}
