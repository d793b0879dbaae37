#include <algorithm>
#include <cmath>

#include "record.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

using namespace figure;

Value or_nothing(bool some, Value value) { return some ? value : Nothing{tr("This has not been run yet.")}; }

// What lies between two ways is what the upper one does.
Value shares(const FigureInput& in) {
  Bars bars{{"share of the call", "%"}, {}, {}};
  for (const SectionView* size : sections_with(in.trace, kElements)) {
    BarRow row{size->name(), {}};
    std::vector<double> ns;
    std::vector<BarPart> parts;
    for (const auto& [way, part] : std::vector<std::pair<const char*, BarPart>>{
             {kPython, {tr("Python"), Ink::kOther}},
             {kCpp, {tr("dispatcher and autograd"), Ink::kOptimizer}},
             {kCpu, {tr("making the result"), Ink::kActivations}},
             {kOut, {tr("checks, iterator"), Ink::kGradients}},
             {kLoop, {tr("the addition"), Ink::kParameters}}})
      if (const auto all = times(in.trace, *size, way); !all.empty())
        ns.push_back(median(all)), parts.push_back(part);
    if (ns.empty()) continue;
    for (size_t i = ns.size() - 1; i-- > 0;) ns[i] = std::max(ns[i], ns[i + 1]);  // noise is no saving
    for (size_t i = 0; i < ns.size(); ++i)
      row.values.push_back(100 * (ns[i] - (i + 1 < ns.size() ? ns[i + 1] : 0)) / ns[0]);
    row.word = tr("{} ns a call, {:.1f} ns to add", format_count(std::llround(ns.front())), ns.back());
    bars.parts = parts;
    bars.rows.push_back(row);
  }
  return or_nothing(!bars.rows.empty(), bars);
}

// The stations of the call, and the one at which the playhead stands.
Value path(const FigureInput& in) {
  Graph graph;
  const auto spans = in.section == nullptr ? EventRange<SpanEvent>() : in.section->spans(0);
  for (const SpanEvent& span : spans) {
    const bool lit = span.start_ns <= in.time_ns && in.time_ns <= span.end_ns;
    Node node{in.trace.name(span.unit), {}, Ink::kParameters, lit};
    for (const Seen& row : rows_as<Seen>(*in.section)) {
      if (row.kind == "key" && row.name == node.text) node.detail = row.detail;
      if (row.kind == "iterator" && node.text == "TensorIterator") node.detail = row.name + " " + row.detail;
    }
    if (node.detail == kFallsThrough) node.ink = Ink::kDim;
    if (!graph.nodes.empty()) graph.edges.push_back({graph.nodes.size() - 1, graph.nodes.size()});
    graph.nodes.push_back(node);
  }
  return or_nothing(!graph.nodes.empty(), graph);
}

Value stack(const FigureInput& in) {
  Listing listing;
  for (const Seen& row : in.section == nullptr ? std::vector<Seen>() : rows_as<Seen>(*in.section))
    if (row.kind == "frame") listing.lines.push_back({row.name, row.detail});
  return or_nothing(!listing.lines.empty(), listing);
}

Value compared(const FigureInput& in) {
  Table table;
  for (const char* title :
       {"call", "first kernel", "operators", "memory", "result", "node", "shape: strides"})
    table.columns.push_back({title});
  for (const SectionView* call : sections_with(in.trace, kWords)) {
    const Facts of = facts(in.trace, call->name());
    if (call == in.section) table.lit.push_back(table.rows.size());
    table.rows.emplace_back();
    for (const std::string& cell : {call->name(), of.first_kernel, std::to_string(of.called), of.memory,
                                    of.result, of.node, of.iterator})
      table.rows.back().push_back({cell});
  }
  return or_nothing(!table.rows.empty(), table);
}

}  // namespace

std::vector<const SectionView*> sections_with(const Trace& trace, const char* attribute) {
  std::vector<const SectionView*> found;
  for (const SectionView& section : trace.sections())
    if (section.has(attribute)) found.push_back(&section);
  return found;
}

Facts facts(const Trace& trace, std::string_view call) {
  Facts of;
  const auto add = [](std::string& all, const std::string& one) { all += (all.empty() ? "" : ", ") + one; };
  const SectionView* section = trace.find(call);
  for (const Seen& row : section == nullptr ? std::vector<Seen>() : rows_as<Seen>(*section)) {
    if (row.kind == "key") add(of.keys, row.name);
    if (row.kind == "key" && of.first_kernel.empty() && row.detail != kFallsThrough)
      of.first_kernel = row.name;
    if (row.kind == "operator") add(of.operators, row.name), ++of.called;
    if (row.kind == "memory" && ++of.allocations == 1) of.below_autograd = row.detail == kBelow;
    if (row.kind == "memory") add(of.memory, row.name);
    if (row.kind == "frame") add(of.frames, row.name);
    if (row.kind == "result") of.result = row.name;
    if (row.kind == "node") of.node = row.name;
    if (row.kind == "iterator") of.iterator = row.detail;
  }
  return of;
}

std::vector<double> times(const Trace& trace, const SectionView& size, std::string_view way) {
  std::vector<double> ns;
  for (const ScalarEvent& one : size.scalars(0))
    if (trace.name(one.name) == way) ns.push_back(one.value);
  return ns;
}

std::vector<FigureSpec> figures() {
  const auto of_call = [](const FigureInput& in) {
    const bool is_call = in.section != nullptr && in.section->has(kWords);
    return is_call ? tr("The stations of {}.", in.section->text(kWords)) : "";
  };
  return {
      {.id = "share",
       .title = tr("Where the time of one a + b goes, by the number of elements"),
       .value = shares,
       .answers = {"share"}},
      {.id = "path",
       .title = tr("The stations of a call"),
       .value = path,
       .sentence = of_call,
       .follows_playhead = true,
       .answers = {"first", "order"}},
      {.id = "calls",
       .title = tr("What changes with the call"),
       .value = compared,
       .answers = {"first", "operators"}},
      {.id = "stack",
       .title = tr("Who asks for the first memory: the stack, outermost first"),
       .value = stack,
       .answers = {"order"}},
  };
}

}  // namespace ringside::dispatch_lesson
