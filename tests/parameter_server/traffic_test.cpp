// The ledger of a recorded training: what workers and heads sent, against the formula.
#include "ringside/parameter_server/traffic.h"

#include <catch.h>

#include "ringside/ledger/ledger.h"
#include "ringside/parameter_server/recording.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::ps;
using namespace ringside::testing;

namespace {

constexpr int64_t kLedgerClocks = 5;

std::vector<LedgerRow> ledger_of(const Cluster& cluster, NetworkModel model) {
  const auto store = TraceStore::create("test");
  Recording recording({.store = store.get()});
  SimulatedCluster simulated(recording.observed(cluster), model, 1,
                             [](NodeId, uint32_t rank) { return toy_task(rank, kLedgerClocks, 53); });
  recording.attach(simulated);
  REQUIRE(simulated.train(60 * kSecond));
  const Trace trace = store->snapshot();
  return reconcile(predict_messages(cluster, kLedgerClocks), count_rows(trace, trace.sections().front()));
}

}  // namespace

TEST_CASE("traffic: every byte between workers and heads is explained") {
  for (const uint32_t backups : {0, 1}) {
    Cluster cluster = toy_cluster(3, 4, backups, 53);
    cluster.timing.resend_ns = 500'000'000;  // workers wait for each other for less
    const std::vector<LedgerRow> rows = ledger_of(cluster, {});
    CAPTURE(backups);
    CHECK(unexplained_bytes(rows) == 0);
    int64_t predicted = 0, alone = 0;
    for (const LedgerRow& row : rows) {
      if (row.op != kMessageOp) continue;
      predicted += row.predicted.value_or(0);
      if (!row.predicted) alone += row.counted;
    }
    CHECK(predicted == kLedgerClocks * 3 * (5 * (74 + 74 + 74 + 52) + 2 * 4 * 53));
    CHECK(alone > 0);  // heartbeats, tables
  }
}

TEST_CASE("traffic: what is sent again is not explained") {
  Cluster cluster = toy_cluster(3, 4, 0, 53);
  CHECK(unexplained_bytes(ledger_of(cluster, {.loss = 0.1})) > 0);
}
