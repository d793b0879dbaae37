// Paths on a surface: by the engine's optimizers, each at the best of the learning rates tried, and by
// Newton's method. The gradients are autograd's. And what single rules do with a weight.
#include <torch/csrc/autograd/variable.h>

#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/lesson/section_title.h"
#include "ringside/second_order/hessian_free.h"
#include "ringside/second_order/newton.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::lessons::optimizers {
namespace {

using figure::Point;

constexpr double kEqual = 1e-9;
constexpr int64_t kTrialSteps = 30, kConstantSteps = 1000, kDecaySteps = 200;
constexpr double kAny = 1e-3, kDecayRate = 1e-2;  // learning rates

struct Walk {
  std::vector<Point> points;  // from the start on
  std::vector<double> heights;
  double last = 0;  // height; of the noisy surface the mean of the last tenth
  std::string stopped = {};
};

// One step of a method; it may keep state from step to step.
using Mover = std::function<Point(Point, const Derivatives&)>;

Point point_of(const at::Tensor& w) { return {w[0].item<double>(), w[1].item<double>()}; }

Point by_newton(const std::string& method, Point at, const Derivatives& here) {
  const double damping = method == kDamped || method == kFree ? kDamping : 0;
  const at::Tensor d = method == kFree || method == kUndamped
                           ? hessian_free_step(here, {.damping = damping}).direction
                           : newton_step(here, {.damping = damping}).direction;
  return {at.x + point_of(d).x, at.y + point_of(d).y};
}

// A linear term is noise of the gradient alone: the Hessian stays the surface's.
Derivatives derivatives(const Surface& surface, Point at, RandomStream& noise) {
  const at::Tensor w = at::tensor({at.x, at.y}, at::kDouble).requires_grad_(true);
  at::Tensor loss = height(surface.name, w[0], w[1]);
  if (surface.noise > 0) loss = loss + surface.noise * (noise.normal() * w[0] + noise.normal() * w[1]);
  return {loss, {w}};
}

// `bounded`: it stops where it leaves the map that is drawn.
Walk walk(const Surface& surface, Point start, const Mover& mover, int64_t steps, uint64_t seed,
          bool bounded) {
  RandomStream noise(seed, "noise");
  Walk made{{start}, {height(surface.name, start.x, start.y)}};
  try {
    for (int64_t i = 0; i < steps; ++i) {
      const Point next = mover(made.points.back(), derivatives(surface, made.points.back(), noise));
      if (bounded && !surface.contains(next)) throw DerivativeError(tr("it left the map in step {}", i + 1));
      made.points.push_back(next);
      made.heights.push_back(height(surface.name, next.x, next.y));
    }
  } catch (const Error& error) {  // singular, or not finite
    made.stopped = error.what();
  }
  const size_t tenth = surface.noise > 0 ? made.heights.size() / 10 + 1 : 1;
  for (size_t i = made.heights.size() - tenth; i < made.heights.size(); ++i)
    made.last += made.heights[i] / double(tenth);
  return made;
}

// With what is known of it; the learning rates tried are 1e-4 to 1e2 in half decades, and one that stays on
// the map is better than one that does not. Newton's method has no rate to be chosen: it may leave the map.
std::pair<Walk, EndRow> best_walk(const Surface& surface, Point start, const std::string& method,
                                  int64_t steps, uint64_t seed) {
  std::pair<Walk, EndRow> best;
  const auto take = [&](const Mover& mover, double rate) {
    Walk one = walk(surface, start, mover, steps, seed, !is_newton(method));
    const bool stopped = !one.stopped.empty(), best_stopped = !best.first.stopped.empty();
    if (best.first.points.empty() || (best_stopped && !stopped) ||
        (best_stopped == stopped && one.last < best.first.last))
      best = {std::move(one), {surface.name, method, rate}};
  };
  if (is_newton(method))
    take([&](Point at, const Derivatives& here) { return by_newton(method, at, here); }, 1);
  for (int half = -8; half <= 4 && !is_newton(method); ++half) {
    const double rate = std::pow(10.0, half / 2.0);
    OwnWeights own = weights_under(method, {start.x, start.y});
    take(
        [&](Point, const Derivatives& here) -> Point {
          const Point g = point_of(here.gradient());
          own.step({g.x, g.y}, rate);
          return {own.weights()[0], own.weights()[1]};
        },
        rate);
  }
  auto& [walk, row] = best;
  row.first = walk.heights.front(), row.last = walk.last, row.stopped = walk.stopped;
  for (size_t i = 0; i < walk.heights.size(); ++i)
    if (std::abs(walk.heights[i] - walk.heights.back()) > kEqual) row.steps = int64_t(i) + 1;
  return best;
}

// Under a gradient that does not change, and in the first step by the gradient's size.
void try_constant(Recorder& pen, const std::string& rule) {
  OwnWeights own = weights_under(rule, {0});
  for (int64_t step = 1; step <= kConstantSteps; ++step) {
    const double before = own.weights()[0], at = double(step);
    own.step({1}, kAny);
    if (!is_looked_at(step)) continue;
    record_row(pen, TrialRow{kConstant, rule, at, (before - own.weights()[0]) / kAny});
    if (rule == "adam")
      record_row(pen, TrialRow{kUncorrected, rule, at, own.state("m")[0] / std::sqrt(own.state("v")[0])});
  }
  for (const double gradient : {1e-3, 1.0, 1e3}) {
    OwnWeights fresh = weights_under(rule, {0});
    fresh.step({gradient}, kAny);
    const double first = -fresh.weights()[0];
    record_row(pen, TrialRow{kFirst, rule, gradient, first / kAny});
    fresh.step({-gradient}, kAny);
    record_row(pen, TrialRow{kTurn, rule, gradient, (fresh.weights()[0] + first) / kAny});
  }
}

// Against the same rule without decay.
void try_decay(Recorder& pen, const std::string& rule, double gradient) {
  const auto left = [&](double decay) {
    OwnWeights own(make_optimizer({rule, {{"weight_decay", decay}}}), {1});
    for (int step = 0; step < kDecaySteps; ++step)
      own.step({step % 2 == 0 ? gradient : -gradient}, kDecayRate);
    return own.weights()[0];
  };
  record_row(pen, TrialRow{kDecay, rule, gradient, 100 * (1 - left(0.1) / left(0))});
}

uint64_t seed_of(const Config& config) { return uint64_t(config.integer("seed")); }

}  // namespace

