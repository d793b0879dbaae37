// What happens between a + b and the additions: what the stations and their times say.

#include "embedded.h"
#include "record.h"

namespace ringside::lessons::dispatch {
namespace {

using namespace figure;

// A claim about what was seen of one call, compared with another.
ClaimOf about(const char* id, const char* call, const char* other,
              ClaimResult (*judge)(const Call& of, const Call& other)) {
  return {id, [=](const Trace& trace) {
            return judge(needed(call_of(trace, call)), needed(call_of(trace, other)));
          }};
}

// The option that is right.
int share(const Trace& trace) {
  const SectionView* size = trace.find(kOneElement);
  const double share = needed(median_ns(size, kLoop) / median_ns(size, kCpp));
  return share < 0.01 ? 0 : share < 0.2 ? 1 : share < 0.8 ? 2 : 3;
}

Words first(const Trace& trace) { return {needed(call_of(trace, "plain")).first_kernel}; }

double operators(const Trace& trace, const std::string& name) {
  return double(needed(call_of(trace, name)).called);
}

// Of the call that the scenario names.
double operators_called(const FigureInput& input) {
  return operators(input.trace, input.config.text("call"));
}
double stations_passed(const FigureInput& input) {
  const SectionView& section = needed(input.trace.find(input.config.text("call")));
  return section.has(kWords) ? double(rows_in<Station>(&section).size()) : NAN;
}

ClaimResult by_dtype(const Call& a, const Call& b) {
  return holds_if(a.keys != b.keys, tr("float32: {}; bfloat16: {}", a.keys, b.keys));
}
ClaimResult skips_autograd(const Call& a, const Call& b) {
  return holds_if(a.first_kernel == "CPU" && b.first_kernel == "CPU",
                  tr("{} is entered first, and under no_grad() {}; nodes: {}, {}", a.first_kernel,
                     b.first_kernel, a.node, b.node));
}
ClaimResult by_autocast(const Call& a, const Call& b) {
  return holds_if(a.result == "BFloat16", tr("a + b gives {}, a @ b {}", a.result, b.result));
}
ClaimResult cast_in_kernel(const Call& a, const Call& b) {
  return holds_if(a.memory == b.memory, tr("{}; memory {}", a.operators, a.memory));
}
ClaimResult broadcast_copies(const Call& a, const Call& b) {
  return holds_if(a.memory != b.memory, tr("memory {}; strides {}", a.memory, a.iterator));
}

// What lies between two ways is what the upper one does.
Value shares(const FigureInput& in) {
  Bars bars{{"share of the call", "%"}, {}, {}};
  for (const SectionView& size : in.trace.sections()) {
    BarRow row{size.name(), {}};
    std::vector<double> ns;
    std::vector<BarPart> parts;
    for (const auto& [way, part] : std::vector<std::pair<const char*, BarPart>>{
             {kPython, {tr("Python"), Ink::kOther}},
             {kCpp, {tr("dispatcher and autograd"), Ink::kOptimizer}},
             {kCpu, {tr("making the result"), Ink::kActivations}},
             {kOut, {tr("checks, iterator"), Ink::kGradients}},
             {kLoop, {tr("the addition"), Ink::kParameters}}})
      if (const double time = median_ns(&size, way); time > 0) ns.push_back(time), parts.push_back(part);
    if (ns.empty()) continue;
    for (size_t i = ns.size() - 1; i-- > 0;) ns[i] = std::max(ns[i], ns[i + 1]);  // noise is no saving
    for (size_t i = 0; i < ns.size(); ++i)
      row.values.push_back(100 * (ns[i] - (i + 1 < ns.size() ? ns[i + 1] : 0)) / ns[0]);
    row.word = tr("{}, addition {}", format_duration(ns[0] * 1e-9), format_duration(ns.back() * 1e-9));
    bars.parts = parts;
    bars.rows.push_back(row);
  }
  return bars;
}

std::string shares_sentence(const FigureInput& in) {
  for (const SectionView& size : in.trace.sections()) {  // the first is the smallest
    const double python = median_ns(&size, kPython), all = python > 0 ? python : median_ns(&size, kCpp);
    const double loop = median_ns(&size, kLoop);
    if (!(all > 0) || !(loop > 0)) continue;
    return tr("{}: of {} the addition takes {}. The rest is spent on the way.", size.name(),
              format_duration(all * 1e-9), format_duration(loop * 1e-9));
  }
  return "";
}

// The stations of the call, and the one at which the playhead stands.
Value path(const FigureInput& in) {
  Graph graph;
  const size_t begun = rows_in<Station>(in.section, in.time_ns).size();
  for (const auto& [name, detail] : rows_in<Station>(in.section)) {
    const size_t nth = graph.nodes.size();
    if (nth > 0) graph.edges.push_back({nth - 1, nth});
    graph.nodes.push_back({name, detail, Ink::kParameters, nth + 1 == begun});
  }
  return graph;
}

std::string of_call(const FigureInput& in) {
  if (!needed(in.section).has(kWords)) return "";
  const auto call = last_row<Call>(in.section);
  const std::string masked = call && !call->masked.empty() ? tr(" Without a kernel: {}.", call->masked) : "";
  return tr("The stations of {}.", in.section->text(kWords)) + masked;
}

Value stack(const FigureInput& in) { return table_of_rows(in.section, kFrames); }

Value compared(const FigureInput& in) {
  return table_of_rows(in.trace, Call::kTable,
                       {"call", "first kernel", "operators", "memory", "result", "node", "shape: strides"},
                       in.section == nullptr ? "" : in.section->name());
}

}  // namespace

std::optional<Call> call_of(const Trace& trace, const std::string& name) {
  return last_row<Call>(trace.find(name));
}

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"share", share},
                     {"first", first},
                     {"operators", [](const Trace& trace) { return operators(trace, "int_float"); }}},
       .claims = {about("by_dtype", "plain", "bfloat16", by_dtype),
                  about("skips_autograd", "plain", "no_grad", skips_autograd),
                  about("autocast", "autocast", "autocast_mm", by_autocast),
                  about("cast_in_kernel", "int_float", "plain", cast_in_kernel),
                  about("broadcast_copies", "broadcast", "plain", broadcast_copies)},
       .figures = {{"share", shares, shares_sentence},
                   {"path", path, of_call},
                   {"calls", compared},
                   {"stack", stack}},
       .gauges = {{"operators", operators_called}, {"stations", stations_passed}}});
}

}  // namespace ringside::lessons::dispatch
