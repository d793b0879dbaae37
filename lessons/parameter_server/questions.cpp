// What is right in the questions of questions.inc, and what people believe instead.
#include <cmath>

#include "embedded.h"
#include "read.h"
#include "ringside/lesson/question_text.h"

namespace ringside::parameter_server_lesson {
namespace {

constexpr double kMeanTime =
    1 + kStraggling * (kStragglingFactor - 1);  // of an iteration; 1: without straggling

// An iteration of BSP ends with its slowest worker: 1 where nobody straggles, else the factor.
double idle_of_bsp(const Config& config) {
  const double one_straggles = 1 - std::pow(1 - kStraggling, config.real("workers"));
  return 100 * (1 - kMeanTime / (1 + one_straggles * (kStragglingFactor - 1)));
}

std::optional<double> measured_idle(const Trace& trace) {
  const auto bsp = rule_of(trace, "random", kBsp);
  return bsp ? std::optional(bsp->idle) : std::nullopt;
}

const auto kBlocks = [] { return TextBlocks(lessons::parameter_server::embedded("questions.inc")); };

// The option of that number of a question in words.
Words option(const std::string& question, size_t nth) {
  std::string text = kBlocks()[question].all("option").at(nth);
  return {text.starts_with("* ") ? text.substr(2) : text};
}

std::optional<Words> without_stragglers(const Trace& trace) {
  const auto asp = rule_of(trace, "none", kAsp);
  if (!asp) return std::nullopt;
  return option("none", asp->low > 1 ? 2 : asp->high < 1 ? 0 : 1);
}

std::optional<Words> with_a_slow_one(const Trace& trace) {
  const auto bsp = rule_of(trace, "slow", kBsp), ssp = rule_of(trace, "slow", kFew);
  if (!bsp || !ssp) return std::nullopt;
  const double more = (100 - ssp->idle) / (100 - bsp->idle);  // time of computing
  return option("slow", more < 1.5 ? 2 : more < 3 ? 1 : 0);
}

std::optional<Words> read_again(const Trace& trace) {
  const auto one = copies_of(trace, 2, 1);
  if (!one) return std::nullopt;
  return option("kills", one->lost > 0 ? 2 : one->seconds < 0.02 ? 0 : 1);
}

std::optional<double> mean_of_four(const Trace& trace) {
  for (const figure::Point& point : curve(trace, kTraffic, kMeanServer))
    if (point.x == 4) return point.y;
  return std::nullopt;
}

ByScenario workers(double times) {
  return [times](const Config& config) { return times * config.real("workers"); };
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  const TextBlocks blocks = kBlocks();
  const double once = 1.0 / kBatches;  // the first sends the lists
  std::vector<PredictionSpec> all = {
      number_question(blocks["idle"], idle_of_bsp,
                      {always(100 * kStraggling), always(100 * (1 - 1 / kMeanTime)),
                       always(100 * (1 - kMeanTime / kStragglingFactor))},
                      measured_idle),
      word_question(blocks["none"], without_stragglers),
      word_question(blocks["slow"], with_a_slow_one),
      word_question(blocks["kills"], read_again),
      number_question(blocks["half"], always(100.0 / 6), {always(50.0), always(25.0)},
                      [](const Trace& trace) { return saved_by(trace, kHalf); }),
      number_question(blocks["caching"], always(100 * 2.0 / 3 * (1 - once)),
                      {always(50.0), always(100.0 / 3)},
                      [](const Trace& trace) { return saved_by(trace, kRepeated); }),
      number_question(blocks["traffic"], workers(2.0 / 4), {always(2.0), workers(2), workers(1.0 / 4)},
                      mean_of_four)};
  for (PredictionSpec& spec : all) spec.figure = "ring";
  return all;
}

}  // namespace ringside::parameter_server_lesson
