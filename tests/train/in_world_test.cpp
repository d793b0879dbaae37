#include "ringside/train/in_world.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/link_record.h"
#include "ringside/trace/measure.h"

namespace ringside {
namespace {

struct Booked {
  explicit Booked(const RanksSection& section) { run_and_book(section, "sum", control, *store, rows); }
  std::shared_ptr<TraceStore> store = TraceStore::create("in a world");
  RunControl control;
  TraceRows rows;
};

void sum(World& world, int64_t elements) {
  const at::Tensor x = at::ones({elements});
  world.group("dp").all_reduce({x.data_ptr<float>(), elements, Dtype::kFloat32}, {"numbers", ""})->wait();
}
void sum_four(World& world) { sum(world, 4); }

}  // namespace

TEST_CASE(
    "a section of ranks has their memory and a ledger, in which what was not predicted is unexplained") {
  const auto of_four = [](RankRows& rows) { rows.all_reduce("numbers", 1, 4, Dtype::kFloat32); };
  const Booked booked({.ranks = 2, .body = sum_four, .predict = of_four});
  const Trace trace = booked.store->snapshot();
  REQUIRE(trace.rows().ledger.size() >= 2);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  CHECK(peak_bytes(*trace.find("sum"), Category::kOther) >= 16);
  const Booked silent({.ranks = 2, .body = sum_four, .predict = [](RankRows&) {}});
  CHECK(std::ranges::any_of(silent.rows.ledger, [](auto& row) { return row.unexplained() != 0; }));
  CHECK(Booked({.ranks = 2, .body = sum_four}).rows.ledger.empty());
}

TEST_CASE("a section of ranks runs on its link, and says so beside its own attributes") {
  const LinkModel link = parse_link("20000us/1GBps");
  const Booked booked({.ranks = 2, .body = sum_four, .link = link, .attributes = {{"stretched", 2.0}}});
  const Trace trace = booked.store->snapshot();
  const SectionView& section = *trace.find("sum");
  CHECK(section.number("stretched") == 2);
  CHECK(section.integer("ranks") == 2);
  CHECK(link_in(section).seconds(1, 1000) == Approx(link.seconds(1, 1000)));
  const CollectiveEvent call = completed_calls(trace, section, "numbers").at(0);
  CHECK(call.time_completed_ns - call.time_started_ns > 35'000'000);  // two hops of 20 ms
}

TEST_CASE("a section of ranks that breaks says so, and its error is the caller's") {
  RunControl control;
  TraceRows rows;
  const auto store = TraceStore::create("in a world");
  const RanksSection section{.ranks = 2, .body = [](World& world) { sum(world, 4 + world.rank()); }};
  CHECK_THROWS_AS(run_and_book(section, "sum", control, *store, rows), CollectiveError);
  CHECK(store->snapshot().find("sum")->has(kBroke));
}

}  // namespace ringside
