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

CutRow cut_of(const Trace& trace, const std::string& left_out) { return row_of<CutRow>(trace, left_out); }
CutRow noise_of(const Trace& trace) { return cut_of(trace, kSeeds); }
std::vector<CutRow> parts_of(const Trace& trace) {
  std::vector<CutRow> rows;
  for (const Part& part : kParts) rows.push_back(cut_of(trace, part.name));
  return rows;
}

// ---- What is seen -----------------------------------------------------------------------

bool is_told(const CutRow& row, const CutRow& noise, Mean mean) {
  return std::abs(row.*mean) > kTold * noise.*mean;
}
int64_t parts_told(const Trace& trace, Mean mean) {
  const CutRow noise = noise_of(trace);
  return std::ranges::count_if(parts_of(trace), [&](const CutRow& row) { return is_told(row, noise, mean); });
}
int64_t told_at_once(const Trace& trace) { return parts_told(trace, &CutRow::at_once); }
int64_t told_held_out(const Trace& trace) { return parts_told(trace, &CutRow::held_out); }
int64_t other_weights(const Trace& trace) {
  return std::ranges::count(parts_of(trace), false, &CutRow::same_weights);
}
const char* equal_or_not(bool same) { return same ? "equal" : "differ"; }

int how_many_show(const Trace& trace) {  // of the options
  const int64_t told = told_at_once(trace);
  return told == 0 ? 0 : told <= 2 ? 1 : told <= 4 ? 2 : 3;
}

ClaimResult curve_shows(const Trace& trace) {
  const int64_t all = std::size(kParts), once = told_at_once(trace), held_out = told_held_out(trace),
                end = parts_told(trace, &CutRow::at_end);
  return judged(once == all                 ? Verdict::kHolds
                : once + end + held_out > 0 ? Verdict::kPartly
                                            : Verdict::kFails,
                all, kWindow, once, end, held_out, other_weights(trace));
}

ClaimResult same_bits(const Trace& trace) {
  const CutRow row = cut_of(trace, kNothing);
  return judged(row.same_loss && row.same_weights && row.same_statistics, needed(trace.find(kWhole)).ranks(),
                equal_or_not(row.same_loss), equal_or_not(row.same_weights),
                equal_or_not(row.same_statistics));
}

// ---- Each part --------------------------------------------------------------------------

int statistics_change(const Trace& trace) {  // of the options
  const CutRow row = cut_of(trace, kStatistics);
  if (!row.same_weights) return 2;
  if (!is_told(row, noise_of(trace), &CutRow::held_out)) return 3;
  return row.same_loss ? 1 : 0;
}

ClaimResult come_back(const Trace& trace) {
  const CutRow row = cut_of(trace, kStatistics), noise = noise_of(trace);
  return judged(!is_told(row, noise, &CutRow::held_out_end), row.held_out, row.held_out_end, noise.held_out,
                noise.held_out_end);
}

ClaimResult masters_again(const Trace& trace) {
  const CutRow row = cut_of(trace, kMasters);
  return judged(row.same_weights ? Verdict::kHolds : Verdict::kPartly, std::abs(row.at_once),
                noise_of(trace).at_once, row.same_weights ? "are equal" : "differ");
}

double tenth_by_formula(const Config&) {
  return (1 - std::pow(0.9, kTenth)) / std::sqrt(1 - std::pow(0.999, kTenth));
}

double bytes_each(const Trace& trace) {
  double each = 0;
  for (const KindRow& row : needed(rows_in<KindRow>(trace)))
    if (row.kind != kStatistics) each += row.each;
  return each;
}

// ---- Figures ----------------------------------------------------------------------------

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

std::vector<Mark> cut_of_runs(const FigureInput& input) {
  const auto behind = curve(input.trace, kAllThere, kLoss);
  if (behind.empty()) return {};
  return {{tr("cut"), behind.front().x - 1}};
}

void add_line(Lines& lines, const std::string& name, Ink ink, const std::vector<Point>& points) {
  if (!points.empty()) lines.lines.push_back({name, ink, Stroke::kMeasured, points});
}

