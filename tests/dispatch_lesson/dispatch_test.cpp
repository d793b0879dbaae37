// The lesson as a front end runs it, small; and doctored traces, which change its verdicts and figures.
#include "catch.h"
#include "patience.h"
#include "record.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/word_question.h"
#include "ringside/session/judge.h"
#include "ringside/session/session.h"

using namespace ringside;
using namespace ringside::dispatch_lesson;

namespace {

const Lesson& lesson() { return find_lesson("dispatch"); }
Config scenario(const std::vector<std::string>& words = {}) {
  return Config::parse("dispatch", lesson().parameters, words);
}

Trace run_small(std::vector<std::string> words) {
  for (const char* word : {"elements=100", "rounds=6", "python=off"}) words.emplace_back(word);
  Session session(lesson(), scenario(words));
  REQUIRE(testing::finishes(session));
  return session.result();
}

const Trace& small_run() {
  static const Trace trace = run_small({"call=int_float"});
  return trace;
}

// What is true of every LibTorch; `change` is made before it is recorded.
struct Doctored {
  double loop_ns = 1, python_ns = 0;  // a + b: 1000
  std::string first = "AutogradCPU", keys_of_bfloat16 = "CPU", autocast = "Float";
  std::string memory_of_cast = "24 B", memory_of_broadcast = "24 B";
};

Trace doctored(const Doctored& as) {
  const auto store = TraceStore::create("dispatch");
  for (const char* name : {kOneElement, "1,000 elements"}) {
    const bool is_one = std::string(name) == kOneElement;
    Recorder& size = *store->add_section(name, {}, 1).front();
    const auto time = [&](const char* way, double ns) { record_row<Timing>(size, {way, ns}); };
    for (int round = 0; round < 6; ++round) {
      for (const char* way : {kCpp, kAutograd, kCpu, kOut}) time(way, is_one ? 1000 : 2000);
      time(kWithGrad, 2000);
      time(kLoop, as.loop_ns);
      if (as.python_ns > 0) time(kPython, as.python_ns);
    }
  }
  for (const char* call : {"plain", "bfloat16", "no_grad", "inference_mode", "autocast", "autocast_mm",
                           "int_float", "broadcast"}) {
    const std::string name = call;
    Recorder& recorder = *store->add_section(name, {{kWords, name}}, 1).front();
    recorder.span("station", now_ns(), now_ns() + 1, 0, "aten::add");
    Call row;
    row.name = name;
    row.first_kernel = as.first;
    row.keys = name == "bfloat16" ? as.keys_of_bfloat16 : "CPU";
    row.operators = "aten::add";
    row.called = 1;
    row.memory = name == "int_float"   ? as.memory_of_cast
                 : name == "broadcast" ? as.memory_of_broadcast
                                       : "24 B";
    row.result = name == "autocast" ? as.autocast : "Float";
    row.node = "none";
    record_row(recorder, row);
    record_row<Station>(recorder, {"aten::add", ""});
  }
  store->set_complete();
  return store->snapshot();
}

std::string verdict(const Trace& trace, const std::string& id) {
  for (const ClaimSpec& claim : lesson().claims)
    if (claim.id == id) return std::string(to_string(claim.judge(trace).verdict));
  FAIL("no claim " << id);
  return "";
}

}  // namespace

TEST_CASE("a call without a gradient enters autograd's kernel first, in inference mode CPU's") {
  const Trace& trace = small_run();
  CHECK(call_of(trace, "plain")->first_kernel == "AutogradCPU");
  CHECK(call_of(trace, "plain")->keys.find("AutogradCPU") < call_of(trace, "plain")->keys.find("CPU", 11));
  CHECK(call_of(trace, "no_grad")->first_kernel == "AutogradCPU");
  CHECK(call_of(trace, "no_grad")->node == "none");
  CHECK(call_of(trace, "inference_mode")->first_kernel == "CPU");
  CHECK(call_of(trace, "requires_grad")->node == "AddBackward0");
  CHECK(call_of(trace, "autocast_mm")->first_kernel == "AutocastCPU");
}

TEST_CASE("what a call asks for: operators, memory, types, strides") {
  const Trace& trace = small_run();
  CHECK(call_of(trace, "plain")->operators == "aten::add");
  CHECK(call_of(trace, "plain")->memory == "24 B");
  CHECK(call_of(trace, "plain")->iterator == "6: 4 4 4");  // one dimension of the two
  CHECK(call_of(trace, "int_float")->called == 5);
  CHECK(call_of(trace, "int_float")->memory == "24 B, 24 B");
  CHECK(call_of(trace, "number")->result == "Float");
  CHECK(call_of(trace, "bfloat16")->result == "BFloat16");
  CHECK(call_of(trace, "bfloat16")->memory == "12 B");
  CHECK(call_of(trace, "broadcast")->iterator == "3×2: 4,12 4,12 4,0");
  CHECK(call_of(trace, "broadcast")->memory == "24 B");
  CHECK(call_of(trace, "autocast")->result == "Float");
  CHECK(call_of(trace, "autocast_mm")->result == "BFloat16");
}

