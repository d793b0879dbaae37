// The lesson as a front end runs it, and claims, answers and figures of doctored traces.
#include "rounding/rows.h"
#include "run_a_lesson.h"

namespace ringside::lessons::rounding {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("rounding", make_lesson());

// What a run records, with an error that grows like N^power and so many percent right.
struct Doctored {
  double power = 0.5, ring_right = 10, owner_right = 100, owner_bytes = 2, ring_one = 256;
  bool one_result = true;
};
Trace doctored(const Doctored& with = {}) {
  const auto store = TraceStore::create("rounding");
  Recorder& pen = *store->add_section("16 ranks", {{"ranks", int64_t{16}}}, 1).at(0);
  for (int64_t ranks = 2; ranks <= 16; ranks *= 2) {
    WayRow row;
    row.ranks = ranks;
    row.relative = 1e-3 * std::pow(double(ranks), with.power);
    row.one_result = with.one_result;
    for (const auto& [way, right, bytes] : {std::tuple{kEachHop, with.ring_right, 2.0},
                                            {kAtOwner, with.owner_right, with.owner_bytes},
                                            {kWide, 100.0, 4.0}}) {
      row.way = way, row.right = right, row.bytes = bytes;
      record_row(pen, row);
    }
    record_row(pen, DistanceRow{ranks, "right to the bit", with.ring_right, with.owner_right, 100});
    for (int block = 0; block < kBlocks; ++block)
      record_row(pen, BlockRow{ranks, row.relative * (1 + 0.01 * block)});
  }
  record_row(pen, ChunkRow{0, 256 + 14, 256 + 16, 256 + 15});
  record_row(pen, ChunkRow{1, with.ring_one, 256 + 16, 256 + 15});
  return store->snapshot();
}

}  // namespace

TEST_CASE("rounding: a run: the owner's sum is right; 256 in a bf16 ring loses what comes after") {
  const Trace trace = run_lesson(kLesson, {"ranks=8", "elements=2003"});  // chunks of two sizes
  const auto ring = rows_of<WayRow>(trace, kEachHop), owner = rows_of<WayRow>(trace, kAtOwner),
             wide = rows_of<WayRow>(trace, kWide);
  REQUIRE(ring.back().ranks == 8);
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
  check_shown(kLesson, trace);
  CHECK(verdict_alone(kLesson, "one-result", trace) == "holds");
  const DistanceRow same = last_row_of<DistanceRow>(trace, 8, "right to the bit");
  CHECK(same.ring == ring.back().right);
  CHECK(same.owner == owner.back().right);
  const auto rows = rows_in<ChunkRow>(run_lesson(kLesson, {"ranks=8", "elements=256"}));
  REQUIRE(rows.size() == 8);
  for (const ChunkRow& row : rows) {
    CHECK(row.exact == 263);
    CHECK(row.owner == 264);  // 263 is a tie, 264 is even
    // The chunk begins at rank chunk + 1: before rank 0 come 7 - chunk ones, behind it the others.
    const auto rounded = [](double value) { return 2 * std::nearbyint(value / 2); };
    double sum = rounded(7 - double(row.chunk) + 256);
    for (int64_t behind = 0; behind < row.chunk; ++behind) sum = rounded(sum + 1);
    CHECK(row.ring == sum);
  }
  CHECK(rows.back().ring == 256);
  const auto relative = [](const char* seed) {
    return last_row_of<WayRow>(run_lesson(kLesson, {"ranks=4", "elements=512", seed}), kEachHop).relative;
  };
  CHECK(relative("seed=1") == relative("seed=1"));
  CHECK(relative("seed=1") != relative("seed=2"));
}

TEST_CASE("rounding: two ranks round once, so nothing tells an adder in fp32; N is a power of two") {
  const Trace two = run_lesson(kLesson, {"ranks=2", "elements=256"});
  CHECK(verdict_alone(kLesson, "adder", two) == "not_testable");
  for (const char* word : {"ranks=3", "ranks=9", "ranks=63"})
    CHECK_THROWS_WITH(scenario_of(kLesson, {word}),
                      Catch::Matchers::EndsWith("allowed are 2, 4, 8, 16, 32 and 64"));
}

TEST_CASE("rounding: a doctored trace changes each verdict and answer; wrong ones tell apart") {
  const auto verdict = [](const char* claim, const Doctored& with) {
    return verdict_alone(kLesson, claim, doctored(with));
  };
  CHECK(verdicts_of(kLesson, doctored()) ==
        "adder partly, swallowed holds, one-result holds, root holds, twice holds");
  CHECK(verdict("adder", {.owner_right = 10}) == "holds");
  CHECK(verdict("adder", {.ring_right = 100}) == "not_testable");
  CHECK(verdict("swallowed", {.ring_one = 271}) == "fails");
  CHECK(verdict("one-result", {.one_result = false}) == "fails");
  CHECK(verdict("root", {.power = 1}) == "fails");
  CHECK(verdict("root", {.power = 0.6}) == "not_testable");
  check_says_nothing(kLesson);
  const auto words = [](const char* id, const Doctored& with) {
    return answer_of(kLesson, id, doctored(with));
  };
  CHECK(words("growth", {}) == Words{"like √N"});
  CHECK(words("growth", {.power = 0}) == Words{"not at all"});
  CHECK(words("growth", {.power = 1}) == Words{"like N"});
  CHECK(words("growth", {.power = 2}) == Words{"like N²"});
  CHECK(words("owner", {}) == Words{"the same bytes"});
  CHECK(words("owner", {.owner_bytes = 4}) == Words{"2 times the bytes"});
  CHECK(words("owner", {.owner_right = 50}) == Words{"2 times the bytes"});  // what is left is the fp32 ring
  CHECK(question_of(kLesson, "ones").measured(doctored()) == 0);
  CHECK(question_of(kLesson, "ones").measured(doctored({.ring_one = 258})) == 2);
  CHECK(question_of(kLesson, "bytes").measured(doctored()) == 4);
  check_beliefs(kLesson);
}

}  // namespace ringside::lessons::rounding
