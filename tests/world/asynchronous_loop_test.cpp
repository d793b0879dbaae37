// A parameter server in one thread: workers pull weights, compute, and push gradients, each at its own pace,
// over a network that loses and doubles messages. The clock is virtual: a run is the same run every time.
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <sstream>
#include <vector>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/trace/files.h"

using namespace ringside;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kJoins = 20 * kMs, kLeaves = 60 * kMs, kEnd = 120 * kMs;
constexpr int kServer = 0, kLeaver = 1, kLate = 3;
constexpr int64_t kKeys = 8;
constexpr double kRate = 0.2;

using Weights = std::vector<double>;

class Simulation {
 public:
  Simulation() {
    recorders_ = store_->add_section("server", {{"rate", kRate}}, kLate, clock_);
    updates_ = store_->declare({"updates",
                                {{"worker", ColumnKind::kInteger},
                                 {"staleness", ColumnKind::kInteger, "updates"},
                                 {"distance", ColumnKind::kNumber}}});
  }

  Trace run() {
    for (int worker = 1; worker < kLate; ++worker) pull(worker);
    at(kJoins, [this] {
      recorders_.push_back(store_->add_rank("server"));
      pull(kLate);
    });
    at(kLeaves, [this] {
      gone_.insert(kLeaver);
      recorders_[kLeaver]->end();
    });
    while (!events_.empty()) {
      const Event next = events_.top();
      events_.pop();
      clock_->set(next.time_ns);
      next.happen();
    }
    store_->set_complete();
    return store_->snapshot();
  }

 private:
  struct Event {
    int64_t time_ns;
    int64_t order;  // of events of one time
    std::function<void()> happen;
    bool operator<(const Event& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
    }
  };
  void at(int64_t time_ns, std::function<void()> happen) {
    events_.push({time_ns, order_++, std::move(happen)});
  }
  int64_t now() const { return clock_->now_ns(); }
  bool there(int rank) const { return gone_.count(rank) == 0; }

  // One message in ten is lost and one in ten comes twice.
  void send(int from, int to, const char* what, int64_t keys, const std::function<void()>& receive) {
    MessageEvent message{.id = ++messages_, .bytes = 8 * keys, .keys = keys, .time_sent_ns = now()};
    message.tag = store_->intern(what);
    message.from = from;
    message.to = to;
    recorders_[static_cast<size_t>(from)]->message(message);
    const uint64_t luck = network_.below(10);
    const int copies = luck == 0 ? 0 : luck == 1 ? 2 : 1;
    if (copies == 0) lose(message);
    for (int copy = 0; copy < copies; ++copy)
      at(now() + kMs + static_cast<int64_t>(network_.below(kMs)), [this, message, receive]() mutable {
        if (!there(message.to)) return lose(message);
        const bool again = !seen_.insert(message.id).second;
        message.state = again ? MessageState::kReceivedAgain : MessageState::kReceived;
        message.time_received_ns = now();
        recorders_[static_cast<size_t>(message.to)]->message(message);
        if (!again) receive();
      });
  }
  void lose(MessageEvent message) {
    message.state = MessageState::kLost;
    recorders_[static_cast<size_t>(message.from)]->message(message);
  }

  void pull(int worker) {
    if (!there(worker) || now() > kEnd) return;
    const int64_t turn = ++turns_[worker];
    send(worker, kServer, "pull", 0, [this, worker, turn] {
      send(kServer, worker, "weights", kKeys, [this, worker, turn, weights = weights_, version = version_] {
        if (turns_[worker] == turn) compute(worker, weights, version);
      });
    });
    at(now() + 10 * kMs, [this, worker, turn] {  // nothing came: ask again
      if (turns_[worker] == turn) pull(worker);
    });
  }

  void compute(int worker, const Weights& weights, int64_t version) {
    ++turns_[worker];
    const int64_t start = now();
    at(start + worker * kMs, [this, worker, weights, version, start] {
      if (!there(worker)) return;
      recorders_[static_cast<size_t>(worker)]->span("compute", start, now());
      Weights gradient(weights);
      for (double& g : gradient) g -= 1.0;  // of half the squared distance from 1
      send(worker, kServer, "push", kKeys,
           [this, worker, gradient, version] { update(worker, gradient, version); });
      pull(worker);
    });
  }

  void update(int worker, const Weights& gradient, int64_t version) {
    double square = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] -= kRate * gradient[i];
      square += (weights_[i] - 1) * (weights_[i] - 1);
    }
    recorders_[kServer]->row(updates_, {worker, version_ - version, std::sqrt(square)});
    ++version_;
  }

  const std::shared_ptr<TraceStore> store_ = TraceStore::create("asynchronous");
  const std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>(0);
  std::vector<Recorder*> recorders_;
  TablePtr updates_;
  RandomStream network_{1, "network"};
  std::priority_queue<Event> events_;
  int64_t order_ = 0, messages_ = 0, version_ = 0;
  std::set<int64_t> seen_;
  std::set<int> gone_;
  std::map<int, int64_t> turns_;
  Weights weights_ = Weights(kKeys, 0.0);
};

std::string jsonl(const Trace& trace) {
  std::ostringstream out;
  write_jsonl(trace, out);
  return out.str();
}

std::map<MessageState, int> count_messages(const SectionView& section) {
  std::map<MessageState, int> counts;
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const MessageEvent& message : section.messages(rank)) ++counts[message.state];
  return counts;
}

}  // namespace

TEST_CASE("a loop without lock-step converges although messages are lost and doubled") {
  const Trace trace = Simulation().run();
  const SectionView& section = trace.sections().front();
  std::map<int64_t, int> updates;  // by worker
  int64_t most_stale = 0;
  const auto rows = section.rows_of("updates");
  for (const RowEvent* row : rows) {
    ++updates[row->integer("worker")];
    most_stale = std::max(most_stale, row->integer("staleness"));
  }
  REQUIRE(updates.size() == 3);
  CHECK(updates[2] > updates[kLate]);  // faster, and there from the start
  CHECK(most_stale > 0);
  CHECK(rows.back()->number("distance") < 1e-2 * rows.front()->number("distance"));

  auto counts = count_messages(section);
  CHECK(counts[MessageState::kLost] > 0);
  CHECK(counts[MessageState::kReceivedAgain] > 0);
  // The second copy of a doubled message may reach a rank that has gone: it then counts as lost.
  CHECK(counts[MessageState::kSent] <= counts[MessageState::kReceived] + counts[MessageState::kLost]);
}

TEST_CASE("a worker joins late and another leaves early") {
  const Trace trace = Simulation().run();
  const SectionView& section = trace.sections().front();
  REQUIRE(section.ranks() == kLate + 1);
  CHECK(section.life(kLate).began_ns == kJoins);
  CHECK_FALSE(section.life(kLate).ended_ns);
  for (const MessageEvent& message : section.messages(kLate)) CHECK(message.time_sent_ns >= kJoins);
  CHECK(section.life(kLeaver).ended_ns == kLeaves);
  CHECK_FALSE(section.spans(kLeaver).empty());
  for (const SpanEvent& span : section.spans(kLeaver)) CHECK(span.end_ns <= kLeaves);
}

TEST_CASE("a simulated run is the same run every time, and comes back from its file") {
  const std::string text = jsonl(Simulation().run());
  CHECK(jsonl(Simulation().run()) == text);
  std::istringstream in(text);
  CHECK(jsonl(read_jsonl(in, "t.jsonl")) == text);
}
