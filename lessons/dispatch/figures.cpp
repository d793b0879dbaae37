#include <fmt/format.h>

#include <algorithm>

#include "record.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::dispatch_lesson {
namespace {

using figure::Ink;

figure::Value nothing() { return figure::Nothing{tr("This has not been looked at yet.")}; }

double typical(const Trace& trace, std::string_view way, int64_t elements) {
  const std::vector<double> ns = times(trace, way, elements);
  return ns.empty() ? figure::kNone : median(ns);
}

// What is between two ways is what the first one does before the second.
figure::Value shares(const FigureInput& in) {
  const std::vector<int64_t> all = sizes(in.trace);
  if (all.empty()) return nothing();
  const bool python = !times(in.trace, kPython, all.front()).empty();
  std::vector<const char*> ways = {kCpp, kAutograd, kCpu, kOut, kLoop};
  figure::Bars bars{{"share of a call", "%"},
                    {{tr("find the kernel"), Ink::kActivations},
                     {tr("AutogradCPU's kernel"), Ink::kOptimizer},
                     {tr("make the result"), Ink::kParameters},
                     {tr("check and set up"), Ink::kOther},
                     {tr("the addition"), Ink::kGradients}}};
  if (python)
    ways.insert(ways.begin(), kPython), bars.parts.insert(bars.parts.begin(), {"Python", Ink::kText});
  for (const int64_t n : all) {
    std::vector<double> ns;
    for (const char* way : ways) ns.push_back(typical(in.trace, way, n));
    for (size_t i = ns.size() - 1; i-- > 0;) ns[i] = std::max(ns[i], ns[i + 1]);  // noise is no saving
    figure::BarRow row{format_count(n), {}, format_duration(ns[0] * 1e-9)};
    for (size_t i = 0; i < ns.size(); ++i)
      row.values.push_back(100 * (ns[i] - (i + 1 < ns.size() ? ns[i + 1] : 0)) / ns[0]);
    bars.rows.push_back(row);
  }
  return bars;
}

figure::Value by_size(const FigureInput& in) {
  figure::Lines lines{{"elements", "", true}, {"one call", "s", true}, {}};
  for (const char* way : {kPython, kCpp, "requires_grad", kCpu, kLoop}) {
    figure::Line line{way, figure::hue(lines.lines.size()), figure::Stroke::kMeasured, {}};
    for (const int64_t n : sizes(in.trace))
      if (const double ns = typical(in.trace, way, n); ns > 0)
        line.points.push_back({static_cast<double>(n), ns * 1e-9});
    if (!line.points.empty()) lines.lines.push_back(line);
  }
  return lines.lines.empty() ? nothing() : lines;
}

// The stations of the call, and the one at which the playhead stands.
figure::Value path(const FigureInput& in) {
  figure::Graph graph;
  if (in.section == nullptr || in.section->ranks() == 0) return nothing();
  const std::string& call = in.section->name();
  for (const SpanEvent& span : in.section->spans(0)) {
    figure::Node node{in.trace.name(span.unit)};
    for (const Seen& key : seen(in.trace, call, "key"))
      if (key.name == node.text) node.detail = key.detail;
    for (const Seen& built : seen(in.trace, call, "iterator"))
      if (node.text == "TensorIterator") node.detail = built.name + " " + built.detail;
    if (node.text == "memory") node.detail = tr("{} times", seen(in.trace, call, "memory").size());
    node.ink = node.detail == kFallsThrough ? Ink::kDim : Ink::kParameters;
    node.lit = span.start_ns <= in.time_ns && in.time_ns <= span.end_ns;
    if (!graph.nodes.empty()) graph.edges.push_back({graph.nodes.size() - 1, graph.nodes.size()});
    graph.nodes.push_back(node);
  }
  return graph.nodes.empty() ? nothing() : graph;
}

figure::Value stack(const FigureInput& in) {
  figure::Listing listing;
  if (in.section != nullptr)
    for (const Seen& frame : seen(in.trace, in.section->name(), "frame"))
      listing.lines.push_back({frame.name, frame.detail});
  return listing.lines.empty() ? nothing() : listing;
}

figure::Value compared(const FigureInput& in) {
  figure::Table table{{{"call"},
                       {"first kernel"},
                       {"operators", "", true},
                       {"allocations", "", true},
                       {"result"},
                       {"node"},
                       {"computed in"},
                       {"strides in bytes"}},
                      {}};
  for (const CallWords& call : kCalls) {
    const auto all = [&](const char* kind) { return seen(in.trace, call.name, kind); };
    const auto number = [](size_t n) { return figure::TableCell{std::to_string(n), static_cast<double>(n)}; };
    const auto result = all("result"), node = all("node"), iterator = all("iterator");
    if (result.empty()) continue;
    const bool add = !iterator.empty();
    table.rows.push_back({{call.words},
                          {first_kernel(in.trace, call.name)},
                          number(all("operator").size()),
                          number(all("memory").size()),
                          {result[0].name},
                          {node[0].name},
                          {add ? iterator[0].name : ""},
                          {add ? iterator[0].detail : ""}});
  }
  return table.rows.empty() ? nothing() : figure::Value(table);
}

}  // namespace

std::vector<Seen> seen(const Trace& trace, std::string_view call, std::string_view kind) {
  const SectionView* section = trace.find(call);
  std::vector<Seen> rows = section == nullptr ? std::vector<Seen>() : rows_as<Seen>(*section);
  std::erase_if(rows, [&](const Seen& row) { return row.kind != kind; });
  return rows;
}

std::string first_kernel(const Trace& trace, std::string_view call) {
  for (const Seen& key : seen(trace, call, "key"))
    if (key.detail != kFallsThrough) return key.name;
  return "";
}

std::vector<double> times(const Trace& trace, std::string_view way, int64_t elements) {
  std::vector<double> ns;
  const SectionView* section = trace.find(kTimes);
  for (const Timed& row : section == nullptr ? std::vector<Timed>() : rows_as<Timed>(*section))
    if (row.way == way && row.elements == elements) ns.push_back(row.ns);
  return ns;
}

std::vector<int64_t> sizes(const Trace& trace) {
  std::vector<int64_t> all;
  const SectionView* section = trace.find(kTimes);
  for (const Timed& row : section == nullptr ? std::vector<Timed>() : rows_as<Timed>(*section))
    if (std::find(all.begin(), all.end(), row.elements) == all.end()) all.push_back(row.elements);
  return all;
}

std::vector<FigureSpec> figures() {
  const auto call = [](const FigureInput& in) {
    return in.section == nullptr ? std::string() : tr("The stations of {}.", in.section->name());
  };
  return {
      {"share", tr("Where the time of one a + b goes, by the number of elements"), shares},
      {"path", tr("The stations of a call; keys that fall through have no kernel of add"), path, call},
      {"calls", tr("What changes with the call: keys, operators, memory, types"), compared},
      {"stack", tr("Who asked for the result's memory: the stack at that moment, outermost first"), stack},
      {"sizes", tr("One call by the number of elements"), by_size},
  };
}

}  // namespace ringside::dispatch_lesson
