// Paths on the surface; what each step is made of; second derivatives; the classifier under every optimizer.
#include "parts.h"

namespace ringside::lessons::optimizers {
namespace {

using namespace figure;

constexpr size_t kGrid = 49;
constexpr double kCard = 80e9;

// ---- Paths ----------------------------------------------------------------------------

// By method, as far as the playhead has come; Newton's not while it answers a question.
std::map<std::string, std::vector<PathRow>> paths_at(const FigureInput& input) {
  std::map<std::string, std::vector<PathRow>> paths;
  const SectionView* section = input.trace.find(kPaths);
  if (section == nullptr) return paths;
  const bool whole = input.section != nullptr && input.section->name() != kPaths;
  const bool hidden = section->text(kSurface) == kSaddle && input.is_open("saddle");
  for (const PathRow& row : whole ? rows_in<PathRow>(section) : rows_in<PathRow>(section, input.time_ns))
    if (!hidden || !is_newton(row.method)) paths[row.method].push_back(row);
  return paths;
}

Value paths(const FigureInput& input) {
  const Surface& surface = surface_of(input.config.text("surface"));
  const Point from = surface.least, to = surface.most;
  Contours contours{{"x", "", false, from.x, to.x}, {"y", "", false, from.y, to.y}, kGrid, kGrid, {}};
  for (size_t i = 0; i < kGrid * kGrid; ++i) {
    const double right = double(i % kGrid) / (kGrid - 1);
    const double up = double(i / kGrid) / (kGrid - 1);
    contours.heights.push_back(
        height(surface.name, from.x + (to.x - from.x) * right, from.y + (to.y - from.y) * up));
  }
  const double span = *std::ranges::max_element(contours.heights) - surface.lowest;
  for (int i = 1; i < 10; ++i)
    contours.levels.push_back(surface.lowest + span * std::pow(i / 10.0, surface.bend));
  for (size_t nth = 0; const auto& [method, path] : paths_at(input)) {
    const Ink ink = method == kNewton ? Ink::kText : hue(nth++);
    contours.paths.push_back({method, ink, points_of(path, &PathRow::x, &PathRow::y)});
  }
  contours.handle = Handle{tr("start"), "start", start_of(input.config)};
  return contours;
}

std::string paths_sentence(const FigureInput& input) {
  std::vector<PathRow> last;
  for (const auto& [method, path] : paths_at(input)) last.push_back(path.back());
  if (last.empty()) return "";
  std::ranges::sort(last, [](const auto& a, const auto& b) { return a.height < b.height; });
  const PathRow &low = last.front(), &high = last.back();
  const std::string other =
      low.method == high.method ? "" : tr(" {} goes down to {:.2g}.", low.method, low.height);
  for (const EndRow& end : rows_in<EndRow>(input.trace.find(kPaths))) {
    if (high.method != kNewton || end.method != kNewton) continue;
    if (!end.stopped.empty())
      return tr("The Hessian has no inverse here, so Newton stops at {:.2g}.{}", high.height, other);
    if (high.height > end.first + 1e-6)
      return tr("Newton ends on the saddle at {:.2g}, above its start at {:.2g}.{}", high.height, end.first,
                other);
  }
  const bool on_ridge = std::ranges::all_of(last, [](const PathRow& row) { return std::abs(row.y) < 1e-9; });
  if (on_ridge && input.config.text("surface") == kSaddle)
    return tr("No path leaves the ridge: without noise the slope across it is 0.");
  const std::string lowest = tr("{:.2g}", low.height), highest = tr("{:.2g}", high.height);
  if (last.size() == 1) return tr("Step {}, best rate: {} is at {}.", low.step, low.method, lowest);
  if (lowest == highest) return tr("Step {}, best rates: all are at {}.", low.step, lowest);
  return tr("Step {}, best rates: {} is lowest at {}, {} highest at {}.", low.step, low.method, lowest,
            high.method, highest);
}

// ---- What a step is made of -------------------------------------------------------------

// Of kConstant and kUncorrected over steps; of the others over the gradient's size.
struct TrialLine {
  std::string trial, rule, name = {};
};
auto trial_lines(const Axis& y, const std::vector<TrialLine>& all) {
  const bool over_steps = all[0].trial == kConstant;
  const Axis x{over_steps ? tr("step, under a gradient of 1") : tr("size of the gradient"), "", true};
  return [=](const FigureInput& input) {
    Lines lines{x, y, {}};
    for (const auto& [trial, rule, name] : all)
      if (const auto rows = trials_of(input.trace, trial, rule); !rows.empty())
        lines.lines.push_back({name.empty() ? rule : name, hue(lines.lines.size()), Stroke::kMeasured,
                               points_of(rows, &TrialRow::at, &TrialRow::value)});
    return lines;
  };
}

std::vector<Attribute> rates_sentence(const FigureInput& input) {
  const auto adagrad = needed(trials_of(input.trace, kConstant, "adagrad")),
             adam = needed(trials_of(input.trace, kConstant, "adam"));
  return {adagrad.back().at, adagrad.back().value, adam.back().value};
}

// ---- Second derivatives -----------------------------------------------------------------

Value hessians(const FigureInput& input) {
  const SectionView* section = input.trace.find(kSecond);
  const auto counted =
      needed(points_of(rows_in<HessianRow>(section), &HessianRow::parameters, &HessianRow::hessian));
  const double largest = section->number(kModelParameters), least = counted.front().x;
  return Lines{{tr("parameters n"), "", true},
               {tr("memory"), "bytes", true},
               {{tr("Hessian"), Ink::kOptimizer, Stroke::kDots, counted},
                {tr("4n, a gradient"),
                 Ink::kGradients,
                 Stroke::kFormula,
                 {{least, 4 * least}, {largest, 4 * largest}}},
                {"4n²",
                 Ink::kOptimizer,
                 Stroke::kFormula,
                 {{least, 4 * least * least}, {largest, 4 * largest * largest}}}},
               {},
               {{tr("a card of 80 GB"), kCard, false}, {"7B", largest}}};
}

// ---- The classifier -----------------------------------------------------------------------

Value good(const FigureInput& input) {
  Lanes lanes{{tr("learning rate; * adaptive"), "", true}, {}, {}};
  auto rows = good_rates_of(input.trace);
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.decades() > b.decades(); });
  for (const GoodRow& row : rows) {
    lanes.items.push_back({lanes.lanes.size(), row.from, row.to, row.width(),
                           is_adaptive(row.rule) ? Ink::kOptimizer : Ink::kParameters});
    lanes.lanes.push_back(tr("{}{}, loss {:.2f}", row.rule, is_adaptive(row.rule) ? "*" : "", row.loss));
  }
  return lanes;
}

