#include "gauges.h"

#include "measure.h"
#include "ringside/lesson/tr.h"

namespace ringside::zero_lesson {
namespace {

// Of a section that trains, once a step has ended.
bool has_trained(const FigureInput& input) {
  return input.section != nullptr && input.section->ranks() > 0 && input.section->has("parameters") &&
         state_bytes(input.trace, *input.section).has_value();
}

std::optional<double> sent(const FigureInput& input) {
  return has_trained(input) ? sent_a_step(input.trace, *input.section) : std::nullopt;
}

std::optional<double> peak(const FigureInput& input) {
  if (!has_trained(input)) return std::nullopt;
  return static_cast<double>(peak_bytes(input.trace, *input.section)) / kMib;
}

std::optional<double> state(const FigureInput& input) {
  if (!has_trained(input)) return std::nullopt;
  return *state_bytes(input.trace, *input.section) / kMib;
}

}  // namespace

// No time: between two runs the load of the machine changes more than most changes do.
std::vector<Gauge> gauges() {
  return {{tr("sent"), "Ψ", sent}, {tr("peak"), "MiB", peak}, {tr("state"), "MiB", state}};
}

}  // namespace ringside::zero_lesson
