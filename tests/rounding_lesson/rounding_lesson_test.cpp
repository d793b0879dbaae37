// The lesson as a front end runs it, and claims, answers and figures of doctored traces.
#include <cmath>

#include "catch.h"
#include "check_text.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/prediction.h"
#include "ringside/session/session.h"
#include "rows.h"
#include "run_a_lesson.h"

namespace ringside::lessons::rounding {
Lesson make_lesson();
}

using namespace ringside;
using namespace ringside::rounding;

namespace {

const Lesson& lesson() {
  static const Lesson made = testing::lesson_alone("rounding", lessons::rounding::make_lesson());
  return made;
}

Trace run_it(const std::vector<std::string>& words) { return testing::run_lesson(lesson(), words); }

ClaimResult judged(const Trace& trace, const std::string& id) {
  return testing::judge_alone(lesson(), id, trace);
}

const PredictionSpec& question(const std::string& id) { return testing::question_of(lesson(), id); }

figure::Value figure_of(const Trace& trace, const std::string& id) {
  return testing::figure_value(lesson(), id, trace);
}

// What a run records, with an error that grows like N^power and so many percent right.
struct Doctored {
  double power = 0.5, ring_right = 10, owner_right = 100, owner_bytes = 2, ring_one = 256;
  bool one_result = true;
};
Trace doctored(const Doctored& with = {}) {
  const auto store = TraceStore::create("rounding");
  Recorder& pen = *store->add_section("16 ranks", {{"ranks", int64_t{16}}}, 1).at(0);
  for (int64_t ranks = 2; ranks <= 16; ranks *= 2) {
    const double relative = 1e-3 * std::pow(static_cast<double>(ranks), with.power);
    for (const char* way : kWays) {
      const bool ring = way == kWays[0], owner = way == kWays[1];
      WayRow row{.ranks = ranks,
                 .way = way,
                 .right = ring    ? with.ring_right
                          : owner ? with.owner_right
                                  : 100};
      row.relative = relative;
      row.bytes = ring ? 2 : owner ? with.owner_bytes : 4;
      row.one_result = with.one_result;
      record_row(pen, row);
      record_row(pen, DistanceRow{ranks, way, 0, 0, row.right});
    }
    for (int block = 0; block < kBlocks; ++block)
      record_row(pen, BlockRow{ranks, relative * (1 + 0.01 * block)});
  }
  record_row(pen, ChunkRow{0, 256 + 14, 256 + 16, 256 + 15});
  record_row(pen, ChunkRow{1, with.ring_one, 256 + 16, 256 + 15});
  return store->snapshot();
}

}  // namespace

TEST_CASE("a run: the owner's sum is right with a ring's bytes, the ring's is not") {
  const Trace trace = run_it({"ranks=9", "elements=2003"});  // 8 ranks; chunks of two sizes
  REQUIRE(most_ranks(trace) == 8);
  const auto ring = rows_of(trace, kEachHop), owner = rows_of(trace, kAtOwner), wide = rows_of(trace, kWide);
  CHECK(ring.front().right == 100);  // two ranks: one rounding
  CHECK(ring.back().right < 70);
  CHECK(owner.back().right >= 99.9);
  CHECK(owner.back().most < 0.51);
  CHECK(wide.back().right >= 99.9);
  CHECK(ring.back().bytes == Approx(2 * 7.0 / 8 * 2003 * 2));
  CHECK(owner.back().bytes == Approx(ring.back().bytes));
  CHECK(wide.back().bytes == 2 * ring.back().bytes);
  CHECK(trace.rows().ledger.size() > 100);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  for (const FigureSpec& spec : lesson().figures)
    CHECK_FALSE(std::holds_alternative<figure::Nothing>(figure_of(trace, spec.id)));
}

TEST_CASE("256 in a bf16 ring: what comes before it counts, what comes after is lost") {
  const auto rows = rows_in<ChunkRow>(run_it({"ranks=8", "elements=256"}));
  REQUIRE(rows.size() == 8);
  for (const ChunkRow& row : rows) {
    CHECK(row.exact == 263);
    CHECK(row.owner == 264);  // 263 is a tie, 264 is even
    // The chunk begins at rank chunk + 1: before rank 0 come 7 - chunk ones, behind it the others.
    double sum = 7 - static_cast<double>(row.chunk);
    const auto rounded = [](double value) { return 2 * std::nearbyint(value / 2); };
    sum = rounded(sum + 256);
    for (int64_t behind = 0; behind < row.chunk; ++behind) sum = rounded(sum + 1);
    CHECK(row.ring == sum);
  }
  CHECK(rows.back().ring == 256);
}

TEST_CASE("the same seed gives the same sums, another one others") {
  const auto relative = [](const char* seed) {
    return rows_of(run_it({"ranks=4", "elements=512", seed}), kEachHop).back().relative;
  };
  CHECK(relative("seed=1") == relative("seed=1"));
  CHECK(relative("seed=1") != relative("seed=2"));
}

TEST_CASE("a doctored trace changes each verdict") {
  CHECK(judged(doctored(), "adder").verdict == Verdict::kPartly);
  CHECK(judged(doctored({.owner_right = 10}), "adder").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.ring_right = 100}), "adder").verdict == Verdict::kFails);
  CHECK(judged(doctored(), "swallowed").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.ring_one = 271}), "swallowed").verdict == Verdict::kFails);
  CHECK(judged(doctored(), "one-result").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.one_result = false}), "one-result").verdict == Verdict::kFails);
  CHECK(judged(doctored(), "root").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.power = 1}), "root").verdict == Verdict::kFails);
  CHECK(judged(doctored({.power = 0.6}), "root").verdict == Verdict::kNotTestable);
  CHECK(judged(doctored(), "twice").verdict == Verdict::kHolds);
  for (const ClaimSpec& claim : lesson().claims) CHECK(claim.judge(Trace()).verdict == Verdict::kNotTestable);
}

TEST_CASE("a doctored trace changes each measured answer") {
  const auto words = [](const Doctored& with, const char* id) {
    return question(id).words->measured(doctored(with)).value();
  };
  CHECK(words({}, "growth") == Words{"like √N"});
  CHECK(words({.power = 0}, "growth") == Words{"not at all"});
  CHECK(words({.power = 1}, "growth") == Words{"like N"});
  CHECK(words({.power = 2}, "growth") == Words{"like N²"});
  CHECK(words({}, "owner") == Words{"the same bytes"});
  CHECK(words({.owner_bytes = 4}, "owner") == Words{"2 times the bytes"});
  CHECK(words({.owner_right = 50}, "owner") == Words{"2 times the bytes"});  // what is left is the fp32 ring
  CHECK(question("ones").measured(doctored()) == 0);
  CHECK(question("ones").measured(doctored({.ring_one = 258})) == 2);
  CHECK(question("bytes").measured(doctored()) == 4);
  for (const PredictionSpec& one : lesson().predictions)
    CHECK_FALSE((one.words ? one.words->measured(Trace()).has_value() : one.measured(Trace()).has_value()));
}

TEST_CASE("every wrong answer tells itself apart at the default") {
  const Config config = Config::parse("rounding", lesson().parameters, {});
  for (const PredictionSpec& one : lesson().predictions) {
    INFO(one.id);
    CHECK(askable(one, config));
    CHECK((one.words ? one.words->wrong(config).size() : one.wrong.size()) >= 2);
  }
}
