// What happens between a + b and the additions: what the stations and their times say.

#include "embedded.h"
#include "record.h"

namespace ringside::lessons::dispatch {
namespace {

using namespace figure;

// A claim about what was seen of one call, compared with another.
ClaimOf about(const char* id, const char* call, const char* other,
              ClaimResult (*judge)(const Call& of, const Call& other)) {
  return {id, [=](auto& trace) { return judge(row_of<Call>(trace, call), row_of<Call>(trace, other)); }};
}

int share(const Trace& trace) {  // of the options
  const SectionView* size = trace.find(kOneElement);
  const double share = needed(median_ns(size, kLoop) / median_ns(size, kCpp));
  return share < 0.01 ? 0 : share < 0.2 ? 1 : share < 0.8 ? 2 : 3;
}

Words first(const Trace& trace) { return {row_of<Call>(trace, "plain").first_kernel}; }

// Of the call that the scenario names.
double operators_called(const FigureInput& input) {
  return double(row_of<Call>(input.trace, input.config.text("call")).called);
}
double stations_passed(const FigureInput& input) {
  return double(needed(rows_in<Station>(input.trace.find(input.config.text("call")))).size());
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

std::vector<Attribute> shares_sentence(const FigureInput& in) {
  const SectionView* size = in.trace.find(kOneElement);
  const double python = median_ns(size, kPython), all = python > 0 ? python : needed(median_ns(size, kCpp));
  return {kOneElement, format_duration(all * 1e-9), format_duration(needed(median_ns(size, kLoop)) * 1e-9)};
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

std::vector<Attribute> of_call(const FigureInput& in) {
  if (!needed(in.section).has(kWords)) return {};
  const auto call = last_row<Call>(in.section);
  return {in.section->text(kWords),
          call && !call->masked.empty() ? tr(" Without a kernel: {}.", call->masked) : ""};
}

Value compared(const FigureInput& in) {
  return table_of_rows(in.trace, Call::kTable,
                       {"call", "first kernel", "operators", "memory", "result", "node", "shape: strides"},
                       in.section == nullptr ? "" : "call = " + in.section->name());
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"share", share}, {"first", first}},
       .claims = {about("by_dtype", "plain", "bfloat16",
                        [](auto& a, auto& b) { return judged(a.keys != b.keys, a.keys, b.keys); }),
                  about("skips_autograd", "plain", "no_grad",
                        [](auto& a, auto& b) {
                          return judged(a.first_kernel == "CPU" && b.first_kernel == "CPU", a.first_kernel,
                                        b.first_kernel, a.node, b.node);
                        }),
                  about("autocast", "autocast", "autocast_mm",
                        [](auto& a, auto& b) { return judged(a.result == "BFloat16", a.result, b.result); }),
                  about("cast_in_kernel", "int_float", "plain",
                        [](auto& a, auto& b) { return judged(a.memory == b.memory, a.operators, a.memory); }),
                  about("broadcast_copies", "broadcast", "plain",
                        [](auto& a, auto& b) { return judged(a.memory != b.memory, a.memory, a.iterator); })},
       .figures = {{"share", shares, shares_sentence},
                   {"path", path, of_call},
                   {"calls", compared},
                   {"stack", [](const FigureInput& in) { return table_of_rows(in.section, kFrames); }}},
       .gauges = {{"operators", operators_called}, {"stations", stations_passed}}});
}

}  // namespace ringside::lessons::dispatch
