// What comes of the rules of consistency, of killed servers, of filters and of more servers.
#include "parts.h"
namespace ringside::parameter_server_lesson {
namespace {

using namespace figure;

// ---- Rules of consistency -------------------------------------------------------------------------------

Value rules(const FigureInput& input) {
  Bars bars{
      {tr("simulated time to the loss"), "s"}, {{kBsp, hue(0)}, {kFew, hue(1)}, {kAsp, hue(2)}}, {}, false};
  for (const char* kind : {"none", "random", "slow"}) {
    BarRow row{tr("stragglers: {}", kind), {}};
    for (const BarPart& part : bars.parts)
      for (const RuleRow& rule :
           rows_where<RuleRow>(input.trace, having(&RuleRow::straggler, kind, &RuleRow::rule, part.name)))
        row.values.push_back(rule.seconds);
    if (row.values.size() == bars.parts.size()) bars.rows.push_back(std::move(row));
  }
  return bars;
}

std::vector<Attribute> rules_sentence(const FigureInput& input) {
  const RuleRow random = rule_of(input.trace, "random", kAsp), none = rule_of(input.trace, "none", kAsp);
  return {kFew, kFewStaleness, random.of_bsp, none.of_bsp};
}

Value curves(const FigureInput& input) {
  Lines lines = lines_of(input.trace.find(kRules), {tr("simulated time"), "s"}, {tr("loss"), "", true},
                         {kBsp, kFew, kAsp});
  lines.marks.push_back({tr("the loss that is asked for"), kTarget, false});
  return lines;
}

// Over s, BSP being 0; ASP has none.
Value over_staleness(const FigureInput& input, const Axis& y, double RuleRow::*of) {
  Lines lines{{tr("staleness s that is allowed; 0 is BSP")}, y, {{tr("measured"), hue(0)}}};
  for (const RuleRow& row : rows_in<RuleRow>(input.trace)) {
    if (row.straggler != "random") continue;
    if (row.staleness >= 0)
      lines.lines[0].points.push_back({double(row.staleness), row.*of});
    else
      lines.marks.push_back({kAsp, row.*of, false});
  }
  std::ranges::sort(lines.lines[0].points, {}, &Point::x);
  return lines.lines[0].points.empty() ? Value() : lines;
}

Value idle(const FigureInput& input) {
  Value value = over_staleness(input, {tr("time spent waiting"), "%", false, 0.0}, &RuleRow::idle);
  if (auto* lines = std::get_if<Lines>(&value))
    lines->lines.push_back({tr("Li et al. 2014, theirs"),
                            hue(1),
                            Stroke::kDots,
                            {{0, kPaperIdleAt0}, {kPaperStaleness, kPaperIdleAt16}}});
  return value;
}

std::vector<Attribute> idle_sentence(const FigureInput& input) {
  return {rule_of(input.trace, "random", kBsp).idle, rule_of(input.trace, "random", "SSP(16)").idle,
          kPaperIdleAt0, kPaperIdleAt16};
}

Value best(const FigureInput& input) {
  return over_staleness(input, {tr("simulated time to the loss"), "s", false, 0.0}, &RuleRow::seconds);
}

// ---- Killed servers -------------------------------------------------------------------------------------

Value kills(const FigureInput& input) {
  const int64_t copies = std::stoll(input.config.text("copies")), servers = input.config.integer("servers");
  Matrix matrix{tr("killed"), tr("and"), "", {}, {}, {}};
  for (int64_t server = 1; server <= servers; ++server) matrix.rows.push_back(tr("server {}", server));
  matrix.columns = matrix.rows;
  for (int64_t a = 1; a <= servers; ++a)
    for (int64_t b = 1; b <= servers; ++b) {
      const KillRow row = row_of<KillRow>(input.trace, copies, std::min(a, b), std::max(a, b));
      matrix.cells.push_back({row.lost > 0 ? MatrixCell::State::kWrong : MatrixCell::State::kSame,
                              figure::kNone,
                              row.lost > 0 ? tr("{} lost", row.lost) : tr("{:.2f} s", row.seconds)});
    }
  return matrix;
}

std::vector<Attribute> kills_sentence(const FigureInput& input) {
  const int64_t copies = std::stoll(input.config.text("copies"));
  const CopyRow one = copies_of(input.trace, copies, 1), two = copies_of(input.trace, copies, 2);
  return {copies, one.with_loss + two.with_loss, one.trials + two.trials, std::max(one.seconds, two.seconds)};
}

// ---- Bytes ----------------------------------------------------------------------------------------------

Value bytes(const FigureInput& input) {
  Bars bars{{tr("between workers and servers"), "bytes"},
            {{tr("keys"), Ink::kGradients}, {tr("values"), Ink::kParameters}, {tr("rest"), Ink::kOther}},
            {}};
  for (const ByteRow& row : rows_in<ByteRow>(input.trace)) {
    const double part = 100 - saved_by(input.trace, row.filter);
    const std::string word =
        row.loss < 0 ? tr("{:.0f} %", part) : tr("{:.0f} %, loss {:.3f}", part, row.loss);
    bars.rows.push_back({row.filter, {double(row.keys), double(row.values), double(row.rest)}, word});
  }
  return bars;
}

std::vector<Attribute> bytes_sentence(const FigureInput& input) {
  return {saved_by(input.trace, kHalf), saved_by(input.trace, kRepeated)};
}

Value traffic(const FigureInput& input) {
  Lines lines = lines_of(input.trace.find(kTraffic), {tr("servers S"), "", true},
                         {tr("sent and received in a step, of all weights"), "Ψ", true},
                         {kMeanServer, kBusiest, kCopied, kBoth, kEachWorker, kRingRank});
  if (lines.lines.empty()) return {};
  for (Line& line : lines.lines)
    if (line.name == kMeanServer || line.name == kBoth) line.stroke = Stroke::kDots;
  lines.lines.back().stroke = Stroke::kFormula;
  const auto share = [&](const Point& at) { return 2 * input.config.real("workers") / at.x; };
  lines.lines.insert(lines.lines.begin(), {tr("2WΨ/S"), Ink::kText, Stroke::kFormula,
                                           points_of(lines.lines.front().points, &Point::x, share)});
  return lines;
}

std::string traffic_sentence(const FigureInput& input) {
  const double alone = needed(traffic_at(input.trace, kMeanServer, 4)),
               copied = needed(traffic_at(input.trace, kCopied, 4)),
               both = first_of(input.trace, kTraffic, kBoth);
  return tr("With 2 copies one of 4 servers carries {:.1f} Ψ instead of {:.1f} Ψ.", copied, alone) +
         (std::isfinite(both) ? tr(" A machine that is worker and server carries {:.2f} Ψ.", both) : "");
}

}  // namespace

std::vector<FigureOf> comparison_figures() {
  return {{"rules", rules, rules_sentence},      {"curves", curves},
          {"idle", idle, idle_sentence},         {"best", best},
          {"kills", kills, kills_sentence},      {"bytes", bytes, bytes_sentence},
          {"traffic", traffic, traffic_sentence}};
}

}  // namespace ringside::parameter_server_lesson
