// Seeded simulations of what goes wrong. RINGSIDE_PS_SEEDS=10000 for a night, RINGSIDE_PS_FIRST for other
// seeds.
#include "chaos.h"

#include <catch.h>

#include "fuzz.h"
#include "planted_bugs.h"
#include "random_cases.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Sum {
  int64_t seeds = 0, failed = 0, reads = 0, acknowledged = 0, moves = 0, events = 0;
};

Sum run_seeds(Trouble trouble, int64_t standard) {
  Sum sum;
  const int64_t first = from_environment("RINGSIDE_PS_FIRST", 0);
  const int64_t seeds = from_environment("RINGSIDE_PS_SEEDS", standard);
  for (int64_t seed = first; seed < first + seeds; ++seed) {
    const Chaos chaos{.seed = static_cast<uint64_t>(seed), .trouble = trouble};
    const ChaosResult result = run_chaos(chaos);
    ++sum.seeds;
    sum.reads += result.reads;
    sum.acknowledged += result.acknowledged;
    sum.moves += result.moves;
    sum.events += result.events;
    if (result.wrong.empty()) continue;
    ++sum.failed;
    INFO(result.scenario << "\nto see it again: " << replay_command(chaos));
    CHECK(result.wrong == "");
  }
  if (seeds > standard)
    std::cout << sum.seeds << " seeds, " << sum.failed << " failed: " << sum.reads << " reads, "
              << sum.acknowledged << " acknowledged pushes, " << sum.moves << " changes of a chain, "
              << sum.events << " events\n";
  return sum;
}

}  // namespace

TEST_CASE("chaos: whoever is killed, cut off or comes, no acknowledged push is lost", "[one_thread]") {
  const Sum sum = run_seeds(Trouble::kKills, random_cases(200));
  CHECK(sum.moves > sum.seeds);  // chains did change
  CHECK(sum.acknowledged > 60 * sum.seeds);
  CHECK(run_seeds(Trouble::kPartitions, random_cases(60)).moves > 0);
  CHECK(run_seeds(Trouble::kScheduler, random_cases(40)).reads > 0);
  CHECK(run_seeds(Trouble::kWorkers, random_cases(40)).reads > 0);
}

TEST_CASE("chaos: without copies a loss has a name; the same seed gives the same log", "[one_thread]") {
  int64_t losses = 0, lost_pushes = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Chaos chaos{.seed = seed, .trouble = Trouble::kNoCopies};
    const ChaosResult result = run_chaos(chaos);
    INFO(result.scenario << "\nto see it again: " << replay_command(chaos));
    CHECK(result.wrong == "");
    for (const RangeLoss& loss : result.losses) CHECK(loss.chain.size() == 1);
    losses += static_cast<int64_t>(result.losses.size());
    lost_pushes += result.lost_pushes;
  }
  CHECK(losses > 0);
  CHECK(lost_pushes > 0);
  for (const Trouble trouble : {Trouble::kKills, Trouble::kPartitions}) {
    const ChaosResult first = run_chaos({.seed = 5, .trouble = trouble});
    CHECK(first.log_hash == run_chaos({.seed = 5, .trouble = trouble}).log_hash);
    CHECK(first.log_hash != run_chaos({.seed = 6, .trouble = trouble}).log_hash);
  }
}

TEST_CASE("planted: each bug of a server is found within 1,000 seeds", "[one_thread][long]") {
  struct Bug {
    SimulatedCluster::MakeServer server;
    Trouble trouble;
    std::string says;  // a part of what is wrong
  };
  for (const Bug& bug : {Bug{acks_before_the_copy, Trouble::kKills, "acknowledged"},
                         Bug{applies_duplicates, Trouble::kKills, "the values hold"},
                         Bug{forgets_on_a_move, Trouble::kKills, "pushes"},
                         Bug{serves_without_a_lease, Trouble::kNoCopies, "acknowledges in epoch"}}) {
    uint64_t seed = 0;
    std::string wrong;
    for (; seed < 1000; ++seed) {
      wrong = run_chaos({.seed = seed, .trouble = bug.trouble, .server = bug.server}).wrong;
      if (wrong.find(bug.says) != std::string::npos) break;
    }
    CAPTURE(bug.says, wrong);
    CHECK(seed < 1000);
    INFO("found at seed " << seed);
    CHECK(run_chaos({.seed = seed, .trouble = bug.trouble, .server = bug.server}).wrong == wrong);
  }
}

// One seed, with every packet: see replay_command().
TEST_CASE("replay", "[.][long]") {
  const Chaos chaos{.seed = static_cast<uint64_t>(from_environment("RINGSIDE_PS_SEED", 0)),
                    .trouble = static_cast<Trouble>(from_environment("RINGSIDE_PS_TROUBLE", 0)),
                    .prints = true};
  const ChaosResult result = run_chaos(chaos);
  std::cout << "log " << result.log_hash << "\n";
  CHECK(result.wrong == "");
}
