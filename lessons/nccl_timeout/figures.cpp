// The pictures of the numbers, of the versions, and of how runs ended; the evidence of a hang is
// figures/hang.h.
#include "bucket_bars.h"
#include "lesson.h"
#include "ringside/base/text.h"
#include "ringside/figures/hang.h"
#include "ringside/lesson/section_title.h"

namespace ringside::nccl_lesson {
namespace {

using namespace figure;

// ---- The line, and how runs ended --------------------------------------------------------

Value log_figure(const FigureInput& input) {
  std::string text = wrap(line_of_source(input.config), 76, 0) + "\n\n";
  for (const auto& [field, what] :
       {std::pair{"[rank6]", tr("the rank that prints: it called, and waits")},
        {"SeqNum", tr("the number of the call in its process group, from 1")},
        {"ALLREDUCE", tr("all ranks of a group add up one tensor, and each has to call")},
        {"NumelIn", tr("how many elements of the tensor go in")},
        {"Timeout(ms)", tr("ten minutes; then the watchdog ends the process")}})
    text += pad(field, 14) + what + '\n';
  return listing_of(text);
}
std::string log_sentence(const FigureInput&) {
  return tr("The line says in which call a rank waits. It does not say which rank is missing.");
}

std::string deadline_of(const SectionView& section) {
  return format_duration(number_in(section, kDeadlineMs).value_or(0) / 1000);
}

// How runs ended that belong together: the fixes of act 1, or a case with its fix and its check.
Value outcomes(const FigureInput& input) {
  std::vector<std::string> names = {"symptom",      "fix timeout", "late timeout", "fix outputs",
                                    "late outputs", "fix barrier", "fix rank"};
  const int number = input.section == nullptr ? 0 : case_of(input.section->name());
  if (number > 0)
    names = {name_of_case(number), name_of_case(number) + " fixed", name_of_case(number) + " check"};
  Table table{columns({"run", "deadline", "ended", "in"}), {}};
  const SectionView* hang = input.trace.find(names[0]);
  for (const std::string& name : names) {
    const SectionView* section = input.trace.find(name);
    if (section == nullptr || attribute(*section, kEnded).empty()) continue;
    if (hang == nullptr || (tells(name) && !is_solved(input.config, *hang))) continue;
    if (input.is_open("timeout_x3") && name.ends_with(" timeout")) continue;
    if (input.section == section) table.lit.push_back(table.rows.size());
    table.rows.push_back(cells(attribute(*section, kTitle), deadline_of(*section), ended_words(*section),
                               attribute(*section, kStuck)));
  }
  return table;
}
std::string outcomes_sentence(const FigureInput& input) {
  if (input.section == nullptr) return "";
  const SectionView& section = *input.section;
  if (!section.name().starts_with("own") && !is_solved(input.config, section)) return "";
  const SectionView* hang = input.trace.find(name_of_case(case_of(section.name())));
  const std::string ended = attribute(section, kEnded), missing = attribute(section, kMissing);
  if (attribute(section, kKind) != "check" || hang == nullptr) return attribute(section, kSentence);
  if (ended == "timeout")
    return missing.empty() ? tr("The check compares calls: it found none that differ.")
                           : tr("The check compares calls; rank {} made none. It cannot help here.", missing);
  return tr("{} Without the check: silence, then {}.", attribute(section, kSentence), ended_words(*hang));
}

// What each case prints, and nothing more of it.
Value case_lines(const FigureInput& input) {
  Table table{columns({"case", "prints", "its line", "deadline"}), {}};
  for (int number = 1; number <= kCases; ++number) {
    const SectionView* section = input.trace.find(name_of_case(number));
    if (section == nullptr || attribute(*section, kEnded).empty()) continue;
    std::string log = attribute(*section, kShownLog);
    if (input.is_open("first_bucket")) log = without_sizes(std::move(log));
    const size_t call = log.find("SeqNum"), end = log.find(", NumelOut");
    const bool none = call == std::string::npos || end == std::string::npos;
    table.rows.push_back(cells(name_of_case(number), none ? tr("nobody") : log.substr(1, log.find(']') - 1),
                               none ? tr("it ended as {}, and took long", attribute(*section, kEnded))
                                    : log.substr(call, end - call),
                               deadline_of(*section)));
  }
  return table;
}

// ---- What an interviewer asks next: calculated -------------------------------------------

// One sample more than the ranks can share.
Value uneven(const FigureInput& input) {
  const int64_t ranks = input.config.integer("ranks"), share = 64;
  const std::string as_is = tr("{}, then {} each", share + 1, share);
  return Table{columns({"way", "samples of a rank", "what comes of it"}),
               {cells(tr("as they are"), as_is, tr("one rank makes one call more, and waits for the others")),
                cells(tr("pad"), tr("{} each", share + 1), tr("samples counted twice: {}", ranks - 1)),
                cells(tr("drop the last"), tr("{} each", share), tr("one sample is never seen")),
                cells(tr("Join"), as_is, tr("a rank that is done answers calls with zeros"))}};
}
std::vector<Attribute> uneven_sentence(const FigureInput& input) {
  return {64 * input.config.integer("ranks") + 1, input.config.integer("ranks")};
}

// GPU hours of 512 GPUs. Young, "A first order approximation to the optimum checkpoint interval" (1974).
constexpr double kGpuHours = 512 / 60.0, kWriteMinutes = 1, kHangMinutes = 1440;
double noticed_minutes(const Config& config) { return config.real("deadline") * kSourceDeadlineS / 60; }
Value restart(const FigureInput& input) {
  Table table{columns({"checkpoint every [min]", "to write [GPU h a day]", "lost by a hang [GPU h]",
                       "both [GPU h a day]"}),
              {}};
  for (const double every : {5, 15, 54, 120, 240}) {
    const double write = kHangMinutes / every * kWriteMinutes * kGpuHours,
                 lost = (every / 2 + noticed_minutes(input.config)) * kGpuHours;
    table.rows.push_back({cell(every, 0), cell(write, 0), cell(lost, 0), cell(write + lost, 0)});
  }
  return table;
}
std::vector<Attribute> restart_sentence(const FigureInput& input) {
  return {noticed_minutes(input.config),
          input.config.text("deadline"),
          noticed_minutes(input.config) * kGpuHours,
          kWriteMinutes,
          kHangMinutes,
          std::sqrt(2 * kWriteMinutes * kHangMinutes)};
}

// ---- The numbers -------------------------------------------------------------------------

Value bucket(const FigureInput& input) {
  const Bucket planned(needed(input.trace.find(kSource)));
  return bucket_bars(planned, planned.fits(), true);
}

std::vector<Attribute> numbers_sentence(const FigureInput& input) {
  const auto rows = rows_in<LogRow>(input.trace);
  if (rows.size() < 3 || rows[0].classes == rows[2].classes) return {};
  if (std::min(rows[0].classes, rows[2].classes) == 0) return {};  // none found
  const auto elements = rows[0].elements - rows[2].elements;
  const auto classes = rows[0].classes - rows[2].classes;
  return {format_count(elements), classes, format_count(elements / classes)};
}

// The length that comes nearest, batch by batch.
Value tensor(const FigureInput& input) {
  const double logged = calculated(input.trace, "logged"), hidden = calculated(input.trace, "hidden_size");
  Table table{columns({"batch B []", "nearest length T []", "B · T · H []", "from the log []"}), {}};
  for (double batch = 1; batch <= 64; batch *= 2) {
    const double length = std::round(logged / (batch * hidden)), product = batch * length * hidden;
    const auto number = [](double value) { return count_cell(int64_t(value)); };
    table.rows.push_back({number(batch), number(length), number(product), number(logged - product)});
  }
  return table;
}
std::string tensor_sentence(const FigureInput& input) {
  const double logged = calculated(input.trace, "logged"), rest = calculated(input.trace, "remainder"),
               hidden = calculated(input.trace, "hidden_size");
  return rest == 0 ? tr("{} is a multiple of {}: such a tensor could be it.", whole(logged), whole(hidden))
                   : tr("{} mod {} = {}, not 0: no batch size and no length gives this number.",
                        whole(logged), whole(hidden), whole(rest));
}

// ---- The versions ------------------------------------------------------------------------

// What each version keeps at its peak, and what its evaluation gathers.
Value memory(const FigureInput& input) {
  Bars bars{.value = {tr("rank 0"), "bytes"}, .parts = {}, .rows = {}, .stacked = false};
  bars.parts = {{tr("peak, training"), Ink::kActivations},
                {tr("peak, evaluation"), Ink::kParameters},
                {tr("gathered"), Ink::kGradients}};
  for (const char* name :
       {"original", "V1", "V2", "V3", "V1 mismatch", "V2 mismatch", "chunked", "compressed"}) {
    const SectionView* section = input.trace.find(name);
    if (section == nullptr || !section->has(kGathered)) continue;
    const bool training = is_yes(*section, kReturnedTraining),
               evaluation = is_yes(*section, kReturnedEvaluation);
    BarRow row{attribute(*section, kTitle), {}, {}};
    for (const char* key : {kTrainingPeak, kEvaluationPeak, kGathered})
      row.values.push_back(number_in(*section, key).value_or(0));
    row.word = training && evaluation ? tr("returned in both")
               : training             ? tr("returned in training")
               : evaluation           ? tr("returned in evaluation")
                                      : tr("none returned");
    bars.rows.push_back(std::move(row));
  }
  return bars;
}

// All categories of rank 0 over time, the highest of each stretch.
std::vector<Point> curve_of(const SectionView& section) {
  constexpr size_t kStretches = 300;
  std::vector<const MemoryEvent*> events;
  for (const Category category : kCategories)
    for (const MemoryEvent& event : section.memory(0, category)) events.push_back(&event);
  std::ranges::sort(events, {}, &MemoryEvent::time_ns);
  std::vector<Point> points;
  const size_t each = events.size() / kStretches + 1;
  for (size_t i = 0; i < events.size(); ++i) {
    if (i % each == 0) {
      const double time = double(events[i]->time_ns - events[0]->time_ns) * 1e-9;
      if (!points.empty()) points.push_back({time, points.back().y});  // it stays until then
      points.push_back({time, 0});
    }
    points.back().y = std::max(points.back().y, double(events[i]->total_bytes));
  }
  return points;
}
Value curve(const FigureInput& input) {
  const SectionView *shown = input.section, *original = input.trace.find("original");
  std::vector<Point> own = shown == nullptr ? std::vector<Point>() : curve_of(*shown);
  if (own.empty()) return Nothing{tr("Nothing runs in this part.")};
  Lines lines{{tr("time"), "s"}, {tr("memory of rank 0"), "bytes"}, {}};
  lines.lines.push_back({title_of(*shown), Ink::kActivations, Stroke::kMeasured, std::move(own)});
  const bool compares = attribute(*shown, kKind) == "outputs";
  if (compares && original != nullptr && original->name() != shown->name())
    lines.lines.push_back({tr("original"), Ink::kDim, Stroke::kPinned, curve_of(*original)});
  std::erase_if(lines.lines, [](const Line& line) { return line.points.empty(); });
  return lines;
}

}  // namespace

std::string line_of_source(const Config& config) {
  const std::string& elements = config.text("logged");
  return fmt::format(
      "[rank6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=56731, OpType=ALLREDUCE, "
      "NumelIn={}, NumelOut={}, Timeout(ms)={:.0f})",
      elements, elements, kSourceDeadlineS * 1000);
}

std::vector<FigureOf> figures() {
  return {{"log", log_figure, log_sentence},
          {"outcomes", outcomes, outcomes_sentence},
          {"bucket", bucket},
          {.id = "numbers", .sentence = numbers_sentence},
          {"tensor", tensor, tensor_sentence},
          {"memory", memory},
          {"curve", curve},
          {"uneven", uneven, uneven_sentence},
          {"restart", restart, restart_sentence},
          {"cases", case_lines}};
}

}  // namespace ringside::nccl_lesson
