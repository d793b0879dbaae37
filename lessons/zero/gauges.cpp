#include "lesson.h"

#include "measure.h"

namespace ringside::zero_lesson {
namespace {

// A figure of the section watched, once a step of it has ended.
using Measured = std::optional<double> (*)(const Trace&, const SectionView&);
auto after_step(Measured value) {
  return [value](const FigureInput& input) {
    const bool trained = input.section != nullptr && figure::state_after_step(input.trace, *input.section);
    return trained ? value(input.trace, *input.section) : std::nullopt;
  };
}

std::optional<double> peak(const Trace& trace, const SectionView& section) {
  return static_cast<double>(figure::peak_bytes(trace, section)) / kMib;
}
std::optional<double> state(const Trace& trace, const SectionView& section) {
  return figure::state_after_step(trace, section)->total() / kMib;
}

}  // namespace

std::vector<GaugeOf> gauges() {
  return {
      {"sent", after_step(figure::sent_a_step)}, {"peak", after_step(peak)}, {"state", after_step(state)}};
}

}  // namespace ringside::zero_lesson
