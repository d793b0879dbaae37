// What a run shows that went on without something, against what other seeds do.
#include "embedded.h"
#include "parts.h"
#include "ringside/figures/page.h"
#include "ringside/trace/training_rows.h"

namespace ringside::lessons::resume {
namespace {

using namespace figure;

constexpr double kTold = 3;     // deviations of the seeds
constexpr double kSmooth = 5;   // steps that a point of a drawn curve is the mean of
constexpr double kBehind = 30;  // steps before the cut that are drawn
constexpr int64_t kTenth = 10;  // update behind the cut

NoiseRow noise_of(const Trace& trace) { return needed(rows_in<NoiseRow>(trace)).back(); }
CutRow cut_of(const Trace& trace, const std::string& left_out) { return row_of<CutRow>(trace, left_out); }
std::vector<CutRow> parts_of(const Trace& trace) {
  std::vector<CutRow> rows;
  for (const Part& part : kParts) rows.push_back(cut_of(trace, part.name));
  return rows;
}
bool is_told(double difference, double noise) { return std::abs(difference) > kTold * noise; }

// ---- What is seen -----------------------------------------------------------------------

int64_t told_at_once(const Trace& trace) {
  const NoiseRow noise = noise_of(trace);
  return std::ranges::count_if(parts_of(trace),
                               [&](const CutRow& row) { return is_told(row.at_once, noise.at_once); });
}
int how_many_show(const Trace& trace) {  // of the options
  const int64_t told = told_at_once(trace);
  return told == 0 ? 0 : told <= 2 ? 1 : told <= 4 ? 2 : 3;
}

ClaimResult curve_shows(const Trace& trace) {
  const NoiseRow noise = noise_of(trace);
  const auto rows = parts_of(trace);
  const auto end =
      std::ranges::count_if(rows, [&](const CutRow& row) { return is_told(row.at_end, noise.at_end); });
  const auto held_out =
      std::ranges::count_if(rows, [&](const CutRow& row) { return is_told(row.held_out, noise.held_out); });
  const auto weights = std::ranges::count(rows, false, &CutRow::same_weights);
  const int64_t once = told_at_once(trace), all = std::ssize(rows);
  return {once == all                 ? Verdict::kHolds
          : once + end + held_out > 0 ? Verdict::kPartly
                                      : Verdict::kFails,
          tr("of {} parts, each left out alone: the training loss of the next {:.0f} steps shows {}, that of "
             "the last ones {}, the first held-out loss {}; {} change the final weights",
             all, kWindow, once, end, held_out, weights)};
}

ClaimResult same_bits(const Trace& trace) {
  const CutRow row = cut_of(trace, kNothing);
  return holds_if(row.same_loss && row.same_weights && row.same_statistics,
                  tr("{} ranks: losses {}, final weights {}, statistics {}",
                     needed(trace.find(kWhole)).ranks(), row.same_loss ? "equal" : "differ",
                     row.same_weights ? "equal" : "differ", row.same_statistics ? "equal" : "differ"));
}

ClaimResult tutorial(const Trace& trace) {
  const CutRow row = cut_of(trace, kTutorial);
  const NoiseRow noise = noise_of(trace);
  const bool shows = is_told(row.at_once, noise.at_once) || is_told(row.at_end, noise.at_end);
  return {row.same_weights ? Verdict::kHolds
          : shows          ? Verdict::kFails
                           : Verdict::kPartly,
          tr("with model and optimizer, without sampler, random state and schedule: {:+.3f} in the next "
             "steps (noise {:.3f}), {:+.3f} in the last ones (noise {:.3f}); other final weights",
             row.at_once, noise.at_once, row.at_end, noise.at_end)};
}

// ---- Each part --------------------------------------------------------------------------

int statistics_change(const Trace& trace) {  // of the options
  const CutRow row = cut_of(trace, kStatistics);
  if (!row.same_weights) return 2;
  if (!is_told(row.held_out, noise_of(trace).held_out)) return 3;
  return row.same_loss ? 1 : 0;
}

ClaimResult come_back(const Trace& trace) {
  const CutRow row = cut_of(trace, kStatistics);
  const NoiseRow noise = noise_of(trace);
  return holds_if(!is_told(row.held_out_end, noise.held_out_end),
                  tr("held-out loss {:+.2f} behind the cut and {:+.2f} at the end (noise {:.2f} and {:.2f}); "
                     "the training loss is equal in each step",
                     row.held_out, row.held_out_end, noise.held_out, noise.held_out_end));
}

ClaimResult masters_again(const Trace& trace) {
  const CutRow row = cut_of(trace, kMasters);
  return {row.same_weights ? Verdict::kHolds : Verdict::kPartly,
          tr("the training loss moves by {:.4f} in the next steps (noise {:.3f}); the final weights {}",
             std::abs(row.at_once), noise_of(trace).at_once, row.same_weights ? "are equal" : "differ")};
}

ClaimResult epoch_anew(const Trace& trace) {
  const SeenRow row = needed(rows_in<SeenRow>(trace)).back();
  return holds_if(row.never + row.twice == 0,
                  tr("in the epoch of the cut {} samples are never seen and {} twice; {} once", row.never,
                     row.twice, row.once));
}

double tenth_update(const Trace& trace, const char* left_out) {
  for (const Point& point : curve(trace, kCompared, left_out))
    if (point.x == kTenth) return point.y;
  throw NotRun();
}
double tenth_without_moments(const Trace& trace) { return tenth_update(trace, kMoments); }
double tenth_by_formula(const Config&) {
  return (1 - std::pow(0.9, kTenth)) / std::sqrt(1 - std::pow(0.999, kTenth));
}

ClaimResult correction(const Trace& trace) {
  const double both = tenth_update(trace, kBothLost), moments = tenth_update(trace, kMoments),
               count = tenth_update(trace, kCount);
  return holds_if(std::abs(both - 1) < 0.01 && std::abs(moments - 1) > 0.1,
                  tr("tenth update, in learning rates: {:.2f} with both lost, {:.2f} with the moments lost "
                     "and the count kept, {:.2f} with the count lost and the moments kept",
                     both, moments, count));
}

double bytes_each(const Trace& trace) {
  double each = 0;
  for (const KindRow& row : needed(rows_in<KindRow>(trace)))
    if (row.kind != kStatistics) each += row.each;
  return each;
}

// ---- Figures ----------------------------------------------------------------------------

std::vector<Point> loss_of(const Trace& trace, const std::string& section) {
  return curve(trace.find(section), kLoss);
}

std::vector<Point> smooth(const std::vector<Point>& points) {
  std::vector<Point> means;
  for (size_t i = size_t(kSmooth) - 1; i < points.size(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < size_t(kSmooth); ++j) sum += points[i - j].y;
    means.push_back({points[i].x, sum / kSmooth});
  }
  return means;
}

// Over the trainings with other seeds, the highest or the lowest at each step.
std::vector<Point> edge_of_seeds(const Trace& trace, bool highest) {
  std::vector<Point> edge;
  for (const SectionView& section : trace.sections()) {
    const auto points = smooth(curve(&section, kLoss));
    if (!section.name().starts_with("another seed") || points.empty()) continue;
    if (edge.empty()) edge = points;
    for (size_t i = 0; i < std::min(edge.size(), points.size()); ++i)
      edge[i].y = highest ? std::max(edge[i].y, points[i].y) : std::min(edge[i].y, points[i].y);
  }
  return edge;
}

double cut_at(const Trace& trace) {
  const auto points = loss_of(trace, kAllThere);
  if (points.empty()) throw NotRun();
  return points.front().x - 1;
}

Value losses(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("loss, mean of {:.0f} steps", kSmooth)}, {}};
  for (const bool highest : {true, false})
    if (const auto edge = edge_of_seeds(input.trace, highest); !edge.empty())
      lines.lines.push_back(
          {highest ? tr("highest of other seeds") : tr("lowest"), Ink::kDim, Stroke::kMeasured, edge});
  const std::vector<std::string> shown = {without(kSampler), without(kMoments), without(kSchedule),
                                          kWeightsAlone};
  for (size_t i = 0; i < shown.size(); ++i)
    if (const auto points = smooth(loss_of(input.trace, shown[i])); !points.empty())
      lines.lines.push_back({shown[i], hue(i), Stroke::kMeasured, points});
  lines.lines.push_back(
      {kWhole, Ink::kText, Stroke::kMeasured, smooth(needed(loss_of(input.trace, kWhole)))});
  if (loss_of(input.trace, kAllThere).empty()) return lines;
  lines.marks.push_back({tr("cut"), cut_at(input.trace)});
  for (Line& line : lines.lines)
    std::erase_if(line.points, [&](const Point& point) { return point.x < cut_at(input.trace) - kBehind; });
  return lines;
}

