// What a bfloat16 all-reduce loses, when its sum is rounded at each hop, and what it costs not to lose it.
#include <bit>
#include <cmath>

#include "ringside/base/bfloat16.h"
#include "ringside/base/ratio.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::lessons::rounding {
namespace {

using namespace ringside::rounding;

constexpr double kAllRight = 99.9;  // percent; a sum in fp32 is itself rounded, and then hits a tie sometimes
const ClaimResult kNotRun = not_testable(tr("no sum was made"));

// The largest power of two: the rings have 2, 4, 8, ... ranks.
double ranks_of(const Config& config) {
  return static_cast<double>(std::bit_floor(static_cast<uint64_t>(config.integer("ranks"))));
}
double sent(const Config& config, double bytes_an_element) {
  const double n = ranks_of(config);
  return 2 * (n - 1) / n * config.real("elements") * bytes_an_element;
}

// ---- Measured -----------------------------------------------------------------------

std::optional<WayRow> at_most_ranks(const Trace& trace, const char* way) {
  const auto rows = rows_of(trace, way);
  return rows.empty() ? std::nullopt : std::optional(rows.back());
}

// The ring's error at the most ranks against that at the fewest, in the blocks of the buffer: e grows like
// N^p, p = log(e ratio) / log(N ratio).
struct Growth {
  double times = 0;  // N ratio
  RatioInterval error;
  double power(double ratio) const { return std::log(ratio) / std::log(times); }
};
std::optional<Growth> growth(const Trace& trace) {
  const auto of = [&](int64_t ranks) {
    std::vector<double> errors;
    for (const BlockRow& row :
         rows_where<BlockRow>(trace, [&](const BlockRow& r) { return r.ranks == ranks; }))
      errors.push_back(row.relative);
    return errors;
  };
  const auto least = of(2), most = of(most_ranks(trace));
  if (most_ranks(trace) < 8 || least.size() != most.size() || least.empty()) return std::nullopt;
  for (size_t i = 0; i < least.size(); ++i)
    if (least[i] <= 0 || most[i] <= 0) return std::nullopt;
  return Growth{static_cast<double>(most_ranks(trace)) / 2, ratio_interval(most, least)};
}

const Words kPowers = {"not at all", "like √N", "like N", "like N²"};
std::optional<Words> measured_growth(const Trace& trace) {
  const auto found = growth(trace);
  if (!found) return std::nullopt;
  const double power = found->power(found->error.median);
  return Words{kPowers[power < 0.25 ? 0 : power < 0.75 ? 1 : power < 1.5 ? 2 : 3]};
}

// ---- Questions ----------------------------------------------------------------------

const Words kSameBytes = {"the same bytes"}, kTwice = {"2 times the bytes"}, kNever = {"it cannot be had"};

std::optional<Words> price(const Trace& trace) {
  const auto ring = at_most_ranks(trace, kEachHop);
  if (!ring || ring->bytes == 0) return std::nullopt;
  for (const char* way : {kAtOwner, kWide})
    if (const auto row = at_most_ranks(trace, way); row && row->right >= kAllRight)
      return row->bytes < 1.05 * ring->bytes ? kSameBytes : kTwice;
  return kNever;
}

std::optional<double> ones_that_arrive(const Trace& trace) {
  const auto rows = rows_in<ChunkRow>(trace);
  if (rows.empty()) return std::nullopt;
  return rows.back().ring - 256;  // in the last chunk rank 0 comes first
}

PredictionSpec ones() {
  return {
      .id = "ones",
      .question = tr("Rank 0 has 256, each other rank 1. A bf16 ring begins at rank 0. How many of the ones "
                     "are in its sum?"),
      .unit = tr("ones"),
      .formula = always(0.0),
      .wrong = {{tr("bf16 holds whole numbers"),
                 [](const Config& config) { return ranks_of(config) - 1; },
                 {},
                 tr("It has 8 binary digits. From 256 on its numbers are 2 apart.")},
                {tr("every second one counts"),
                 [](const Config& config) { return std::floor((ranks_of(config) - 1) / 2); },
                 {},
                 tr("257 is a tie between 256 and 258. It goes to the even one, 256, every time.")},
                {tr("rounded once, at the end"),
                 [](const Config& config) {
                   return bf16_to_float(float_to_bf16(static_cast<float>(255 + ranks_of(config)))) - 256.0;
                 },
                 {},
                 tr("So it is where one rank adds all values in fp32. A ring rounds after each.")}},
      .measured = ones_that_arrive,
      .name = tr("256 + 1"),
      .board = "sums",
      .context = tr("bf16 has 8 binary digits; what lies halfway is rounded to the even neighbour."),
      .why = tr("256 + 1 = 257 lies between 256 and 258 and is rounded to 256. The next hop adds 1 to 256 "
                "again."),
      .whole = true};
}

PredictionSpec bytes() {
  return {
      .id = "bytes",
      .question = tr("The ring carries its sum in fp32 instead, over the most ranks. What does a rank send?"),
      .unit = tr("bytes"),
      .formula = [](const Config& config) { return sent(config, 4); },
      .wrong = {{tr("only the adder is fp32"),
                 [](const Config& config) { return sent(config, 2); },
                 {},
                 tr("Then each hop would round the sum to bf16 again: that is the bf16 ring.")},
                {tr("everything to everyone"),
                 [](const Config& config) { return (ranks_of(config) - 1) * 4 * config.real("elements"); },
                 {},
                 tr("A ring cuts the buffer into N chunks and passes each around once, twice over.")}},
      .measured = [](const Trace& trace) -> std::optional<double> {
        const auto row = at_most_ranks(trace, kWide);
        return row ? std::optional(row->bytes) : std::nullopt;
      },
      .symbols =
          [](const Config& config) {
            return std::vector<Symbol>{{"N", tr("ranks"), ranks_of(config)},
                                       {"n", tr("elements"), config.real("elements")}};
          },
      .formula_text = always(std::string("8(N-1)/N n")),
      .name = tr("fp32 on the wire"),
      .board = "sums",
      .why = tr("A ring all-reduce sends 2(N-1)/N of the buffer, and an fp32 element has 4 bytes.")};
}

std::vector<PredictionSpec> predictions() {
  return {
      ask("growth", tr("A bf16 ring rounds the sum at each of its N-1 hops. How does its error grow with N?"),
          {.right = {kPowers[1]},
           .options = kPowers,
           .wrong = {{tr("only the last rounding counts"),
                      {kPowers[0]},
                      tr("Each hop adds an error of its own, and none is taken back.")},
                     {tr("every error has the same sign"),
                      {kPowers[2]},
                      tr("Half of them round up and half down. Errors of both signs add up like √N.")},
                     {tr("each hop rounds all errors again"),
                      {kPowers[3]},
                      tr("A hop adds one error. It does not multiply those before it.")}},
           .measured = measured_growth,
           .around =
               {tr("error over N"),
                tr("The k-th partial sum has a length of √k, and its rounding error is in proportion. N "
                   "errors of both signs then add up to √N times one, relative to the sum."),
                "sums"}}),
      ask("owner",
          tr("Every element right to the bit: what does that cost, beside the bytes of a bf16 ring?"),
          {.right = kSameBytes,
           .options = {kSameBytes[0], kTwice[0], kNever[0]},
           .wrong = {{tr("fp32 sums need fp32 on the wire"), kTwice,
                      tr("A partial sum does. But nobody has to send a partial sum.")},
                     {tr("bf16 cannot hold the sum"), kNever,
                      tr("It holds the exact sum rounded once, which is as right as bf16 can be.")}},
           .measured = price,
           .around =
               {tr("price"),
                tr("Each rank sends its bf16 values of a chunk to the chunk's owner, which adds all N in "
                   "fp32 and rounds once. That is (N-1)/N of the buffer, as in a ring."),
                "sums"}}),
      ones(), bytes()};
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult fp32_adder_changes_nothing(const Trace& trace) {
  const auto ring = at_most_ranks(trace, kEachHop), owner = at_most_ranks(trace, kAtOwner);
  if (!ring || !owner) return kNotRun;
  const std::string evidence =
      tr("{} ranks: this ring adds in fp32, and {:.1f} % are right; where the owner adds all, {:.2f} %",
         ring->ranks, ring->right, owner->right);
  const bool of_ring = ring->right < kAllRight, of_owner = owner->right < kAllRight;
  if (of_ring != of_owner) return {Verdict::kPartly, evidence};
  return holds_if(of_ring, evidence);
}

ClaimResult too_small(const Trace& trace) {
  const auto arrived = ones_that_arrive(trace);
  if (!arrived) return kNotRun;
  const double ones = rows_in<ChunkRow>(trace).back().exact - 256;
  return holds_if(*arrived < ones, tr("256 and {:.0f} ones: {:.0f} of them arrive", ones, *arrived));
}

ClaimResult one_result(const Trace& trace) {
  const auto rows = rows_in<WayRow>(trace);
  if (rows.empty()) return kNotRun;
  const auto parted =
      std::count_if(rows.begin(), rows.end(), [](const WayRow& row) { return !row.one_result; });
  return holds_if(parted == 0,
                  tr("{} of {} all-reduces end with other bits on some rank", parted, rows.size()));
}

ClaimResult like_the_root(const Trace& trace) {
  const auto found = growth(trace);
  if (!found) return not_testable(tr("it takes 8 ranks or more"));
  const double low = found->power(found->error.low), high = found->power(found->error.high);
  const std::string evidence = tr("N^{:.2f} [{:.2f}, {:.2f}] from 2 to {} ranks; √N is called 0.4 to 0.6",
                                  found->power(found->error.median), low, high, most_ranks(trace));
  if (low >= 0.4 && high <= 0.6) return {Verdict::kHolds, evidence};
  return high < 0.4 || low > 0.6 ? ClaimResult{Verdict::kFails, evidence}
                                 : not_testable(tr("cannot be told here: {}", evidence));
}

ClaimResult twice_the_bytes(const Trace& trace) {
  const auto ring = at_most_ranks(trace, kEachHop), wide = at_most_ranks(trace, kWide);
  if (!ring || !wide || ring->bytes == 0) return kNotRun;
  return holds_if(std::abs(wide->bytes / ring->bytes - 2) < 0.05,
                  tr("{} against {} a rank: {:.2f} times", format_bytes(wide->bytes),
                     format_bytes(ring->bytes), wide->bytes / ring->bytes));
}

Gauge right_gauge(const char* way) {
  return {tr("right, {}", way), "%", [way](const FigureInput& input) -> std::optional<double> {
            const auto row = at_most_ranks(input.trace, way);
            return row ? std::optional(row->right) : std::nullopt;
          }};
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {
      number("ranks", "N goes from 2 to this, in powers of two", "", "64", 2, 64),
      number("elements", "in the buffer of each rank", "", "64Ki", 256, 1 << 20, ParameterKind::kCount),
      choice("values", "normal, as gradients are, or all of one sign", "normal", {"normal", "positive"}),
      number("seed", "of the values", "", "0", 0, 1e9)};
  lesson.predictions = predictions();
  lesson.claims = {{"adder", "NVIDIA/nccl #1026, a maintainer, of rings",
                    tr("accumulating in fp32 would change nothing in most cases, as we're just adding two "
                       "values at each step"),
                    fp32_adder_changes_nothing},
                   {"swallowed", "NVIDIA/nccl #855, a maintainer",
                    tr("the individual value is too small to be incorporated into the total sum"), too_small},
                   {"one-result", "NVIDIA/nccl #855, a maintainer",
                    tr("all ranks should get the same value, always"), one_result},
                   {"root", "this lesson", tr("the error of a bf16 ring grows like √N"), like_the_root},
                   {"twice", "arithmetic", tr("a ring in fp32 sends twice the bytes"), twice_the_bytes}};
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.gauges = {right_gauge(kEachHop), right_gauge(kAtOwner), right_gauge(kWide)};
  lesson.words = {tr("The ranks draw their values."), tr("Now watch the ring grow."), tr("ranks"), "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::rounding
