// Megatron's three kinds of parallelism, each by what it sends; and the schedules of a pipeline.
#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/parameter_specs.h"

namespace ringside::lessons::megatron {
namespace {

constexpr double kMiB = 1 << 20;

double ranks(const Config& config) { return std::stod(config.text("ranks")); }
double micros(const Config& config) { return double(config.integer("accumulate")); }
double layers(const Config& config) { return double(config.integer("layers")); }
double parameters(const Config& config) { return parameter_bytes(config) / kMiB; }
double activations(const Config& config) { return activation_bytes(config) / kMiB; }

std::vector<Symbol> symbols(const Config& config) {
  return {{"P", tr("MiB of all parameters"), parameters(config)},
          {"A", tr("MiB of B T H, a micro-batch between two layers"), activations(config)},
          {"L", tr("layers"), layers(config)},
          {"m", tr("micro-batches"), micros(config)},
          {"N", tr("ranks"), ranks(config)}};
}

double dp_measured(const Trace& trace) { return mean_sent(trace, kData).dp / kMiB; }
double tp_measured(const Trace& trace) {  // of the layers: the embedding has one more all-reduce
  const SectionView& section = ended(trace, kTensor);
  return layer_bytes(trace, section) * double(section.integer("units") - 2) / kMiB;
}
double pp_measured(const Trace& trace) {
  const auto p = double(ended(trace, kPipe).ranks());
  return mean_sent(trace, kPipe).pp * p / (p - 1) / kMiB;
}

double bubble_measured(const Trace& trace) { return 100 * passes_of(trace, kPipe).equal().bubble_of_whole(); }
double live_right(const Config& c) { return std::min(micros(c), ranks(c)); }
double live_measured(const Trace& trace) { return passes_of(trace, kPipe).kept(); }

int sequence_measured(const Trace& trace) {  // of the options
  const double bytes = mean_sent(trace, kSequence).tp / mean_sent(trace, kTensor).tp;
  const double memory = peak_activations(trace, kSequence) / peak_activations(trace, kTensor);
  if (memory > 0.9) return bytes < 0.9 ? 0 : -1;
  return bytes > 1.1 ? 3 : bytes < 0.9 ? 2 : 1;
}

std::vector<Readout> readouts(const FigureInput& input) {
  if (input.is_open("live") || input.is_open("bubble")) return {};
  const Passes passes = passes_of(input.trace, kPipe);
  return {{tr("stage 0 keeps, 1F1B"), tr("{:.3g} micro-batches", passes.kept())},
          {tr("waits, 1F1B"), tr("{:.0f} % of a step", bubble_measured(input.trace))}};
}

std::string failed_check(const Trace& trace) {
  for (const BitRow& row : rows_in<BitRow>(trace))
    if (!row.same) return tr("'{}' does not end with the bits of one process", row.run);
  return "";
}

void check_pipeline(const std::string& typed) {
  if (const TypedSizes sizes = sizes_of(typed); sizes.stages > 0)
    ringside::schedule_of(typed, sizes.stages, sizes.micro_batches, sizes.chunks);
  else
    ringside::schedule_of(typed, 2, 2, least_chunks(typed));
}
void check_link(const std::string& typed) { parse_link(typed); }

std::vector<ParameterSpec> parameters_of_lesson() {
  std::vector<std::string> known = schedules();
  known.push_back("F0 F1 B0 B1 / F0 B0 F1 B1");
  return {text("pipeline", tr("the schedule that is looked at; or passes of your own, a stage behind each /"),
               kPipe, known, check_pipeline),
          text("link", tr("between stages, on the virtual clock: none, or {}", link_figures()), "none",
               link_names(), check_link)};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.parameters = parameters_of_lesson(),
       .run = run,
       .questions = {{"dp", dp_measured},
                     {"tp", tp_measured},
                     {"pp", pp_measured},
                     {"bubble", bubble_measured},
                     {.id = "live", .measured = live_measured, .right = live_right},
                     {"sequence", sequence_measured}},
       .symbols = symbols,
       .claims = claims(),
       .figures = figures(),
       .gauges = {{"dp", dp_measured}, {"tp", tp_measured}, {"pp", pp_measured}, {"bubble", bubble_measured}},
       .readouts = readouts,
       .failed_check = failed_check});
}

}  // namespace ringside::lessons::megatron
