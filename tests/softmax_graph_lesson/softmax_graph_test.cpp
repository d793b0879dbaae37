#include <cmath>

#include "ringside/lesson/prediction.h"
#include "run_a_lesson.h"

namespace ringside::lessons::softmax_graph {
Lesson make_lesson();
}

using namespace ringside;
using namespace ringside::testing;

namespace {

const Lesson kLesson = lesson_alone("softmax_graph", lessons::softmax_graph::make_lesson());
const std::string kModule = "nn::Softmax(1)(x)", kFunction = "softmax(x, 1)";
const std::string kFused = "nll_loss(log_softmax(x, 1))", kComposed = "nll_loss(log(softmax(x, 1)))";

struct Doctored {
  std::string module_node = "SoftmaxBackward0";
  bool keeps_x = false, infinite = true;
  int64_t fused_bytes = 1000, composed_bytes = 2000, spoilt = 8;
  double least = 1e-7, greatest = 1;
};

Trace doctored_trace(const Doctored& of) {
  const ColumnKind number = ColumnKind::kNumber, whole = ColumnKind::kInteger, yes_no = ColumnKind::kBoolean;
  const auto store = TraceStore::create(kLesson.id);
  Recorder* graphs =
      store
          ->add_section("graphs",
                        {{"bytes of x", 1000}, {kFused, of.fused_bytes}, {kComposed, of.composed_bytes}}, 1)
          .front();
  const TablePtr nodes = store->declare({"nodes",
                                         {{"program"},
                                          {"node"},
                                          {"saved"},
                                          {"saved bytes", whole, "bytes"},
                                          {"new bytes", whole, "bytes"},
                                          {"keeps x", yes_no}}});
  graphs->row(nodes, {kModule, of.module_node, "result", 1000, 1000, of.keeps_x});
  graphs->row(nodes, {kFunction, "SoftmaxBackward0", "result", 1000, 1000, of.keeps_x});
  Recorder* digits = store->add_section("digits", {}, 1).front();
  const TablePtr table = store->declare({"digits",
                                         {{"fused", yes_no},
                                          {"infinite", yes_no},
                                          {"spread", number},
                                          {"digits", number},
                                          {"least", number},
                                          {"greatest", number},
                                          {"spoilt", whole}}});
  digits->row(table, {true, false, 100.0, 7.2, of.least, of.greatest, 0});
  digits->row(table, {false, of.infinite, 100.0, 7.2, 0.0, 1.0, of.spoilt});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("What is predicted is what is measured, in both precisions") {
  for (const char* precision : {"precision=fp32", "precision=fp64"}) {
    INFO(precision);
    const Trace trace = run_lesson(kLesson, {precision});
    const Config config = scenario_of(kLesson, {precision});
    for (const PredictionSpec& spec : kLesson.predictions) {
      INFO(spec.id);
      if (spec.words) {
        CHECK(is_words_answer(*spec.words, config, *spec.words->measured(trace)));
      } else {
        CHECK(*spec.measured(trace) == Approx(spec.formula(config)).epsilon(0.025).margin(1e-9));
        CHECK(askable(spec, config));
      }
    }
    for (const ClaimRow& row : trace.rows().claims) {
      INFO(row.id << ": " << row.evidence);
      const std::string expected = row.id == "digits" ? "partly" : row.id == "gradient" ? "fails" : "holds";
      CHECK(std::string(to_string(row.verdict)) == expected);
    }
  }
}

TEST_CASE("What a graph keeps is what stays allocated") {
  const Trace trace = run_lesson(kLesson, {"rows=8", "classes=100"});
  const SectionView& graphs = *trace.find("graphs");
  CHECK(graphs.integer("bytes of x") == 3200);
  CHECK(graphs.integer(kModule) == 3200);
  CHECK(graphs.integer(kFunction) == 3200);
  CHECK(graphs.integer(kFused) == 3200 + 8);  // the loss and its total weight, fp32
  CHECK(graphs.integer(kComposed) == 2 * 3200 + 8);
  const auto count = [&](const std::string& program) {
    const auto rows = graphs.rows_of("nodes");
    return std::count_if(rows.begin(), rows.end(),
                         [&](const RowEvent* row) { return row->text("program") == program; });
  };
  CHECK(count(kModule) == 2);  // its own and x's
  CHECK(count(kFunction) == 2);
  CHECK(count(kFused) == 3);
  CHECK(count(kComposed) == 4);
}

TEST_CASE("A claim follows the trace") {
  CHECK(verdict("same_node", {}) == "holds");
  CHECK(verdict("same_node", {.module_node = "ModuleBackward0"}) == "fails");
  CHECK(verdict("kept", {}) == "holds");
  CHECK(verdict("kept", {.composed_bytes = 1000}) == "fails");
  CHECK(verdict("digits", {}) == "partly");
  CHECK(verdict("digits", {.greatest = 1e-7}) == "holds");
  CHECK(verdict("digits", {.least = 0.5}) == "fails");
  CHECK(verdict("gradient", {}) == "fails");
  CHECK(verdict("gradient", {.spoilt = 0}) == "holds");
  CHECK(verdict("gradient", {.infinite = false}) == "not_testable");
  const WordQuestion& kept = *question_of(kLesson, "kept_by_softmax").words;
  CHECK(kept.measured(doctored_trace({})) == Words{"the result"});
  CHECK(kept.measured(doctored_trace({.keeps_x = true})) == Words{"x"});
  for (const ClaimSpec& claim : kLesson.claims) CHECK(claim.judge(Trace()).verdict == Verdict::kNotTestable);
}

TEST_CASE("Every figure fits, and another trace gives another one") {
  const Trace trace = run_lesson(kLesson, {});
  for (const char* figure : {"graphs", "kept", "digits", "differs"}) {
    INFO(figure);
    CHECK(figure_text(kLesson, figure, trace) != figure_text(kLesson, figure, doctored_trace({})));
  }
  CHECK(figure_text(kLesson, "graphs", doctored_trace({})) !=
        figure_text(kLesson, "graphs", doctored_trace({.module_node = "ModuleBackward0"})));
  CHECK(figure_text(kLesson, "digits", doctored_trace({})) !=
        figure_text(kLesson, "digits", doctored_trace({.greatest = 1e-3})));
}
