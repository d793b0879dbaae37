// The lesson about norms: what it measures, and verdicts that follow from the trace alone.
#include "parts.h"
#include "ringside/lesson/prediction.h"
#include "run_a_lesson.h"

namespace ringside::lessons::norms {
Lesson make_lesson();
}

using namespace ringside;
using namespace ringside::testing;
using namespace ringside::norms_lesson;

namespace {

const Lesson kLesson = lesson_alone("norms", lessons::norms::make_lesson());

struct Doctored {
  double unmasked = 0.8, masked = 0, gap_at_one = 1, own = 0.4, shared = 1e-7, output = 1e-6, last_post = 4;
  double condition = 4000;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create("norms");
  const auto pen = [&](const char* section) -> Recorder& {
    return *store->add_section(section, {}, 1).front();
  };
  record_row(pen(kPadding), PaddingRow{"batch", 8, of.unmasked, of.masked});
  Recorder& gap = pen(kGap);
  record_row(gap, GapRow{64, 0.03});
  record_row(gap, GapRow{1, of.gap_at_one});
  Recorder& paths = pen(kPaths);
  for (const int64_t step : {1, 2}) {
    record_row(paths, PathRow{kOwn, step, of.own});
    record_row(paths, PathRow{kShared, step, of.shared});
  }
  record_row(pen(kScale), ScaleRow{0.5, of.output, 2});
  Recorder& depth = pen(kDepth);
  record_row(depth, DepthRow{0, 1, 1});
  record_row(depth, DepthRow{1, 1, of.last_post});
  Recorder& descent = pen(kDescent);
  record_row(descent, DescentRow{kRaw, of.condition, 100, 0.5});
  record_row(descent, DescentRow{kNormed, 1.5, 100, 1e-9});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("a run answers every question as its formula does, and its ledger adds up") {
  const Trace trace = run_lesson(kLesson, {"ranks=2", "steps=3", "layers=4"});
  const Config config = scenario_of(kLesson, {"ranks=2", "steps=3", "layers=4"});
  CHECK(kLesson.failed_check(trace) == "");
  CHECK(question_of(kLesson, "scale").measured(trace).value() == Approx(0.5).epsilon(1e-3));
  for (const char* claim : {"axis", "shared"}) CHECK(verdict_alone(kLesson, claim, trace) == "holds");
  for (const char* claim : {"alone", "one_model", "decay"})
    CHECK(verdict_alone(kLesson, claim, trace) == "fails");
  CHECK(verdict_alone(kLesson, "padding", trace) == "partly");
  for (const FigureSpec& figure : kLesson.figures) {
    INFO(figure.id);
    CHECK(!std::holds_alternative<figure::Nothing>(figure_value(kLesson, figure.id, trace)));
  }
}

TEST_CASE(
    "one number moves a token's features, a sample's, or a feature of the whole batch, and never padding") {
  const Trace trace = run_lesson(kLesson, {"ranks=2", "steps=2", "layers=2"});
  std::map<std::string, int> moved;
  for (const CellRow& row : rows_in<CellRow>(trace)) {
    moved[row.norm] += row.moved > 0 ? 1 : 0;
    if (row.sample == 1 && row.token == 2) CHECK(row.moved == 0);
  }
  CHECK(moved ==
        std::map<std::string, int>{{"layer", 4}, {"rms", 4}, {"instance", 3}, {"group", 6}, {"batch", 5}});
}

TEST_CASE("verdicts follow from the trace") {
  CHECK(verdict("padding", {}) == "partly");
  CHECK(verdict("padding", {.unmasked = 0}) == "fails");
  CHECK(verdict("padding", {.masked = 0.2}) == "holds");
  CHECK(verdict("alone", {}) == "fails");
  CHECK(verdict("alone", {.gap_at_one = 0.01}) == "holds");
  CHECK(verdict("one_model", {}) == "fails");
  CHECK(verdict("one_model", {.own = 1e-7}) == "holds");
  CHECK(verdict("shared", {}) == "holds");
  CHECK(verdict("shared", {.shared = 0.1}) == "fails");
  CHECK(verdict("decay", {}) == "fails");
  CHECK(verdict("decay", {.output = 0.5}) == "holds");
  CHECK(verdict("depth", {}) == "holds");
  CHECK(verdict("depth", {.last_post = 0.5}) == "fails");
  CHECK(verdict("axis", {}) == "holds");
  CHECK(verdict("axis", {.condition = 2}) == "fails");
  const Trace empty = TraceStore::create("norms")->snapshot();
  for (const ClaimSpec& claim : kLesson.claims) CHECK(claim.judge(empty).verdict == Verdict::kNotTestable);
}