TEST_CASE("the call that was asked for is the last section, and its stations are spans") {
  const SectionView& section = small_run().sections().back();
  REQUIRE(section.name() == "int_float");
  std::vector<std::string> stations;
  for (const SpanEvent& span : section.spans(0)) stations.push_back(small_run().name(span.unit));
  CHECK(stations.front() == "aten::add");
  CHECK(std::find(stations.begin(), stations.end(), "AutogradCPU") <
        std::find(stations.begin(), stations.end(), "CPU"));
  CHECK(stations.back() == "memory");
}

TEST_CASE("each claim of calls, and each question, has its answer in the run") {
  const Trace& trace = small_run();
  for (const char* id : {"by_dtype", "skips_autograd", "autocast", "cast_in_kernel", "broadcast_copies"}) {
    INFO(id);
    CHECK(verdict(trace, id) == "fails");
  }
  CHECK(verdict(trace, "python") == "not_testable");
  const TraceRows rows = judge(lesson(), scenario(), trace);
  REQUIRE(rows.predictions.size() == 3);
  CHECK(rows.predictions[1].words == Words{"AutogradCPU"});
  CHECK(rows.predictions[2].answer == 5);
  for (const PredictionSpec& question : lesson().predictions)
    CHECK(contradiction_in(question, scenario()) == "");
}

TEST_CASE("a doctored trace changes each verdict") {
  CHECK(verdict(doctored({}), "not_the_addition") == "holds");
  CHECK(verdict(doctored({.loop_ns = 100}), "not_the_addition") == "fails");
  CHECK(verdict(doctored({}), "grad_is_free") == "fails");
  CHECK(verdict(doctored({}), "finding") == "fails");
  CHECK(verdict(doctored({}), "python") == "not_testable");
  CHECK(verdict(doctored({.python_ns = 3000}), "python") == "holds");
  CHECK(verdict(doctored({.python_ns = 1500}), "python") == "fails");
  CHECK(verdict(doctored({.keys_of_bfloat16 = "CPUBFloat16"}), "by_dtype") == "holds");
  CHECK(verdict(doctored({.first = "CPU"}), "skips_autograd") == "holds");
  CHECK(verdict(doctored({.autocast = "BFloat16"}), "autocast") == "holds");
  CHECK(verdict(doctored({}), "cast_in_kernel") == "holds");
  CHECK(verdict(doctored({.memory_of_cast = "24 B, 24 B"}), "cast_in_kernel") == "fails");
  CHECK(verdict(doctored({.memory_of_broadcast = "24 B, 24 B"}), "broadcast_copies") == "holds");
  const Trace none = TraceStore::create("dispatch")->snapshot();
  for (const ClaimSpec& claim : lesson().claims) CHECK(claim.judge(none).verdict == Verdict::kNotTestable);
}

TEST_CASE("figures fit at every section of a run, of a doctored and of an empty trace") {
  const Trace none = TraceStore::create("dispatch")->snapshot();
  const Config config = scenario();
  for (const Trace* trace : {&small_run(), &none})
    for (const FigureSpec& spec : lesson().figures) {
      INFO(spec.id);
      CHECK_NOTHROW(figure::compute(lesson(), spec, default_input(config, spec, *trace)));
      for (const SectionView& section : trace->sections())
        CHECK_NOTHROW(figure::compute(lesson(), spec, {config, *trace, &section, 0}));
    }
  const Trace half = doctored({.loop_ns = 500});
  // Without Python: dispatcher and autograd, result, checks, addition; only the last differs from the others.
  const auto bars = std::get<figure::Bars>(lesson().figures[0].value({config, half}));
  REQUIRE(bars.rows.size() == 2);
  CHECK(bars.rows[0].values.back() == Approx(50));
  CHECK(bars.rows[1].values.back() == Approx(25));
}

TEST_CASE("the station under the playhead is lit") {
  const Trace& trace = small_run();
  const Config config = scenario();
  const SectionView& section = trace.sections().back();
  for (const SpanEvent& span : section.spans(0)) {
    const auto graph =
        std::get<figure::Graph>(lesson().figures[1].value({config, trace, &section, span.start_ns}));
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      CHECK(graph.nodes[i].lit == (i == static_cast<size_t>(span.step)));
  }
}
