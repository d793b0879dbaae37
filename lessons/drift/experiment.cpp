// Two stages with two losses: what the order of sums explains, and what only a bug does.

#include "embedded.h"
#include "rows.h"

namespace ringside::lessons::drift {

Shape shape_of(const Trace& trace, const std::string& training) {
  const SectionView* section = trace.find(kComparison);
  const auto first = distance_at(trace, training, 1), second = distance_at(trace, training, 2);
  if (section == nullptr || !section->has(kUlp) || !first || !second) return Shape::kUnknown;
  const double limit = kMostUlps * section->number(kUlp);
  if (limit >= kLeastLarge) return Shape::kUnknown;  // of bf16: a bug's first steps are smaller than that
  if (first->relative >= kLeastLarge) return Shape::kLarge;
  if (first->relative > limit) return Shape::kSmall;
  if (second->relative > limit) return Shape::kLate;
  for (const DistanceRow& row : rows_of<DistanceRow>(trace, training))
    if (row.step <= 10 && row.relative > limit) return Shape::kUnknown;
  return Shape::kRounding;
}

namespace {

using namespace figure;

// The curve of that shape, where one curve alone has it.
std::optional<Words> curve_of(const Trace& trace, Shape shape) {
  Words found;
  for (const EndRow& end : rows_in<EndRow>(trace))
    if (!end.letter.empty() && shape_of(trace, end.training) == shape) found.push_back(end.letter);
  return found.size() == 1 ? std::optional(found) : std::nullopt;
}

// The block names trainings; their curves are shown and answered by letters.
QuestionOf which_curve(const char* id, Shape shape) {
  return {.id = id,
          .measured = [shape](const Trace& trace) { return curve_of(trace, shape); },
          .options = always(Words{"A", "B", "C", "D"}),
          .named = letter_of};
}

std::optional<Words> measured_apart(const Trace& trace) {
  Words apart;
  for (const char* training : kCurves)
    if (!row_of<EndRow>(trace, training).ranks_agree) apart.push_back(training);
  return apart;
}

// ---- Figures --------------------------------------------------------------------------

bool is_nameless(const FigureInput& input) {
  return input.is_open("order") || input.is_open("stale") || input.is_open("norm");
}

// The four in order of their letters, with their names once nobody has to guess them; then the other seed.
Value curves(const FigureInput& input, std::string y, const auto& points_of) {
  Lines all{{tr("training step"), "", true}, {std::move(y), "", true}, {}};
  for (const EndRow& end : rows_in<EndRow>(input.trace)) {
    if (end.letter.empty()) continue;
    all.lines.push_back({is_nameless(input) ? end.letter : tr("{} {}", end.letter, end.training),
                         hue(size_t(end.letter[0] - 'A')), Stroke::kMeasured, points_of(end.training)});
  }
  std::ranges::sort(all.lines, {}, &Line::name);
  if (auto seed = points_of(kSeed); !seed.empty() && !all.lines.empty())
    all.lines.push_back({kSeed, Ink::kDim, Stroke::kPinned, std::move(seed)});
  return all;
}

Value parameters(const FigureInput& input) {
  return curves(input, tr("distance of parameters"), [&](const std::string& training) {
    return points_of(rows_of<DistanceRow>(input.trace, training), &DistanceRow::step,
                     [](const DistanceRow& row) { return row.relative > 0 ? row.relative : kNone; });
  });
}

std::string in_digits(double relative) { return relative > 0 ? tr("{:.0e}", relative) : "0"; }

std::string parameters_sentence(const FigureInput& input) {
  if (is_nameless(input)) return tr("Four trainings against stage 1. One only adds in another order.");
  const auto all = rows_of<DistanceRow>(input.trace, kOrder);
  double least = INFINITY;
  for (const char* bug : {kBucket, kNorm, kStale})
    if (const auto row = distance_at(input.trace, bug, 10)) least = std::min(least, row->relative);
  if (all.empty() || std::isinf(least)) return "";
  return tr("Stage 2's order of sums: {} after {} steps. {}", in_digits(all.back().relative), all.back().step,
            least > 0 ? tr("The smallest bug: {} after 10.", in_digits(least))
                      : tr("One of the bugs changes no bit in 10."));
}

// The largest difference of the steps since the point before: single steps jump up and down.
Value losses(const FigureInput& input) {
  return curves(input, tr("difference of losses"), [&](const std::string& training) {
    std::vector<Point> points;
    double most = 0, next = 1;
    for (const LossRow& row : rows_of<LossRow>(input.trace, training)) {
      const auto step = double(row.step);
      most = std::max(most, row.difference);
      if (step < next) continue;
      points.push_back({step, most > 0 ? most : kNone});
      most = 0;
      next = std::max(step + 1, next * 1.25);
    }
    return points;
  });
}

std::string shape_in_words(const Trace& trace, const std::string& training) {
  if (std::ranges::all_of(rows_of<DistanceRow>(trace, training),
                          [](const DistanceRow& row) { return row.relative == 0; }))
    return tr("same bits");
  const std::string words[] = {tr("cannot be told"), tr("rounding"), tr("jumps at 2"), tr("small, rises"),
                               tr("large at 1")};
  return words[size_t(shape_of(trace, training))];
}

Value evidence(const FigureInput& input) {
  Table table{columns({"training", "1", "2", "10", "100", "ranks", "unsent", "shape"}), {}};
  for (const char* training : {kOrder, kBucket, kNorm, kStale, kSame}) {
    const auto after = [&](int64_t step) {
      const auto row = distance_at(input.trace, training, step);
      return row ? TableCell{in_digits(row->relative), row->relative} : TableCell{"-"};
    };
    for (const EndRow& end : rows_of<EndRow>(input.trace, training))
      table.rows.push_back(cells(end.letter.empty() ? end.training : tr("{} {}", end.letter, end.training),
                                 after(1), after(2), after(10), after(100),
                                 end.ranks_agree ? tr("agree") : tr("differ"),
                                 bytes_cell(double(end.missing)), shape_in_words(input.trace, training)));
  }
  return table;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .questions = {which_curve("order", Shape::kRounding),
                                                         which_curve("stale", Shape::kLate),
                                                         which_curve("norm", Shape::kSmall),
                                                         {"agree", measured_apart}},
                                           .figures = {{"parameters", parameters, parameters_sentence},
                                                       {"losses", losses},
                                                       {"evidence", evidence}}});
}

}  // namespace ringside::lessons::drift