std::string losses_sentence(const FigureInput& input) {
  const int64_t told = told_at_once(input.trace);
  if (input.is_open("show")) return tr("Each coloured run has lost something at the cut.");
  return tr(
      "Each coloured run has lost something at the cut. In the next {:.0f} steps {} of {} parts show here.",
      kWindow, told, std::size(kParts));
}

std::string word(double difference, double noise) {
  if (difference == 0) return tr("same bits");
  return is_told(difference, noise) ? tr("{:+.2f}", difference) : tr("in the noise");
}

Value table(const FigureInput& input) {
  const NoiseRow noise = noise_of(input.trace);
  Table table{columns({"left out", "next steps", "last steps", "held-out", "at its end", "weights"}), {}};
  for (const CutRow& row : rows_in<CutRow>(input.trace))
    table.rows.push_back(cells(row.left_out, word(row.at_once, noise.at_once), word(row.at_end, noise.at_end),
                               word(row.held_out, noise.held_out), word(row.held_out_end, noise.held_out_end),
                               row.same_weights ? tr("equal") : tr("differ")));
  return table;
}

std::string table_sentence(const FigureInput& input) {
  const NoiseRow noise = noise_of(input.trace);
  const auto rows = parts_of(input.trace);
  const auto held_out =
      std::ranges::count_if(rows, [&](const CutRow& row) { return is_told(row.held_out, noise.held_out); });
  return tr(
      "Seven parts, each left out alone: the next losses show {} of them, the held-out loss {}. In {} the "
      "final weights differ.",
      told_at_once(input.trace), held_out, std::ranges::count(rows, false, &CutRow::same_weights));
}

