// Where a step's time goes, stage by stage; when it goes there; each collective; the case.
#include "parts.h"

namespace ringside::lessons::step_time {
namespace {

using namespace figure;

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
  const auto ratio = to_stage_0(input.trace, 3);
  return {
      needed(last.all().bytes / first.all().bytes),
      ratio && is_told(*ratio)
          ? tr(" and takes {:.2f} times as long", ratio->median)
          : tr("; that it takes longer cannot be told. {:.0f} % of its step are waits for ranks or a core",
               100 * last.others / last.step)};
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

TableCell ms(double seconds) { return cell(1e3 * seconds); }

Value collectives(const FigureInput& input) {
  Table table{columns({"stage", "carries", "calls []", "sent", "by the link [ms]", "on the wire [ms]",
                       "hidden [ms]", "exposed [ms]"}),
              {}};
  for (int stage = 0; stage < kStages; ++stage) {
    const auto step = median_step(input.trace, stage);
    if (!step) continue;
    for (const StepCall kind : kStepCalls) {
      const Carried& one = step->of(kind);
      if (one.calls == 0) continue;
      table.rows.push_back(cells(stage, std::string(to_string(kind)), one.calls, format_bytes(one.bytes),
                                 ms(one.model), ms(one.wire), ms(one.hidden()), ms(one.exposed)));
    }
  }
  return table;
}

std::vector<Attribute> collectives_sentence(const FigureInput& input) {
  const auto exposed = [](const Carried& one) { return one.wire > 0 ? 100 * one.exposed / one.wire : 0; };
  return {exposed(step_of(input.trace, 1).of(StepCall::kUpdateGather)),
          exposed(step_of(input.trace, 3).all())};
}

// By formula: what the presets do to the case.
Value the_case(const FigureInput& input) {
  const Case real;
  Table table{columns({"link", "all-reduce [s]", "of a computation []"}), {}};
  for (int stage = 0; stage < kStages; ++stage) table.columns.push_back({tr("stage {}", stage), "s", true});
  const double computes = step_at_best(input.config, {}, 0);
  for (const LinkModel& link : link_presets()) {
    const double all_reduce = 2 * real.half_bytes() / link.bytes_per_s;
    table.rows.push_back(cells(link.name, all_reduce, all_reduce / computes));
    for (int stage = 0; stage < kStages; ++stage)
      table.rows.back().push_back(cell(step_at_best(input.config, link, stage)));
    if (link.name == input.config.text("link")) table.lit = {table.rows.size() - 1};
  }
  return table;
}

std::vector<Attribute> case_sentence(const FigureInput&) {
  const Case real;
  return {real.parameters * 1e-9, real.ranks, real.tokens, real.compute_s()};
}

}  // namespace

// Whether the trainings are to their link what the case is to its own, and what the rule of step_at_best()
// says at each.
std::vector<Readout> readouts(const FigureInput& input) {
  const StepAccount step = step_of(input.trace, 0);
  const SectionView& section = *input.trace.find(section_of(0));
  LinkModel link = parse_link(input.config.text("link"));
  if (!section.has(kSlower) || !link.simulated() || !(step.compute > 0)) return {};
  const auto rule = [&] { return step_at_best(input.config, link, 3) / step_at_best(input.config, link, 0); };
  const double computes = step_at_best(input.config, {}, 0),
               in_the_case = 2 * Case().half_bytes() / link.bytes_per_s / computes,
               here = step.of(StepCall::kGradients).model / step.compute, by_rule = rule();
  std::vector<Readout> all = {
      {tr("all-reduce against computation"), tr("{:.2f} here, {:.2f} in the case", here, in_the_case)},
      {tr("simulated link"), tr("{}, {:.0f} times slower", link.name, section.number(kSlower))}};
  link.bytes_per_s *= in_the_case / here;
  if (!input.is_open("factor"))
    all.push_back(
        {tr("stage 3 by the rule"), tr("{:.2f} times stage 0 here, {:.2f} in the case", rule(), by_rule)});
  return all;
}

std::vector<FigureOf> figures() {
  return {{"parts", parts, parts_sentence},
          {"timeline", timeline},
          {"collectives", collectives, collectives_sentence},
          {"case", the_case, case_sentence}};
}

}  // namespace ringside::lessons::step_time
