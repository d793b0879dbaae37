// A simulated run as a section of a trace: what lessons and the timeline read.
#include "ringside/parameter_server/recording.h"

#include <catch.h>

#include <set>

#include "ringside/trace/server_rows.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::ps;
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

}  // namespace

TEST_CASE("recording: nodes are ranks, and one that joins is a rank of its own") {
  const RecordedRun run;
  std::map<std::string, int> roles;
  for (const ServerNode& node : rows_as<ServerNode>(run.section())) ++roles[node.role];
  CHECK(roles == std::map<std::string, int>{{"scheduler", 1}, {"server", 3}, {"worker", 3}});
  CHECK(run.section().ranks() == 7);
  CHECK(run.section().life(6).began_ns >= 40'000'000);
  CHECK(run.section().life(run.recording.rank_of(kFirstWorker + 2)).ended_ns == 60'000'000);
}

TEST_CASE("recording: each read has its staleness and its wait, and stands as a span beside the computing") {
  const RecordedRun run;
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

TEST_CASE("recording: chains cover all keys, change as a server joins, and name ranks of the section") {
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
  for (int rank = 0; rank < run.section().ranks(); ++rank) {
    for (const MessageEvent& message : run.section().messages(rank)) {
      ++states[message.state];
      if (message.state == MessageState::kSent) bytes[run.trace.name(message.tag)] += message.bytes;
      if (message.state == MessageState::kReceived) CHECK(message.time_received_ns > message.time_sent_ns);
    }
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