Value losses(const FigureInput& input) {
  const Trace& trace = input.trace;
  Lines lines{{tr("step")}, {tr("loss, mean of {:.0f} steps", kSmooth)}, {}};
  add_line(lines, tr("highest of other seeds"), Ink::kDim, edge_of_seeds(trace, true));
  add_line(lines, tr("lowest"), Ink::kDim, edge_of_seeds(trace, false));
  const std::string shown[] = {without(kSampler), without(kMoments), without(kSchedule), kWeightsAlone};
  for (size_t i = 0; i < std::size(shown); ++i)
    add_line(lines, shown[i], hue(i), smooth(curve(trace, shown[i], kLoss)));
  add_line(lines, kWhole, Ink::kText, smooth(needed(curve(trace, kWhole, kLoss))));
  lines.marks = cut_of_runs(input);
  for (const Mark& cut : lines.marks)
    for (Line& line : lines.lines)
      std::erase_if(line.points, [&](const Point& point) { return point.x < cut.at - kBehind; });
  return lines;
}

std::vector<Attribute> losses_sentence(const FigureInput& input) {
  const int64_t told = told_at_once(input.trace);
  return {input.is_open("show")
              ? ""
              : tr(" In the next {:.0f} steps {} of {} parts show here.", kWindow, told, std::size(kParts))};
}

std::string word(const CutRow& row, const CutRow& noise, Mean mean) {
  if (row.*mean == 0) return tr("same bits");
  return is_told(row, noise, mean) ? tr("{:+.2f}", row.*mean) : tr("in the noise");
}

Value table(const FigureInput& input) {
  const CutRow noise = noise_of(input.trace);
  Table table{columns({"left out", "next steps", "last steps", "held-out", "at its end", "weights"}), {}};
  for (const CutRow& row : rows_in<CutRow>(input.trace)) {
    if (row.left_out == kSeeds) continue;
    auto& made = table.rows.emplace_back(cells(row.left_out));
    for (const Mean mean : kMeans) made.push_back({word(row, noise, mean)});
    made.push_back({equal_or_not(row.same_weights)});
  }
  return table;
}

std::vector<Attribute> table_sentence(const FigureInput& input) {
  return {told_at_once(input.trace), told_held_out(input.trace), other_weights(input.trace)};
}

// The page's picture: what is told, not the curves that do not tell it.
std::string summary(const Config& config, const Trace& trace, int width, bool colour) {
  return picture_text(find_lesson("resume"), "table", "", config, trace, width, colour);
}

Value apart(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("distance of losses"), "", true}, {}};
  const auto whole = needed(curve(input.trace, kWhole, kLoss));
  for (size_t i = 0; i + 1 < std::size(kParts); ++i) {  // statistics have none
    std::vector<Point> points = curve(input.trace, without(kParts[i].name), kLoss);
    for (Point& point : points) point.y = std::abs(point.y - whole[size_t(point.x) - 1].y);
    points = smooth(points);
    std::erase_if(points, [](const Point& point) { return point.y <= 0; });
    add_line(lines, kParts[i].name, i < kHues ? hue(i) : Ink::kText, points);
  }
  for (const CutRow& noise : rows_of<CutRow>(input.trace, kSeeds))
    lines.marks.push_back({tr("noise of seeds"), noise.at_once, false});
  return lines;
}

// ---- Saving -----------------------------------------------------------------------------

CheckpointRow last_saved(const FigureInput& input) {
  const auto own = last_row<CheckpointRow>(input.section, input.time_ns);
  return own ? *own : needed(last_row<CheckpointRow>(input.trace.find(kWhole), input.time_ns));
}

std::vector<Readout> readouts(const FigureInput& input) {
  const CheckpointRow row = last_saved(input);
  return {{tr("a rank's file"), format_bytes(double(row.bytes))},
          {tr("copied before it is written"), format_bytes(double(row.copied))},
          {tr("a step waited for it"), tr("{:.1f} ms", row.held_up)},
          {tr("whole on the disk after"), tr("{:.1f} ms", row.ms)}};
}

std::vector<LiveLine> live(const FigureInput& input) {
  const CheckpointRow row = last_saved(input);
  return {{LivePart::kMemory, tr("copy for the checkpoint"), double(row.copied), "bytes"},
          {LivePart::kTraffic, tr("to the disk, a rank"), double(row.bytes), "bytes"}};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {{"show", how_many_show},
                                  {"statistics", statistics_change},
                                  {.id = "tenth", .right = tenth_by_formula},
                                  {"bytes", bytes_each}},
                    .claims = {{"equal", same_bits},
                               {"curve", curve_shows},
                               {"back", come_back},
                               {"masters", masters_again}},
                    .figures = {{"loss", losses, losses_sentence},
                                {"table", table, table_sentence},
                                {"apart", apart},
                                {.id = "held", .marks = cut_of_runs}},
                    .gauges = {{"at_once", [](const Trace& trace) { return double(told_at_once(trace)); }}},
                    .readouts = readouts,
                    .live = live,
                    .summary = summary});
}

}  // namespace ringside::lessons::resume
