// The lesson as a front end runs it, small; and doctored traces, which change its verdicts and figures.
#include "dispatch/record.h"
#include "ringside/base/clock.h"
#include "run_a_lesson.h"

namespace ringside::lessons::dispatch {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("dispatch", make_lesson());
const std::vector<std::string> kSmall = {"call=int_float", "elements=100", "rounds=6", "python=off"};

const Trace& small_run() {
  static const Trace trace = run_lesson(kLesson, kSmall);
  return trace;
}

Call call_of(const char* name) { return row_of<Call>(small_run(), name); }

// What is true of every LibTorch; `change` is made before it is recorded.
struct Doctored {
  double loop_ns = 1, python_ns = 0, lookups_ns = 5, entered_ns = 1000;  // a + b: 1000
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
      for (const char* way : {kCpp, kCpu, kOut}) time(way, is_one ? 1000 : 2000);
      time(kAutograd, as.entered_ns);
      time(kLookups, as.lookups_ns);
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
    record_row(recorder, Call{.name = name,
                              .first_kernel = as.first,
                              .keys = name == "bfloat16" ? as.keys_of_bfloat16 : "CPU",
                              .masked = "",
                              .called = 1,
                              .operators = "aten::add",
                              .memory = name == "int_float"   ? as.memory_of_cast
                                        : name == "broadcast" ? as.memory_of_broadcast
                                                              : "24 B",
                              .result = name == "autocast" ? as.autocast : "Float",
                              .node = "none",
                              .iterator = ""});
    record_row<Station>(recorder, {"aten::add", ""});
  }
  store->set_complete();
  return store->snapshot();
}

std::string verdict(const Doctored& as, const std::string& id) {
  return verdict_alone(kLesson, id, doctored(as));
}

}  // namespace

TEST_CASE("dispatch: who is first, and what a call asks for: operators, memory, types, strides") {
  CHECK(call_of("plain").first_kernel == "AutogradCPU");
  CHECK(call_of("plain").keys.find("AutogradCPU") < call_of("plain").keys.find("CPU", 11));
  CHECK(call_of("no_grad").first_kernel == "AutogradCPU");
  CHECK(call_of("no_grad").node == "none");
  CHECK(call_of("inference_mode").first_kernel == "CPU");
  CHECK(call_of("requires_grad").node == "AddBackward0");
  CHECK(call_of("autocast_mm").first_kernel == "AutocastCPU");
  CHECK(call_of("plain").operators == "aten::add");
  CHECK(call_of("plain").memory == "24 B");
  CHECK(call_of("plain").iterator == "6: 4 4 4");  // one dimension of the two
  CHECK(call_of("int_float").called == 5);
  CHECK(call_of("int_float").memory == "24 B, 24 B");
  CHECK(call_of("number").result == "Float");
  CHECK(call_of("bfloat16").result == "BFloat16");
  CHECK(call_of("bfloat16").memory == "12 B");
  CHECK(call_of("broadcast").iterator == "3×2: 4,12 4,12 4,0");
  CHECK(call_of("broadcast").memory == "24 B");
  CHECK(call_of("autocast").result == "Float");
  CHECK(call_of("autocast_mm").result == "BFloat16");
}

TEST_CASE("dispatch: the last section is the call asked for; claims and questions are answered") {
  const SectionView& section = small_run().sections().back();
  REQUIRE(section.name() == "int_float");
  std::vector<std::string> stations;
  for (const SpanEvent& span : section.spans(0)) stations.push_back(small_run().name(span.unit));
  CHECK(stations.front() == "aten::add");
  CHECK(std::find(stations.begin(), stations.end(), "AutogradCPU") <
        std::find(stations.begin(), stations.end(), "CPU"));
  CHECK(stations.back() == "add_stub");
  CHECK(std::find(stations.begin(), stations.end(), "ADInplaceOrView") == stations.end());
  CHECK(call_of("int_float").masked.find("ADInplaceOrView") != std::string::npos);
  CHECK(call_of("autocast").masked.find("AutocastCPU") != std::string::npos);
  CHECK(call_of("autocast_mm").masked.find("AutocastCPU") == std::string::npos);
  const Trace& trace = small_run();
  for (const char* id : {"by_dtype", "skips_autograd", "autocast", "cast_in_kernel", "broadcast_copies"}) {
    INFO(id);
    CHECK(verdict_alone(kLesson, id, trace) == "fails");
  }
  CHECK(verdict_alone(kLesson, "python", trace) == "not_testable");
  CHECK(answer_of(kLesson, "first", trace) == Words{"AutogradCPU"});
  CHECK(question_of(kLesson, "operators").measured(trace) == 5);
  for (const PredictionSpec& question : kLesson.predictions)
    CHECK(contradiction_in(question, scenario_of(kLesson, {})) == "");
}

TEST_CASE("dispatch: a doctored trace changes each verdict") {
  CHECK(answer_of(kLesson, "share", doctored({})) == Words{"under 1 %"});
  CHECK(answer_of(kLesson, "share", doctored({.loop_ns = 100})) == Words{"about 5 %"});
  CHECK(verdicts_of(kLesson, doctored({})) ==
        "python not_testable, grad_is_free fails, finding fails, key_set fails, by_dtype fails, "
        "skips_autograd fails, autocast fails, cast_in_kernel holds, broadcast_copies fails");
  CHECK(verdict({.lookups_ns = 200}, "finding") == "holds");
  CHECK(verdict({.entered_ns = 800}, "key_set") == "holds");
  CHECK(verdict({.python_ns = 3000}, "python") == "holds");
  CHECK(verdict({.python_ns = 1500}, "python") == "fails");
  CHECK(verdict({.keys_of_bfloat16 = "CPUBFloat16"}, "by_dtype") == "holds");
  CHECK(verdict({.first = "CPU"}, "skips_autograd") == "holds");
  CHECK(verdict({.autocast = "BFloat16"}, "autocast") == "holds");
  CHECK(verdict({.memory_of_cast = "24 B, 24 B"}, "cast_in_kernel") == "fails");
  CHECK(verdict({.memory_of_broadcast = "24 B, 24 B"}, "broadcast_copies") == "holds");
  check_says_nothing(kLesson);
}

TEST_CASE("dispatch: the bars are of what each part takes; the station at the playhead is lit") {
  const Config config = scenario_of(kLesson, {});
  const Trace half = doctored({.loop_ns = 500});
  // Without Python: dispatcher and autograd, result, checks, addition; only the last differs from the others.
  const auto bars = std::get<figure::Bars>(kLesson.figures[0].value({config, half}));
  REQUIRE(bars.rows.size() == 2);
  CHECK(bars.rows[0].values.back() == Approx(50));
  CHECK(bars.rows[1].values.back() == Approx(25));
  const Trace& trace = small_run();
  const SectionView& section = trace.sections().back();
  for (const SpanEvent& span : section.spans(0)) {
    const auto graph =
        std::get<figure::Graph>(kLesson.figures[1].value({config, trace, &section, span.start_ns}));
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      CHECK(graph.nodes[i].lit == (i == static_cast<size_t>(span.step)));
  }
}

}  // namespace ringside::lessons::dispatch
