#include "run_a_lesson.h"
#include "softmax_graph/rows.h"

namespace ringside::lessons::softmax_graph {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("softmax_graph", make_lesson());

struct Doctored {
  std::string module_node = "SoftmaxBackward0";
  bool keeps_x = false, infinite = true;
  int64_t spoilt = 8;
  double fused = 1, composed = 2, least = 1e-7, greatest = 1;
  int typed_nodes = 2;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& graphs = *store->add_section(kGraphs, {}, 1).front();
  record_row<ProgramRow>(graphs, {kFused, 1000, 0, of.fused});
  record_row<ProgramRow>(graphs, {kComposed, 2000, 0, of.composed});
  record_row<NodeRow>(graphs, {kModule, of.module_node, "result", 1000, 1000, of.keeps_x});
  record_row<NodeRow>(graphs, {kFunction, "SoftmaxBackward0", "result", 1000, 1000, of.keeps_x});
  for (int node = 0; node < of.typed_nodes; ++node)
    record_row<NodeRow>(graphs, {kTyped, "SoftmaxBackward0", "result", 1000, 1000, false});
  Recorder& digits = *store->add_section(kDigits, {}, 1).front();
  record_row<DigitsRow>(digits, {true, false, 100, 7.2, of.least, of.greatest, 0});
  record_row<DigitsRow>(digits, {false, of.infinite, 100, 7.2, 0, 1, of.spoilt});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("softmax graph: predicted is measured, kept is allocated, claims follow the trace") {
  for (const char* precision : {"precision=fp32", "precision=fp64"}) {
    const Trace trace = run_lesson(kLesson, {precision});
    check_answers(kLesson, {precision}, trace);
    CHECK(verdicts_of(trace) == "same_node holds, dtype holds, kept holds, digits partly, gradient fails");
  }
  const Trace trace = run_lesson(kLesson, {"rows=8", "classes=100"});
  const figure::Value picture = figure_value(kLesson, "graphs", trace);
  Words lit;
  for (const figure::Node& node : std::get<figure::Graph>(picture).nodes)
    if (node.lit && node.detail.empty()) lit.push_back(node.text);
  CHECK(lit == Words{kModule, kFunction});
  const auto allocated = [&](const char* program) {
    return 3200 * row_of<ProgramRow>(trace, program).sizes_of_x;
  };
  CHECK(allocated(kModule) == Approx(3200));
  CHECK(allocated(kFunction) == Approx(3200));
  CHECK(allocated(kFused) == Approx(3200 + 8));  // the loss and its total weight, fp32
  CHECK(allocated(kComposed) == Approx(2 * 3200 + 8));
  CHECK(rows_of<NodeRow>(trace, kModule).size() == 2);  // its own and x's
  CHECK(rows_of<NodeRow>(trace, kFunction).size() == 2);
  CHECK(allocated(kTyped) == Approx(2 * 3200));  // the result in fp64; the copy of x is gone
  CHECK(rows_of<NodeRow>(trace, kTyped).size() == 3);
  CHECK(rows_of<NodeRow>(trace, kFused).size() == 3);
  CHECK(rows_of<NodeRow>(trace, kComposed).size() == 4);
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "same_node holds, dtype holds, kept holds, digits partly, gradient fails");
  CHECK(verdict("same_node", {.module_node = "ModuleBackward0"}) == "fails");
  CHECK(verdict("dtype", {.typed_nodes = 1}) == "fails");
  CHECK(verdict("kept", {.composed = 1}) == "fails");
  CHECK(verdict("digits", {.greatest = 1e-7}) == "holds");
  CHECK(verdict("digits", {.least = 0.5}) == "fails");
  CHECK(verdict("gradient", {.spoilt = 0}) == "holds");
  CHECK(verdict("gradient", {.infinite = false}) == "not_testable");
  CHECK(answer_of(kLesson, "kept_by_softmax", doctored_trace({})) == Words{"the result"});
  CHECK(answer_of(kLesson, "kept_by_softmax", doctored_trace({.keeps_x = true})) == Words{"x"});
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::softmax_graph
