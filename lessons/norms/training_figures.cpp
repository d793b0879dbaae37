// The pictures of the three trainings.
#include "parts.h"

namespace ringside::lessons::norms {
namespace {

using namespace figure;

// ---- Statistics as training goes ------------------------------------------------------------

// The training that is watched, as far as the playhead has come; the ranks' own, all of it, where another
// section is.
struct InSight {
  const SectionView* section = nullptr;
  int64_t until_ns = std::numeric_limits<int64_t>::max();
  explicit InSight(const FigureInput& input) : section(input.trace.find(kOwn)) {
    const bool trains = input.section != nullptr && !rows_in<HashRow>(input.section).empty();
    if (trains) section = input.section, until_ns = input.time_ns;
  }
  int ranks() const { return section == nullptr ? 0 : section->ranks(); }
};

// A line a rank for what it keeps, and dots for what each batch had.
Value moment(const FigureInput& input, const char* of, bool log) {
  const InSight at(input);
  Words kept;
  Line batches{tr("of a rank's batch"), Ink::kText, Stroke::kDots, {}};
  for (int rank = 0; rank < at.ranks(); ++rank) {
    kept.push_back(kept_by(rank, of));
    const auto points = curve(at.section, seen_by(rank, of), at.until_ns);
    batches.points.insert(batches.points.end(), points.begin(), points.end());
  }
  const Axis steps{tr("step"), "", false, 0, double(input.config.integer("steps") - 1)};
  Lines lines = lines_of(at.section, steps, {tr("{} of one feature", of), "", log}, kept, at.until_ns);
  std::ranges::stable_sort(batches.points, {}, &Point::x);
  if (!batches.points.empty()) lines.lines.push_back(std::move(batches));
  return lines;
}

// Of the last step: the ranks' batches, and what is kept of them.
std::string moment_sentence(const FigureInput& input, const char* of) {
  const InSight at(input);
  const auto kept = needed(curve(at.section, kept_by(0, of), at.until_ns));
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int rank = 0; rank < at.ranks(); ++rank)
    for (const Point& point : curve(at.section, seen_by(rank, of), at.until_ns))
      if (point.x == kept.back().x) low = std::min(low, point.y), high = std::max(high, point.y);
  return tr("Step {}: the batches' {} is {:.2g} to {:.2g}, rank 0 keeps {:.2g}.", kept.back().x, of, low,
            high, kept.back().y);
}

// ---- Against one process ------------------------------------------------------------------------

// A row: what all ranks of a training hold, against rank 0 of it or against one process.
void add_hashes(Matrix& matrix, const Trace& trace, const std::string& name, const SectionView* section,
                const SectionView* other, bool buffers) {
  if (section == nullptr) return;
  matrix.rows.push_back(name);
  const auto way = curve(trace, kPaths, section->name());
  const Hashes mine = hashes_of(section), right = hashes_of(other);
  for (const std::string& column : matrix.columns) {
    const int64_t step = std::stoll(column);
    const auto one = right.find({step, 0});
    MatrixCell cell;
    for (auto at = mine.lower_bound({step, 0}); at != mine.end() && at->second.step == step; ++at) {
      if (one == right.end()) break;
      const std::string &own = at->second.of(buffers), &its = one->second.of(buffers);
      if (cell.detail.empty() || own != its)
        cell.state = own == its ? MatrixCell::State::kSame : MatrixCell::State::kDifferent;
      cell.detail += tr("rank {}: {}, {}", at->second.rank, own, its) + "\n";
    }
    if (other != section && step < std::ssize(way)) {
      const double off = way[size_t(step)].y;
      if (off < kRounding) cell.word = fmt::format("e{:.0f}", std::floor(std::log10(off)));
      cell.detail += tr("off by {:.2g} of its way", off);
    }
    matrix.cells.push_back(std::move(cell));
  }
}

}  // namespace

FigureOf statistics(const char* id, const char* of, bool log) {
  return {id, [=](const FigureInput& input) { return moment(input, of, log); },
          [=](const FigureInput& input) { return moment_sentence(input, of); }};
}

Value hashes(const FigureInput& input) {
  const SectionView *own = input.trace.find(kOwn), *shared = input.trace.find(kShared),
                    *one = input.trace.find(kOne);
  Matrix matrix{tr("equal hashes?"), tr("step"), "", {}, {}, {}};
  for (const HashRow& row : rows_in<HashRow>(one)) matrix.columns.push_back(std::to_string(row.step));
  for (const auto& [name, section] : {std::pair(tr("own"), own), {tr("shared"), shared}}) {
    add_hashes(matrix, input.trace, tr("{}: parameters", name), section, section, false);
    add_hashes(matrix, input.trace, tr("{}: statistics", name), section, section, true);
    add_hashes(matrix, input.trace, tr("{}: one process", name), section, one, false);
  }
  return matrix;
}

std::vector<Attribute> hashes_sentence(const FigureInput& input) {
  const SectionView* own = input.trace.find(kOwn);
  const auto from_one = first_part(own, input.trace.find(kOne), false);
  if (!from_one || first_part(own, own, false)) return {};
  return {*from_one};
}

}  // namespace ringside::lessons::norms
