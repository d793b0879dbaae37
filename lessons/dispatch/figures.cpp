#include <algorithm>

#include "record.h"
#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

using namespace figure;

const std::string kNotRun = tr("This has not been run yet.");

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
    row.word = tr("{} a call, {} to add", format_duration(ns[0] * 1e-9), format_duration(ns.back() * 1e-9));
    bars.parts = parts;
    bars.rows.push_back(row);
  }
  return or_nothing(bars, kNotRun);
}

std::string shares_sentence(const FigureInput& in) {
  for (const SectionView& size : in.trace.sections()) {  // the first is the smallest
    const double python = median_ns(&size, kPython), all = python > 0 ? python : median_ns(&size, kCpp);
    const double loop = median_ns(&size, kLoop);
    if (!(all > 0) || !(loop > 0)) continue;
    return tr("{}: of {} the addition takes {}. The rest is the way to it.", size.name(),
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
    graph.nodes.push_back(
        {name, detail, detail == kFallsThrough ? Ink::kDim : Ink::kParameters, nth + 1 == begun});
  }
  return or_nothing(graph, kNotRun);
}

std::string of_call(const FigureInput& in) {
  const bool is_call = in.section != nullptr && in.section->has(kWords);
  return is_call ? tr("The stations of {}.", in.section->text(kWords)) : "";
}

Value stack(const FigureInput& in) { return or_nothing(table_of_rows(in.section, kFrames), kNotRun); }

Value compared(const FigureInput& in) {
  return or_nothing(
      table_of_rows(in.trace, Call::kTable,
                    {"call", "first kernel", "operators", "memory", "result", "node", "shape: strides"},
                    in.section == nullptr ? "" : in.section->name()),
      kNotRun);
}

}  // namespace

std::optional<Call> call_of(const Trace& trace, const std::string& name) {
  const auto rows = rows_in<Call>(trace.find(name));
  return rows.empty() ? std::nullopt : std::optional(rows.back());
}

std::vector<FigureSpec> figures() {
  FigureSpec first = figure_of_run("share", tr("Where the time of one a + b goes, by the number of elements"),
                                   shares, {"share"});
  first.sentence = shares_sentence;
  return with_tabs(
      {first, figure_of_instant("path", tr("The stations of a call"), path, of_call, {"first"}),
       figure_of_run("calls", tr("What changes with the call"), compared, {"first", "operators"}),
       figure_of_run("stack", tr("Who asks for the first memory: the stack, outermost first"), stack)},
      {tr("share of time"), tr("stations"), tr("calls compared"), tr("stack")});
}

}  // namespace ringside::dispatch_lesson
