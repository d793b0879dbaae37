// A simulated run as a section of a trace: what lessons and the timeline read.
#include "ringside/parameter_server/recording.h"

#include <catch.h>

#include "ringside/trace/server_rows.h"
#include "ringside/trace/server_view.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kRecordedClocks = 6;

// Two servers and three workers; a third server joins, and a worker is killed.
struct RecordedRun {
  explicit RecordedRun(bool messages = true, NetworkModel model = {.loss = 0.1, .duplication = 0.05})
      : recording({.store = store.get(), .attributes = {{"servers", 2}}, .messages = messages}) {
    Cluster config = toy_cluster(3, 2, 1, 20);
    config.groups[0].consistency = Consistency::kSsp;
    config.groups[0].staleness = 2;
    cluster = std::make_unique<SimulatedCluster>(recording.observed(config), model, 1,
                                                 [this](NodeId, uint32_t rank) {
                                                   WorkerTask task = toy_task(rank, kRecordedClocks, 20);
                                                   task.on_read = [this](int64_t, const Client&) { ++reads; };
                                                   return task;
                                                 });
    recording.attach(*cluster);
    cluster->network().at(40'000'000, [this] { cluster->add_server(); });
    cluster->network().at(60'000'000, [this] { cluster->network().crash(kFirstWorker + 2); });
    cluster->train(60 * kSecond);
    cluster->network().run(cluster->network().now_ns() + kSecond, [] { return false; });
    recording.loss(0.25);
    recording.finish();
    trace = store->snapshot();
  }
  const SectionView& section() const { return trace.sections().front(); }

  std::shared_ptr<TraceStore> store = TraceStore::create("test");
  Recording recording;
  std::unique_ptr<SimulatedCluster> cluster;
  int64_t reads = 0;
  Trace trace;
};

// A recorded server as it stood at an instant.
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

TEST_CASE("recording: nodes are ranks; each read has its staleness and wait, beside the computing") {
  const RecordedRun run;
  std::map<std::string, int> roles;
  for (const ServerNode& node : rows_as<ServerNode>(run.section())) ++roles[node.role];
  CHECK(roles == std::map<std::string, int>{{"scheduler", 1}, {"server", 3}, {"worker", 3}});
  CHECK(run.section().ranks() == 7);
  CHECK(run.section().life(6).began_ns >= 40'000'000);
  CHECK(run.section().life(run.recording.rank_of(kFirstWorker + 2)).ended_ns == 60'000'000);
  const std::vector<WorkerRead> reads = rows_as<WorkerRead>(run.section());
  CHECK(std::ssize(reads) == run.reads);
  for (const WorkerRead& read : reads) {
    CHECK(read.staleness <= 2);
    CHECK(read.staleness == std::max<int64_t>(read.clock - read.oldest, 0));
    CHECK(read.waited >= 0);
  }
  const int worker = run.recording.rank_of(kFirstWorker);
  std::map<std::string, int64_t> spans;
  for (const SpanEvent& span : run.section().spans(worker)) ++spans[run.trace.name(span.name)];
  CHECK(spans["wait"] == kRecordedClocks);
  CHECK(spans["compute"] == kRecordedClocks);
}

TEST_CASE("recording: chains cover all keys, and change as a server joins") {
  const RecordedRun run;
  std::map<int64_t, RangeChain> last;
  int64_t changes = 0;
  for (const RangeChain& chain : rows_as<RangeChain>(run.section())) {
    changes += last.contains(chain.range) ? 1 : 0;
    last[chain.range] = chain;
  }
  int64_t keys = 0;
  std::string all;
  for (const auto& [range, chain] : last) {
    keys += chain.keys;
    all += chain.nodes + " ";
  }
  CHECK(keys == 20);
  CHECK(changes > 0);
  CHECK(all.find('6') != std::string::npos);  // the server that joined holds something
}

TEST_CASE("recording: at rest the servers hold each value twice, and a node that crashed holds nothing") {
  const RecordedRun run;
  const auto held = [&](int rank, Category category) {
    const auto events = run.section().memory(rank, category);
    return events.empty() ? 0 : events.back().live_bytes;
  };
  const Cluster toy = toy_cluster(3, 2, 1, 20);
  const int64_t values = 20 * 4, state = values * std::ssize(make_optimizer(toy.groups[0].optimizer).state());
  int64_t parameters = 0, optimizer = 0, own = 0, copied = 0, most_waits = 0;
  for (const int server : {3, 4, 6}) {
    parameters += held(server, Category::kParameters);
    optimizer += held(server, Category::kOptimizer);
    CHECK(held(server, Category::kGradients) == 0);
    CHECK(held(server, Category::kBuffers) == 0);
    for (const MemoryEvent& event : run.section().memory(server, Category::kBuffers))
      most_waits = std::max(most_waits, event.live_bytes);
    ServerHeld last;
    for (const RowEvent* event : run.section().rows_of(ServerHeld::kTable))
      if (event->rank == server) last = *row_as<ServerHeld>(*event);
    own += last.own;
    copied += last.copied;
  }
  CHECK(parameters == 2 * values);
  CHECK(optimizer == 2 * state);
  CHECK(own == values + state);
  CHECK(copied == values + state);
  CHECK(most_waits > 0);
  const int killed = run.recording.rank_of(kFirstWorker + 2);
  CHECK(!run.section().memory(killed, Category::kParameters).empty());
  for (const Category category : kCategories) CHECK(held(killed, category) == 0);
}

TEST_CASE("recording: a message's events tell what became of it, and the totals agree with the messages") {
  const RecordedRun run;
  std::map<MessageState, int64_t> states;
  std::map<std::string, int64_t> bytes, totals;
  for (int rank = 0; rank < run.section().ranks(); ++rank)
    for (const MessageEvent& message : run.section().messages(rank)) {
      ++states[message.state];
      if (message.state == MessageState::kSent) bytes[run.trace.name(message.tag)] += message.bytes;
      if (message.state == MessageState::kReceived) CHECK(message.time_received_ns > message.time_sent_ns);
    }
  for (const SentByKind& sent : rows_as<SentByKind>(run.section())) totals[sent.kind] += sent.bytes;
  CHECK(totals == bytes);
  CHECK(totals.contains("push"));
  CHECK(states[MessageState::kLost] > 0);
  CHECK(states[MessageState::kReceivedAgain] > 0);
  CHECK(states[MessageState::kReceived] > states[MessageState::kLost]);
}

TEST_CASE("recording: without messages the totals are the same") {
  const RecordedRun with, without(false);
  std::map<std::string, int64_t> a, b;
  for (const SentByKind& sent : rows_as<SentByKind>(with.section())) a[sent.kind] += sent.value_bytes;
  for (const SentByKind& sent : rows_as<SentByKind>(without.section())) b[sent.kind] += sent.value_bytes;
  CHECK(a == b);
  for (int rank = 0; rank < without.section().ranks(); ++rank)
    CHECK(without.section().messages(rank).empty());
}

TEST_CASE("server view: who is there, who holds a range, and where a push is, by the instant") {
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
  const std::vector<MessageEvent> messages =
      ServerView(trace, &trace.sections().front(), kKilled - 1).messages_of_a_push();
  REQUIRE(messages.size() == 6);  // two copies
  CHECK(trace.name(messages.front().tag) == "push");
  CHECK(trace.name(messages.back().tag) == "pushed");
  CHECK(messages.back().to == messages.front().from);
  for (const MessageEvent& message : messages) CHECK(message.first_key == messages.front().first_key);
}
