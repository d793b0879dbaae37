// The pictures of what is measured on blocks of numbers. training_figures.cpp has those of the trainings.
#include "parts.h"

namespace ringside::lessons::norms {
namespace {

using namespace figure;

// ---- The block ----------------------------------------------------------------------------

// By norm and input: which outputs it moves. Inputs that move the same ones are of one set.
using Sets = std::map<std::pair<std::string, int64_t>, std::vector<int64_t>>;

Sets sets_of(const std::vector<CellRow>& rows) {
  Sets sets;
  for (const CellRow& row : rows) sets[{row.norm, row.changed}].push_back(row.cell);
  return sets;
}

std::string group_of(const Sets& sets, const std::string& norm, int64_t cell) {
  const auto found = sets.find({norm, cell});
  return found == sets.end() ? "" : fmt::format("{} {}", norm, fmt::join(found->second, " "));
}

Box box_of(const Sets& sets, const std::string& norm, const Cell& cell, int64_t changed) {
  const int64_t index = cell.index();
  const auto found = sets.find({norm, changed}), own = sets.find({norm, index});
  const bool moves = found != sets.end() && std::ranges::count(found->second, index) > 0;
  Box box{"", moves ? hue(0) : Ink::kDim, 1, moves};
  if (index == changed) box.text = "x", box.ink = Ink::kAccent;
  box.detail = tr("{}: sample {}, token {}, feature {}", norm, cell.sample, cell.token, cell.feature);
  if (sets.empty()) return box;
  box.detail += own == sets.end() ? tr(" is in no set") : tr(" is in a set of {}", std::ssize(own->second));
  box.group = group_of(sets, norm, index);
  for (const std::string& other : kNames)
    if (const std::string group = group_of(sets, other, index); !group.empty()) box.lights.push_back(group);
  return box;
}

// A row of boxes a token; the norms stand side by side. A question that is open hides which outputs moved.
Value cells(const FigureInput& input) {
  const SectionView* section = input.trace.find(kCells);
  const auto rows = needed(rows_in<CellRow>(section));
  const int64_t changed = section->integer(kChanged);
  const bool open = input.is_open("cells");
  const Sets sets = open ? Sets() : sets_of(rows);
  Boxes all;
  for (const std::string& norm : kNames) {
    std::vector<std::vector<Box>> tokens;
    for (int64_t b = 0; b < kSamples; ++b)
      for (int64_t t = 0; t < kTokens; ++t) {
        tokens.emplace_back();
        for (int64_t h = 0; h < kFeatures; ++h)
          tokens.back().push_back(box_of(sets, norm, {b, t, h}, changed));
      }
    add_beside(all, norm, tokens);
  }
  for (int64_t row = 0; row < kSamples * kTokens; ++row) {
    const Cell first{row / kTokens, row % kTokens};
    all.rows[size_t(row) + 1].name = tr("sample {}, token {}", first.sample, first.token);
    if (first.is_padding()) all.rows[size_t(row) + 1].word = tr("padding");
  }
  return all;
}

std::string cells_sentence(const FigureInput& input) {
  if (input.is_open("cells")) return "";
  needed(rows_in<CellRow>(input.trace));
  if (!input.open.empty())
    return tr("Outputs that x moved are filled. Point at a number: its sets light up.");
  return tr(
      "x moves {} outputs under layer norm and {} under batch norm: the set of numbers that share its mean.",
      moved_under(input.trace, "layer").count, moved_under(input.trace, "batch").count);
}

// ---- Curves -------------------------------------------------------------------------------

// With a mask all of them are one line: the highest at each x.
void add_masked(Lines& lines, const FigureInput& input, const char* section, const Words& names) {
  Line masked{tr("each of them, with a token mask"), Ink::kDim, Stroke::kDots, {}};
  for (const std::string& name : names) raise(masked.points, curve(input.trace, section, name));
  if (!masked.points.empty()) lines.lines.push_back(std::move(masked));
}

Value padding(const FigureInput& input) {
  Lines lines = lines_of(input.trace.find(kPadding), {tr("positions of padding behind each sample")},
                         {tr("change of the real tokens' outputs")}, kNames);
  add_masked(lines, input, kMasked, kNames);
  return lines;
}

Value positions(const FigureInput& input) {
  const Words sets = {kOverTokens, kByPosition, kByLayer};
  Lines lines = lines_of(input.trace.find(kPositions), {tr("position of the token")},
                         {tr("distance from no padding, in deviations")}, sets);
  add_masked(lines, input, kMaskedPositions, sets);
  return lines;
}

std::vector<Attribute> descent_sentence(const FigureInput& input) {
  const double raw = needed(steepness_of(input.trace, kRaw));
  return {raw, steepness_of(input.trace, kByBatch), steepness_of(input.trace, kAlike),
          steepness_of(input.trace, kByRms)};
}
std::vector<Attribute> spectrum_sentence(const FigureInput& input) {
  const double raw = needed(first_of(input.trace, kCurvature, kRaw));
  return {raw, first_of(input.trace, kCurvature, kByBatch), first_of(input.trace, kCurvature, kByLayer)};
}
std::vector<Attribute> classifier_sentence(const FigureInput& input) {
  needed(curve(input.trace, kFall, kByLayer));
  const auto steps = [&](const char* features) { return in_words(steps_to_target(input.trace, features)); };
  return {kTarget, steps(kRaw), steps(kByBatch), steps(kByLayer)};
}

Value turns(const FigureInput& input) {
  Words names;
  for (const auto& [rate, decay] : kRates) names.push_back(name_of(rate, decay));
  Lines lines = lines_of(input.trace.find(kTurns), {tr("steps of SGD")},
                         {tr("degrees by which a step turns the weight"), "", true}, names);
  lines.marks = {{tr("√(2 rate decay)"), turn_at_rest(kRates[1].first, kRates[1].second), false}};
  return lines;
}

Value times(const FigureInput& input) {
  Bars bars;
  bars.value = {tr("forward and backward"), "s"};
  bars.parts = {{tr("median"), hue(0)}};
  for (const char* name : {kByLayer, kByRms, kLayerStep, kRmsStep})
    if (const double ns = median_ns(input.trace.find(kTimes), name); !std::isnan(ns))
      bars.rows.push_back({name, {ns * 1e-9}});
  return bars;
}

}  // namespace

std::vector<FigureOf> figures() {
  return {{"cells", cells, cells_sentence},
          statistics("mean", kMean, false),
          statistics("variance", kVariance, true),
          {"hashes", hashes, hashes_sentence},
          {"padding", padding},
          {"positions", positions},
          {"descent", {}, descent_sentence},
          {"spectrum", {}, spectrum_sentence},
          {"classifier", {}, classifier_sentence},
          {"turns", turns},
          {"times", times}};
}

}  // namespace ringside::lessons::norms
