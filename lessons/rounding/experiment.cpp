// What a bfloat16 all-reduce loses, when its sum is rounded at each hop, and what it costs not to lose it.
#include <bit>

#include "embedded.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "rows.h"

namespace ringside::lessons::rounding {
namespace {

using namespace figure;

double ranks_of(const Config& config) { return config.real("ranks"); }

// The rings have 2, 4, 8, ... ranks.
void check_ranks(const std::string& value) {
  if (!std::has_single_bit(std::stoul(value)))
    throw UsageError(tr("ranks={}: N doubles from ring to ring; allowed are 2, 4, 8, 16, 32 and 64", value));
}

int64_t most_ranks(const Trace& trace) { return last_row_of<WayRow>(trace).ranks; }

// The ring's error grows like N^p, p = log(e ratio) / log(N ratio): at the most ranks against the fewest, in
// the blocks of the buffer.
struct Power {
  double median = 0, low = 0, high = 0;
};
Power power_in(const Trace& trace) {
  const auto errors_at = [&](int64_t ranks) {
    const auto errors = values_of(needed(rows_of<BlockRow>(trace, ranks)), &BlockRow::relative);
    if (std::ranges::min(errors) <= 0) throw NotRun();
    return errors;
  };
  const int64_t ranks = most_ranks(trace);
  const auto least = errors_at(2), most = errors_at(ranks);
  if (ranks < 8 || least.size() != most.size()) throw NotRun();
  const RatioInterval error = ratio_interval(most, least);
  const auto power = [&](double ratio) { return std::log(ratio) / std::log(double(ranks) / 2); };
  return {power(error.median), power(error.low), power(error.high)};
}

int measured_growth(const Trace& trace) {  // of the options
  const double power = power_in(trace).median;
  return power < 0.25 ? 0 : power < 0.75 ? 1 : power < 1.5 ? 2 : 3;
}

ClaimResult like_the_root(const Trace& trace) {
  if (most_ranks(trace) < 8) return not_testable(tr("it takes 8 ranks or more"));
  const auto [power, low, high] = power_in(trace);
  const bool holds = low >= 0.4 && high <= 0.6, fails = high < 0.4 || low > 0.6;
  return judged(holds   ? Verdict::kHolds
                : fails ? Verdict::kFails
                        : Verdict::kNotTestable,
                holds || fails ? "" : tr("cannot be told here: "), power, low, high, most_ranks(trace));
}

std::vector<Symbol> symbols(const Config& config) {
  return {{"N", tr("ranks"), ranks_of(config)}, {"n", tr("elements"), config.real("elements")}};
}

double rounded_once(const Config& config) {
  return bf16_to_float(float_to_bf16(float(255 + ranks_of(config)))) - 256.0;
}

// The number of ranks at the playhead; of the section of one large value, the largest.
int64_t ranks_at(const FigureInput& input) {
  if (input.section == nullptr || input.section->name() == kLarge || !input.section->has("ranks"))
    return most_ranks(input.trace);
  return input.section->integer("ranks");
}

Ink ink_of(size_t way) { return hue(way == 0 ? 1 : way == 1 ? 0 : 3); }

Value histogram(const FigureInput& input) {
  const int64_t ranks = ranks_at(input);
  Bars bars{{tr("of the elements, {} ranks", ranks), "%", false, 0.0, 100.0}, {}, {}, false};
  for (size_t way = 0; way < std::size(kWays); ++way) bars.parts.push_back({kWays[way], ink_of(way)});
  for (const auto& [of, distance, ring, owner, wide] : rows_of<DistanceRow>(input.trace, ranks))
    bars.rows.push_back({distance, {ring, owner, wide}});
  return bars;
}

std::vector<Attribute> histogram_sentence(const FigureInput& input) {
  const auto ring = row_of<WayRow>(input.trace, kEachHop, ranks_at(input)),
             owner = row_of<WayRow>(input.trace, kAtOwner, ranks_at(input));
  return {ring.ranks, ring.right, owner.right};
}

Value growth(const FigureInput& input) {
  Lines lines{{tr("ranks N"), "", true}, {tr("relative error"), "", true}, {}};
  for (size_t way = 0; way < std::size(kWays); ++way) {
    const auto rows = needed(rows_of<WayRow>(input.trace, kWays[way]));
    lines.lines.push_back({kWays[way], ink_of(way), way == 2 ? Stroke::kDots : Stroke::kMeasured,
                           points_of(rows, &WayRow::ranks, &WayRow::relative)});
  }
  const auto points = lines.lines[0].points;
  for (const double power : {0.5, 1.0}) {
    const auto like = [&](const Point& at) { return points[0].y * std::pow(at.x / points[0].x, power); };
    lines.lines.push_back({power == 1 ? tr("like N") : tr("like √N"), Ink::kDim, Stroke::kFormula,
                           points_of(points, &Point::x, like)});
  }
  return lines;
}

std::vector<Readout> readouts(const FigureInput& input) {
  std::vector<Readout> all;
  for (const WayRow& row : rows_where<WayRow>(input.trace, having(&WayRow::ranks, ranks_at(input))))
    all.push_back({row.way, tr("median {:.2f} ulp, {} sent", row.median, format_bytes(row.bytes))});
  return all;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.checks = {{"ranks", check_ranks}},
                    .run = run,
                    .questions = {{"growth", measured_growth}, {.id = "ones", .wrong = {rounded_once}}},
                    .symbols = symbols,
                    .claims = {{"root", like_the_root}},
                    .figures = {{"histogram", histogram, histogram_sentence}, {"growth", growth}},
                    .readouts = readouts});
}

}  // namespace ringside::lessons::rounding