Point start_of(const Config& config) {
  const auto place = figure::place_of_text(config.text("start"));
  return place.value_or(surface_of(config.text("surface")).start);
}

// All methods walk step by step beside each other, so that the playhead finds them at the same one.
void run_paths(const Config& config, const RunContext& context, const Pass& pass) {
  use_one_thread();
  const Surface& surface = surface_of(config.text("surface"));
  const auto steps = size_t(config.integer("steps"));
  const Attributes attributes = {{kSectionTitle, tr("paths: {}", surface.name)}, {kSurface, surface.name}};
  Recorder& pen = *context.store.add_section(kPaths, attributes, 1).at(0);
  std::vector<std::pair<std::string, Walk>> walks;
  for (const std::string& method : methods_of(config.text("paths"))) {
    pass(tr("paths"), kPathTime);
    auto [walk, row] = best_walk(surface, start_of(config), method, config.integer("steps"), seed_of(config));
    record_row(pen, row);
    walks.emplace_back(method, std::move(walk));
  }
  for (size_t i = 0; i <= steps; ++i) {
    const SpanScope span(pen, "step", int64_t(i));
    for (const auto& [method, walk] : walks)
      if (i < walk.points.size())
        record_row(pen, PathRow{method, int64_t(i), walk.points[i].x, walk.points[i].y, walk.heights[i]});
  }
}

void run_trials(const Config& config, const RunContext& context, const Pass& pass) {
  pass(tr("trials"), kOtherTime);
  Recorder& pen = *context.store.add_section(kTrials, {}, 1).at(0);
  for (const Surface& surface : surfaces())
    for (const char* method : {kNewton, kDamped, kFree, kUndamped})
      record_row(pen, best_walk(surface, surface.start, method, kTrialSteps, seed_of(config)).second);
  for (const char* rule : {"sgd", "adagrad", "rmsprop", "adadelta", "adam", kByRoot, kBySize})
    try_constant(pen, rule);
  for (const char* rule : {"adam", "adamw"})
    for (const double gradient : {kSmallGradient, 1.0, kLargeGradient}) try_decay(pen, rule, gradient);
}

}  // namespace ringside::lessons::optimizers
