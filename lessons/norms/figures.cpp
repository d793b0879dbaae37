// The pictures of the run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parts.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::norms_lesson {
namespace {

using namespace figure;

std::string title_of(const std::string& norm) { return norm == "rms" ? "RMS" : norm; }

// A row of boxes a token; the norms stand side by side.
Value cells(const FigureInput& input) {
  const auto rows = rows_in<CellRow>(input.trace.find(kCells));
  if (rows.empty()) return Nothing{tr("No number has been changed.")};
  Boxes all;
  all.rows.push_back({"", {}, ""});
  for (const std::string& norm : kNames) {
    all.rows[0].boxes.push_back({title_of(norm), Ink::kText, kFeatures, false});
    all.rows[0].boxes.push_back({"", Ink::kDim, 1, false});
  }
  for (int64_t b = 0; b < kSamples; ++b)
    for (int64_t t = 0; t < kTokens; ++t) {
      BoxRow line{tr("sample {}, token {}", b, t), {}, b == 1 && t == kTokens - 1 ? tr("padding") : ""};
      for (const std::string& norm : kNames) {
        for (const CellRow& cell : rows) {
          if (cell.norm != norm || cell.sample != b || cell.token != t) continue;
          const bool is_it = b == 0 && t == kChangedToken && cell.feature == kChangedFeature;
          line.boxes.push_back(
              {is_it ? "x" : "", is_it ? Ink::kAccent : hue(0), 1, cell.moved > 0,
               tr("{}, feature {}: the output moved by {:.3f}", title_of(norm), cell.feature, cell.moved)});
        }
        line.boxes.push_back({"", Ink::kDim, 1, false});
      }
      all.rows.push_back(std::move(line));
    }
  return all;
}

Value descent(const FigureInput& input) {
  Lines lines{{tr("steps of gradient descent")}, {tr("loss")}, {}};
  lines.y.log = true;
  const auto rows = rows_in<DescentRow>(input.trace.find(kDescent));
  size_t nth = 0;
  for (const char* features : {kRaw, kNormed}) {
    Line line{features, hue(nth++), Stroke::kMeasured, {}};
    for (const DescentRow& row : rows)
      if (row.features == features)
        line.points.push_back({static_cast<double>(row.step), std::max(row.loss, 1e-12)});
    if (!line.points.empty()) lines.lines.push_back(std::move(line));
  }
  return or_nothing(lines, tr("No step has been taken."));
}

Value padding(const FigureInput& input) {
  Lines lines{
      {tr("positions of padding behind each sample")}, {tr("change of the real tokens' outputs")}, {}};
  const auto rows = rows_in<PaddingRow>(input.trace.find(kPadding));
  for (size_t i = 0; i < kNames.size(); ++i) {
    Line line{title_of(kNames[i]), hue(i), Stroke::kMeasured, {}};
    for (const PaddingRow& row : rows)
      if (row.norm == kNames[i]) line.points.push_back({static_cast<double>(row.added), row.unmasked});
    if (!line.points.empty()) lines.lines.push_back(std::move(line));
  }
  Line masked{tr("every norm, with a token mask"), Ink::kDim, Stroke::kDots, {}};
  for (const PaddingRow& row : rows) {
    const auto x = static_cast<double>(row.added);
    if (masked.points.empty() || masked.points.back().x < x) masked.points.push_back({x, 0});
  }
  for (Point& point : masked.points)
    for (const PaddingRow& row : rows)
      if (static_cast<double>(row.added) == point.x) point.y = std::max(point.y, row.masked);
  if (!masked.points.empty()) lines.lines.push_back(std::move(masked));
  return or_nothing(lines, tr("No batch has been padded."));
}

Value gap(const FigureInput& input) {
  Line line{tr("batch norm"), hue(0), Stroke::kMeasured, {}};
  for (const GapRow& row : rows_in<GapRow>(input.trace.find(kGap)))
    line.points.push_back({static_cast<double>(row.batch), row.gap});
  std::ranges::reverse(line.points);
  if (line.points.empty()) return Nothing{tr("No batch has been normalised.")};
  Axis batch{tr("cells of a set (samples of one token)")};
  batch.log = true;
  return Lines{batch, {tr("training's output against evaluation's"), "", false, 0.0}, {line}};
}

Value paths(const FigureInput& input) {
  Lines lines{{tr("steps")}, {tr("distance from one process")}, {}};
  const auto rows = rows_in<PathRow>(input.trace.find(kPaths));
  size_t nth = 0;
  for (const char* section : {kOwn, kShared}) {
    Line line{section, hue(nth++), Stroke::kMeasured, {}};
    for (const PathRow& row : rows)
      if (row.section == section) line.points.push_back({static_cast<double>(row.step), row.distance});
    if (!line.points.empty()) lines.lines.push_back(std::move(line));
  }
  return or_nothing(lines, tr("No training has ended."));
}

Value depth(const FigureInput& input) {
  Lines lines{{tr("layer")}, {tr("gradient norm of its down_proj")}, {}};
  lines.y.log = true;
  Line pre{tr("norms before the sub-layers"), hue(0), Stroke::kMeasured, {}},
      post{tr("norms behind them"), hue(1), Stroke::kMeasured, {}};
  for (const DepthRow& row : rows_in<DepthRow>(input.trace.find(kDepth))) {
    const auto x = static_cast<double>(row.layer);
    pre.points.push_back({x, row.pre});
    post.points.push_back({x, row.post});
  }
  if (!pre.points.empty()) lines.lines = {pre, post};
  return or_nothing(lines, tr("No gradient has been computed."));
}

Value scales(const FigureInput& input) {
  Table table{
      {{tr("weight times"), "", true}, {tr("output moves by"), "", true}, {tr("gradient times"), "", true}},
      {}};
  for (const ScaleRow& row : rows_in<ScaleRow>(input.trace.find(kScale)))
    table.rows.push_back({{fmt::format("{:g}", row.scale), row.scale},
                          {fmt::format("{:.1g}", row.output), row.output},
                          {fmt::format("{:.3g}", row.gradient), row.gradient}});
  return or_nothing(table, tr("No weight has been scaled."));
}

Value times(const FigureInput& input) {
  Bars bars;
  bars.value = {tr("forward and backward"), "s"};
  bars.parts = {{tr("median"), hue(0)}};
  for (const char* name : {kLayerNorm, kRmsNorm, kLayerStep, kRmsStep})
    if (const double ns = median_ns(input.trace.find(kTimes), name); !std::isnan(ns))
      bars.rows.push_back({name, {ns * 1e-9}});
  return or_nothing(bars, tr("Nothing has been timed."));
}

}  // namespace

std::vector<FigureSpec> figures() {
  return with_tabs(
      {figure_of_run("cells", tr("One number x is changed. Which outputs move?"), cells, {"cells"}),
       figure_of_run("descent", tr("Features of four scales: how fast does the loss fall?"), descent),
       figure_of_run("padding", tr("What does padding do to real tokens?"), padding, {"padding"}),
       figure_of_run("gap", tr("Does evaluation see what training saw?"), gap),
       figure_of_run("paths", tr("Do N ranks train the model of one process?"), paths, {"paths"}),
       figure_of_run("depth", tr("How large is the gradient, layer by layer?"), depth),
       figure_of_run("scales", tr("A weight before a norm is scaled. What changes?"), scales, {"scale"}),
       figure_of_run("times", tr("What does RMS norm save?"), times)},
      {tr("cells"), tr("scales"), tr("padding"), tr("gap"), tr("ranks"), tr("depth"), tr("weight"),
       tr("times")});
}

}  // namespace ringside::norms_lesson
