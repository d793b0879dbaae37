// Where a step's time goes, stage by stage; when it goes there; each collective; the case.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::step_time {

std::string crowded(const Trace& trace) {
  const SectionView* section = trace.find(section_of(0));
  if (is_crowded(trace, section))
    return tr("cannot be told here: {} ranks share {} {}, and the link takes less time than they compute",
              section->ranks(), section->integer(kCores), section->integer(kCores) == 1 ? "core" : "cores");
  for (int stage = 0; stage < kStages; ++stage)
    if (const auto step = median_step(trace, stage); step && step->others > kMostOthers * step->step)
      return tr("cannot be told here: {:.0f} % of stage {}'s step are waits for ranks or a core",
                100 * step->others / step->step, stage);
  return "";
}

namespace {

using namespace figure;

StepAccount step_of(const Trace& trace, int stage) { return needed(median_step(trace, stage)); }
double last_to_first(const Trace& trace) { return step_of(trace, 3).step / step_of(trace, 0).step; }

// Of the steps' times.
std::optional<RatioInterval> to_stage_0(const Trace& trace, int stage) {
  if (!crowded(trace).empty()) return std::nullopt;
  return step_ratio(trace, trace.find(section_of(stage)), trace.find(section_of(0)));
}
bool is_told(const RatioInterval& ratio) { return side_of(ratio, 1) != Side::kAround; }

constexpr double kAny = 1e9;

// ---- How many times as long -------------------------------------------------------

constexpr const char* kFactors[] = {"about as long", "up to 1.45 times as long", "1.45 to 2 times as long",
                                    "more than 2 times as long"};
Words factor(double ratio) { return {kFactors[ratio < 1.05 ? 0 : ratio < 1.45 ? 1 : ratio < 2 ? 2 : 3]}; }

Words measured_factor(const Trace& trace) {
  const auto ratio = to_stage_0(trace, 3);
  if (!ratio || (!is_told(*ratio) && factor(ratio->high) != factor(1))) return {};
  return factor(ratio->median);
}
Words factor_by_formula(const Config& config) {
  return factor(step_at_best(config, 3) / step_at_best(config, 0));
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult compare(const Trace& trace, int stage, double least, double most, const std::string& words) {
  if (const std::string why = crowded(trace); !why.empty()) throw NotRun{why};
  return judge_ratio(step_seconds(trace, stage), step_seconds(trace, 0), least, most, words);
}
ClaimResult is_slower(const Trace& trace) { return compare(trace, 3, 1, kAny, tr("times as long")); }
ClaimResult is_free(const Trace& trace) { return compare(trace, 1, 0, 1.03, tr("times as long as stage 0")); }

ClaimResult as_its_bytes(const Trace& trace) {
  const double bytes = needed(step_of(trace, 3).all().bytes / step_of(trace, 0).all().bytes);
  return compare(trace, 3, 0.95 * bytes, 1.05 * bytes, tr("times as long for {:.2f} times the bytes", bytes));
}

// ---- Figures --------------------------------------------------------------------------

Value parts(const FigureInput& input) {
  Bars bars{{tr("a step"), "s"},
            {{tr("computes"), Ink::kActivations},
             {tr("waits for parameters"), Ink::kParameters},
             {tr("for gradients"), Ink::kGradients},
             {tr("for the norm"), Ink::kOptimizer},
             {tr("for ranks or a core"), Ink::kOther}},
            {}};
  for (int stage = 0; stage < kStages; ++stage) {
    const auto step = median_step(input.trace, stage);
    if (!step) continue;
    const double gathers = step->of(StepCall::kForwardGather).exposed +
                           step->of(StepCall::kBackwardGather).exposed +
                           step->of(StepCall::kUpdateGather).exposed;
    std::string against;
    if (const auto ratio = to_stage_0(input.trace, stage); ratio && stage > 0)
      against = is_told(*ratio) ? tr("× {}", to_text(*ratio)) : tr("not told from stage 0");
    bars.rows.push_back({section_of(stage),
                         {step->compute, gathers, step->of(StepCall::kGradients).exposed,
                          step->of(StepCall::kNorm).exposed, step->others},
                         against});
  }
  return bars;
}

std::vector<Attribute> parts_sentence(const FigureInput& input) {
  const StepAccount first = step_of(input.trace, 0), last = step_of(input.trace, 3);
  const double bytes = needed(last.all().bytes / first.all().bytes);
  const auto ratio = to_stage_0(input.trace, 3);
  if (ratio && is_told(*ratio)) return {bytes, tr(" and takes {:.2f} times as long", ratio->median)};
  std::string why = crowded(input.trace);
  if (why.empty())
    why = ratio ? tr("cannot be told here: {} times, rounds: {}", to_text(*ratio), ratio->rounds)
                : tr("cannot be told here");
  return {bytes, tr("; that it takes longer {}", why)};
}

Ink ink_of_piece(const std::string& what) {
  if (what.ends_with("parameters") || what.ends_with("gather")) return Ink::kParameters;
  if (what.ends_with("gradients")) return Ink::kGradients;
  return what.ends_with("norm") ? Ink::kOptimizer : Ink::kActivations;
}

Value timeline(const FigureInput& input) {
  Lanes lanes{{tr("from the beginning of the step"), "s"}, {}, {}};
  for (int stage = 0; stage < kStages; ++stage) {
    const auto step = median_step(input.trace, stage);
    if (!step) continue;
    const size_t rank = lanes.lanes.size();
    lanes.lanes.insert(lanes.lanes.end(), {tr("stage {}", stage), tr("its link")});
    for (const StepPiece& piece : step->rank)
      lanes.items.push_back({rank, piece.from, piece.to, piece.what, ink_of_piece(piece.what),
                             !piece.what.starts_with("wait for")});
    for (const StepPiece& piece : step->wire)
      lanes.items.push_back({rank + 1, piece.from, piece.to, piece.what, ink_of_piece(piece.what)});
  }
  return lanes;
}

// By formula: what the presets do to the case.
Value the_case(const FigureInput& input) {
  Table table{columns({"link", "all-reduce [s]", "of a computation []"}), {}};
  for (int stage = 0; stage < kStages; ++stage) table.columns.push_back({tr("stage {}", stage), "s", true});
  const double computes = step_at_best(input.config, {}, 0);
  for (const LinkModel& link : link_presets()) {
    const double all_reduce = 2 * kCase.half_bytes() / link.bytes_per_s;
    table.rows.push_back(cells(link.name, all_reduce, all_reduce / computes));
    for (int stage = 0; stage < kStages; ++stage)
      table.rows.back().push_back(cell(step_at_best(input.config, link, stage)));
    if (link.name == input.config.text("link")) table.lit = {table.rows.size() - 1};
  }
  return table;
}

std::vector<Attribute> case_sentence(const FigureInput&) {
  return {kCase.parameters * 1e-9, kCase.ranks, kCase.tokens, kCase.compute_s()};
}

// Whether the trainings are to their link what the case is to its own, and what the rule of step_at_best()
// says at each.
std::vector<Readout> readouts(const FigureInput& input) {
  const StepAccount step = step_of(input.trace, 0);
  const SectionView& section = *input.trace.find(section_of(0));
  LinkModel link = parse_link(input.config.text("link"));
  if (!section.has(kSlower) || !link.simulated() || !(step.compute > 0)) return {};
  const auto rule = [&] { return step_at_best(input.config, link, 3) / step_at_best(input.config, link, 0); };
  const double computes = step_at_best(input.config, {}, 0),
               in_the_case = 2 * kCase.half_bytes() / link.bytes_per_s / computes,
               here = step.of(StepCall::kGradients).model / step.compute, by_rule = rule();
  std::vector<Readout> all = {
      {tr("all-reduce against computation"), tr("{:.2f} here, {:.2f} in the case", here, in_the_case)},
      {tr("simulated link"), tr("{}, {:.0f} times slower", link.name, section.number(kSlower))}};
  link.bytes_per_s *= in_the_case / here;
  if (input.is_open("factor")) return all;
  const double by_rule_here = rule();
  const auto ratio = to_stage_0(input.trace, 3);
  const bool other = ratio && side_of(*ratio, by_rule_here) != Side::kAround;
  all.push_back(
      {tr("stage 3 by the rule"), tr("{:.2f} times stage 0 here{}, {:.2f} in the case", by_rule_here,
                                     other ? tr(" (measured: {})", to_text(*ratio)) : "", by_rule)});
  return all;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.parameters = parameter_specs(),
                    .run = run,
                    .questions = {{"factor", measured_factor, factor_by_formula}},
                    .claims = {{"slower", is_slower}, {"as_bytes", as_its_bytes}, {"free", is_free}},
                    .figures = {{"parts", parts, parts_sentence},
                                {"timeline", timeline},
                                {"case", the_case, case_sentence}},
                    .gauges = {{"ratio", last_to_first}},
                    .readouts = readouts});
}

}  // namespace ringside::lessons::step_time
