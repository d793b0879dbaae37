// The proof as an argument: which trainings end with the same bits, and the two orders of one sum where they
// part.
#include "lesson.h"
#include "parted.h"
#include "ringside/base/float_bits.h"

namespace ringside::zero_lesson {
namespace {

using figure::Ink;

constexpr int kBoxes[kStages] = {2, 2, 2, 4};  // overlap on and off, and prefetch in stage 3

std::string row_name(const ProvenRun& run, bool one_world) {
  const std::string world = one_world ? "" : tr("N={}, ", run.proof.ranks);
  if (!run.setting) return world + run.proof.setup;
  const ProofSetting& setting = *run.setting;
  if (setting.naive) return world + tr("data parallel");
  if (run.other_order) return world + tr("g={}, other order", setting.accumulate);
  if (setting.accumulate > 1) return world + tr("g={}, same order", setting.accumulate);
  if (setting.bucket == 0) return world + tr("bucket: all of it");
  return world +
         (setting.bucket == 1 ? tr("bucket: 1 element") : tr("bucket: {}", format_count(setting.bucket)));
}

figure::Box box_of(const ProvenRun& run) {
  std::string detail = run.proof.label();
  if (run.setting && !run.setting->naive)
    detail += run.setting->overlap ? tr(", overlap on") : tr(", overlap off");
  detail += "\n" + (run.equal() ? tr("every bit equals one process that emulates the ranks")
                                : tr("first difference: {}", run.proof.where));
  return {.text = run.equal() ? "✓" : "≠",
          .ink = run.equal()       ? Ink::kActivations
                 : run.other_order ? Ink::kGradients
                                   : Ink::kAlarm,
          .detail = std::move(detail)};
}

struct Row {
  std::string name;
  std::vector<const ProvenRun*> of_stage[kStages];
  size_t equal = 0, all = 0;
};

std::vector<Row> rows_of(const std::vector<ProvenRun>& runs) {
  const bool one_world = std::ranges::all_of(
      runs, [&](const ProvenRun& run) { return run.proof.ranks == runs.front().proof.ranks; });
  std::vector<Row> rows;
  for (const ProvenRun& run : runs) {
    const std::string name = row_name(run, one_world);
    auto row = std::ranges::find(rows, name, &Row::name);
    if (row == rows.end()) row = rows.insert(rows.end(), Row{name, {}});
    const int stage = std::max(0, stage_named(run.proof.stage));  // without stages it is as stage 0
    row->of_stage[stage].push_back(&run);
    row->equal += run.equal() ? 1 : 0;
    ++row->all;
  }
  return rows;
}

// The boxes of a stage share its width. A stage without a run is left empty where others follow.
figure::BoxRow boxes_of(const Row& row) {
  figure::BoxRow boxes{.name = row.name, .boxes = {}, .word = tr("{} of {} equal", row.equal, row.all)};
  int last = 0;
  for (int stage = 0; stage < kStages; ++stage)
    if (!row.of_stage[stage].empty()) last = stage;
  for (int stage = 0; stage <= last; ++stage) {
    const auto& runs = row.of_stage[stage];
    for (const ProvenRun* run : runs) {
      boxes.boxes.push_back(box_of(*run));
      boxes.boxes.back().width = double(kBoxes[stage]) / double(runs.size());
    }
    if (runs.empty())
      boxes.boxes.push_back(
          {.text = tr("as above"), .ink = Ink::kDim, .width = double(kBoxes[stage]), .filled = false});
  }
  return boxes;
}

figure::Value no_proof(const FigureInput& input) {
  const bool off = input.config.declares("proof") && input.config.text("proof") == "off";
  return figure::Nothing{off ? tr("proof=off: this run compares no bits. Set proof to own.")
                             : tr("The last part of a run trains small models in fp32 and compares every bit "
                                  "with one process that emulates the ranks. It is still to come.")};
}

figure::Value bits(const FigureInput& input) {
  const std::vector<ProvenRun> runs = proven_runs(input.trace);
  if (runs.empty()) return no_proof(input);
  figure::Boxes boxes;
  figure::BoxRow head{.name = tr("a box a training"), .boxes = {}};
  for (int stage = 0; stage < kStages; ++stage) {
    head.boxes.push_back(
        {.text = stage_name(stage), .ink = Ink::kDim, .width = double(kBoxes[stage]), .filled = false});
  }
  boxes.rows.push_back(std::move(head));
  for (const Row& row : rows_of(runs)) boxes.rows.push_back(boxes_of(row));
  return boxes;
}

std::string bits_in_words(const FigureInput& input) {
  size_t equal = 0, all = 0, others = 0;
  const PartedAt* parted = nullptr;
  const std::vector<ProvenRun> runs = proven_runs(input.trace);
  for (const ProvenRun& run : runs) {
    (run.other_order ? others : all) += 1;
    equal += run.equal() && !run.other_order ? 1 : 0;
    if (parted == nullptr && run.other_order && run.parted) parted = &*run.parted;
  }
  if (all == 0) return "";
  if (parted == nullptr)
    return tr("{} of {} runs end with the same bits: those of this engine's order of sums.", equal, all);
  return tr("{} of {} runs end with the same bits. {} add in another order and differ from step {} on.",
            equal, all, others, parted->step);
}

// ---- The two orders of one sum ------------------------------------------------------

std::string digits_of(float value) { return fmt::format("{:.9g}", value); }

void add_bits(figure::Listing& listing, const std::string& name, float value) {
  listing.lines.push_back(
      {.text = fmt::format("  {:<20} {}", name, bits_of(value)), .value = digits_of(value)});
}

void add_sum(figure::Listing& listing, const std::string& title, const OrderedSum& sum) {
  listing.lines.push_back({.text = title});
  for (const SumStep& step : sum.steps)
    listing.lines.push_back({.text = fmt::format("  {:<20} {:>16}", step.name, digits_of(step.added)),
                             .value = digits_of(step.sum)});
  add_bits(listing, "bits", sum.total);
}

// Carets below the bits that the two differ in.
std::string differing(const std::string& a, const std::string& b) {
  std::string carets(a.size(), ' ');
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) carets[i] = '^';
  return carets;
}

void add_differing(figure::Listing& listing, float mine, float reference) {
  listing.lines.push_back(
      {.text = fmt::format("  {:<20} {}", tr("differ"), differing(bits_of(mine), bits_of(reference))),
       .value = tr("{} ulp apart", ulps_between(mine, reference))});
}

bool same_element(const PartedAt& a, const PartedAt& b) {
  return a.tensor == b.tensor && a.element == b.element && a.step == b.step;
}

// An element whose bits part: its values in each training that parts there, and the two sums of its gradient.
void add_element(figure::Listing& listing, const std::vector<const ProvenRun*>& runs,
                 const ProvenRun& first) {
  const PartedAt& at = *first.parted;
  listing.lines.push_back({.text = tr("{}[{}] after step {}", at.tensor, at.element, at.step)});
  const auto reference = float(at.reference);
  add_bits(listing, "stages 0, 1", reference);
  for (const ProvenRun* run : runs) {
    if (!same_element(*run->parted, at)) continue;
    add_bits(listing, run->parted->stage, float(run->parted->mine));
    add_differing(listing, float(run->parted->mine), reference);
    listing.lines.push_back({.text = fmt::format("  {:<20} {}", "",
                                                 tr("{} of {} elements differ", run->parted->elements,
                                                    format_count(run->parted->of_elements)))});
  }
  const OrderedSum each_rank = sum_of(first.addends, true), each_micro = sum_of(first.addends, false);
  add_sum(listing, tr("its gradient, each rank's micro-batches first (stages 0, 1)"), each_rank);
  add_sum(listing, tr("its gradient, the ranks of each micro-batch first (stages 2, 3)"), each_micro);
  add_differing(listing, each_micro.total, each_rank.total);
}

figure::Value orders(const FigureInput& input) {
  const std::vector<ProvenRun> all = proven_runs(input.trace);
  std::vector<const ProvenRun*> parted;
  for (const ProvenRun& run : all)
    if (run.parted && !run.addends.empty()) parted.push_back(&run);
  if (all.empty()) return no_proof(input);
  figure::Listing listing;
  for (size_t i = 0; i < parted.size(); ++i) {
    const auto is_told = [&](const ProvenRun* other) {
      return same_element(*other->parted, *parted[i]->parted);
    };
    if (std::none_of(parted.begin(), parted.begin() + std::ptrdiff_t(i), is_told))
      add_element(listing, parted, *parted[i]);
  }
  return listing;
}

std::string orders_in_words(const FigureInput& input) {
  for (const ProvenRun& run : proven_runs(input.trace)) {
    if (!run.parted || run.addends.empty()) continue;
    const float first = sum_of(run.addends, true).total, second = sum_of(run.addends, false).total;
    if (first == second)
      return tr("The sums of this element's gradient are equal; it parts by the norm of all gradients.");
    return tr(
        "The same {} numbers in two orders: the sums of the gradient are {} ulp apart. Nothing is wrong.",
        std::ranges::count_if(run.addends, [](const Addend& one) { return !one.at_end; }),
        ulps_between(first, second));
  }
  return "";
}

}  // namespace

std::vector<FigureOf> bit_figures() {
  return {{"bits", bits, bits_in_words}, {"orders", orders, orders_in_words}};
}

}  // namespace ringside::zero_lesson