// The page's picture: what is told, not the curves that do not tell it.
std::string summary(const Config& config, const Trace& trace, int width, bool colour) {
  return picture_text(find_lesson("resume"), "table", "", config, trace, width, colour);
}

Value apart(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("distance of losses"), "", true}, {}};
  const auto whole = needed(loss_of(input.trace, kWhole));
  for (size_t i = 0; i + 1 < std::size(kParts); ++i) {  // statistics have none
    std::vector<Point> points = loss_of(input.trace, without(kParts[i].name));
    for (Point& point : points) point.y = std::abs(point.y - whole[size_t(point.x) - 1].y);
    points = smooth(points);
    std::erase_if(points, [](const Point& point) { return point.y <= 0; });
    if (!points.empty())
      lines.lines.push_back({kParts[i].name, i < kHues ? hue(i) : Ink::kText, Stroke::kMeasured, points});
  }
  if (const auto rows = rows_in<NoiseRow>(input.trace); !rows.empty())
    lines.marks.push_back({tr("noise of seeds"), rows.back().at_once, false});
  return lines;
}

Value held_out(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("held-out loss")}, {}};
  for (const auto& [section, ink] : {std::pair{without(kStatistics), hue(1)},
                                     {without(kMoments), hue(2)},
                                     {std::string(kWhole), Ink::kText}})
    if (const auto points = curve(input.trace.find(section), kHeldOut); !points.empty())
      lines.lines.push_back({section, ink, Stroke::kMeasured, points});
  if (!loss_of(input.trace, kAllThere).empty()) lines.marks.push_back({tr("cut"), cut_at(input.trace)});
  return lines;
}

Value seen(const FigureInput& input) {
  Bars bars{{tr("samples of the epoch")},
            {{tr("never"), Ink::kOther}, {tr("once"), hue(0)}, {tr("twice"), hue(1)}},
            {}};
  for (const SeenRow& row : rows_in<SeenRow>(input.trace))
    bars.rows.push_back(
        {tr("the sampler {}", row.sampler), {double(row.never), double(row.once), double(row.twice)}});
  return bars;
}

BarRow kinds(const KindRow& row) { return {row.kind, {row.each}, format_bytes(double(row.bytes))}; }

// ---- Saving -----------------------------------------------------------------------------

std::vector<CheckpointRow> saved(const FigureInput& input) {
  auto rows = rows_in<CheckpointRow>(input.section, input.time_ns);
  return rows.empty() ? rows_in<CheckpointRow>(input.trace.find(kWhole), input.time_ns) : rows;
}

std::vector<Readout> readouts(const FigureInput& input) {
  const auto rows = saved(input);
  if (rows.empty()) return {};
  const CheckpointRow& row = rows.back();
  return {{tr("a rank's file"), format_bytes(double(row.bytes))},
          {tr("copied before it is written"), format_bytes(double(row.copied))},
          {tr("a step waited for it"), tr("{:.1f} ms", row.held_up)},
          {tr("whole on the disk after"), tr("{:.1f} ms", row.ms)}};
}

std::vector<LiveLine> live(const FigureInput& input) {
  const auto rows = saved(input);
  if (rows.empty()) return {};
  return {{LivePart::kMemory, tr("copy for the checkpoint"), double(rows.back().copied), "bytes"},
          {LivePart::kTraffic, tr("to the disk, a rank"), double(rows.back().bytes), "bytes"}};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"show", how_many_show},
                     {"statistics", statistics_change},
                     {.id = "tenth", .measured = tenth_without_moments, .right = tenth_by_formula},
                     {"bytes", bytes_each}},
       .claims = {{"equal", same_bits},
                  {"curve", curve_shows},
                  {"tutorial", tutorial},
                  {"back", come_back},
                  {"masters", masters_again},
                  {"epoch", epoch_anew},
                  {"correction", correction}},
       .figures = {{"loss", losses, losses_sentence},
                   {"table", table, table_sentence},
                   {"apart", apart},
                   {"held", held_out},
                   {"seen", seen},
                   {"kinds", bars_of_each(kinds, {tr("bytes a parameter")}, {tr("bytes")})}},
       .gauges = {{"at_once", [](const Trace& trace) { return double(told_at_once(trace)); }},
                  {"noise", [](const Trace& trace) { return noise_of(trace).at_once; }}},
       .readouts = readouts,
       .live = live,
       .summary = summary});
}

}  // namespace ringside::lessons::resume