std::vector<Attribute> good_sentence(const FigureInput& input) {
  std::map<std::string, std::string> decades;
  for (const GoodRow& row : good_rates_of(input.trace)) decades[row.rule] = row.width();
  if (!decades.contains("adam") || !decades.contains("sgd")) return {};
  return {decades["adam"], decades["adagrad"], decades["sgd"]};
}

// At the rate that was best; the loss is scaled afterwards.
Value scaled(const FigureInput& input) {
  Bars bars;
  bars.value = {tr("kept of the loss's fall"), "%"};
  bars.parts = {{tr("loss / {:g}", kScale), hue(0)}, {tr("loss x {:g}", kScale), hue(1)}};
  bars.stacked = false;
  for (const GoodRow& row : good_rates_of(input.trace))
    bars.rows.push_back({row.rule, {std::round(100 * row.kept_divided), std::round(100 * row.kept_times)}});
  return bars;
}

constexpr int64_t kWindow = 5;  // steps that a point is the mean of

Value losses(const FigureInput& input) {
  const auto chosen = methods_of(input.config.text("paths"));
  Lines lines{{tr("training step")}, {tr("loss")}, {}};
  double sum = 0;
  for (const RuleLossRow& row : rows_in<RuleLossRow>(input.trace)) {
    if (std::ranges::find(chosen, row.rule) == chosen.end()) continue;
    if (lines.lines.empty() || lines.lines.back().name != row.rule)
      lines.lines.push_back({row.rule, hue(lines.lines.size())}), sum = 0;
    sum += row.loss;
    if (row.step % kWindow != 0) continue;
    lines.lines.back().points.push_back({double(row.step), std::exchange(sum, 0) / kWindow});
  }
  return lines;
}

}  // namespace

std::vector<FigureOf> figures() {
  const Axis length{tr("length of a step, in learning rates"), "", true},
      corrected{length.name, "", false, 0.0},
      gone{tr("share of the weight that decay took"), "%", false, 0.0};
  return {
      {"paths", paths, paths_sentence},
      {"rates",
       trial_lines(length, {{kConstant, "adagrad"},
                            {kConstant, "rmsprop"},
                            {kConstant, "adadelta"},
                            {kConstant, "adam"},
                            {kConstant, kByRoot}}),
       rates_sentence},
      {"first",
       trial_lines(
           length,
           {{kFirst, "sgd"}, {kFirst, "adagrad"}, {kFirst, "adam"}, {kFirst, kByRoot}, {kFirst, kBySize}})},
      {"correction", trial_lines(corrected, {{kConstant, "adam", "Adam"},
                                             {kUncorrected, "adam", tr("without correction")}})},
      {"decay", trial_lines(gone, {{kDecay, "adam", tr("L2 in Adam")}, {kDecay, "adamw", "AdamW"}})},
      {"hessians", hessians},
      {"good", good, good_sentence},
      {"scaled", scaled},
      {"steps", losses}};
}

std::vector<Readout> readouts(const FigureInput& input) {
  std::vector<Readout> all;
  const auto paths = paths_at(input);
  for (const EndRow& end : rows_in<EndRow>(input.trace.find(kPaths)))
    if (const auto path = paths.find(end.method); path != paths.end())
      all.push_back({end.method, tr("height {:.3g}, rate {:.2g}", path->second.back().height, end.rate)});
  return all;
}

}  // namespace ringside::lessons::optimizers
