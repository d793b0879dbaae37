// What autograd does with ranks, as it was measured: gradients through collectives, hooks, orders.
#include "embedded.h"
#include "parts.h"
#include "ringside/trace/measure.h"

namespace ringside::lessons::autograd {
namespace {

using namespace figure;

bool is_right(const GradientRow& row) { return row.cosine > 0.999 && std::abs(row.length - 1) < 0.001; }
std::string in_words(const GradientRow& row) {
  return tr("cosine {:.3f}, length {:.3f}", row.cosine, row.length);
}

int put_back_is(const Trace& trace) {  // of the options
  const GradientRow row = row_of<GradientRow>(trace, kPutBack);
  if (row.cosine < 0.999) return 3;
  const double times = row.length * double(row.ranks);
  return is_right(row) ? 0 : std::abs(times - 1) < 0.01 ? 1 : row.length > 1.01 ? 2 : -1;
}

double apart(const Trace& trace, const char* optimizer) { return row_of<TrainedRow>(trace, optimizer).apart; }
int who_notices(const Trace& trace) {
  const bool sgd = apart(trace, kSgd) > 0.01, adam = apart(trace, kAdam) > 0.01;
  return sgd ? (adam ? 2 : 0) : adam ? 1 : 3;
}

int64_t calls(const Trace& trace, const char* what) { return row_of<HookRow>(trace, what).calls; }
int calls_of_two_uses(const Trace& trace) { return int(calls(trace, kTwice)); }  // the options' order

ClaimResult handles_ranks(const Trace& trace) {
  const GradientRow constants = row_of<GradientRow>(trace, kConstants),
                    back = row_of<GradientRow>(trace, kPutBack);
  return holds_if(is_right(constants) && is_right(back),
                  tr("no error, and beside one process: rows as constants {}; own rows put back {}",
                     in_words(constants), in_words(back)));
}

ClaimResult is_differentiable(const Trace& trace) {
  const GradientRow gathered = row_of<GradientRow>(trace, kConstants),
                    summed = row_of<GradientRow>(trace, kInPlace),
                    through = row_of<GradientRow>(trace, kSummed);
  return holds_if(is_right(gathered) && std::abs(summed.length - through.length) < 0.01,
                  tr("a plain gather: {}. The loss all-reduced in place: length {:.3f}, as if it were not "
                     "there; with a backward of its own: {:.3f}",
                     in_words(gathered), summed.length, through.length));
}

ClaimResult from_its_thread(const Trace& trace) {
  const SectionView& section = needed(trace.find(kHooks));
  const auto sums = completed_calls(trace, section, "gradients", kAllRanks);
  int64_t in_backward = 0;
  for (const SpanEvent& span : spans_named(trace, section, "backward", kAllRanks))
    in_backward += std::ranges::count_if(sums, [&](const CollectiveEvent& sum) {
      return sum.rank == span.rank && is_within(sum.time_created_ns, span);
    });
  const auto fired = needed(rows_in<FiredRow>(trace));
  const auto in_caller = std::ranges::count(fired, true, &FiredRow::in_caller);
  return {both(in_backward > 0, in_caller == 0),
          tr("{} of {} all-reduces began during backward, in hooks; {} of {} hooks ran on the thread that "
             "called backward: for a CPU the engine has no other",
             in_backward, sums.size(), in_caller, fired.size())};
}

ClaimResult reverse_order(const Trace& trace) {
  const auto fired = needed(rows_where<FiredRow>(trace, having(&FiredRow::rank, 0)));
  const auto falls = [&](int64_t FiredRow::*use) {
    return std::ranges::is_sorted(fired, std::greater(), use);
  };
  std::vector<std::string> names;
  for (const FiredRow& row : fired) names.push_back(row.parameter);
  return {both(falls(&FiredRow::first_use), falls(&FiredRow::last_use)),
          tr("ready: {}. That is the reverse order of first uses; E is used last as well, and ready last",
             fmt::join(names, ", "))};
}

ClaimResult adam_hides(const Trace& trace) {
  const double sgd = apart(trace, kSgd), adam = apart(trace, kAdam);
  return holds_if(adam < 0.01 && sgd > 10 * adam,
                  tr("after the training the parameters are apart by {:.0f} % of what was moved with SGD, by "
                     "{:.1g} % with Adam",
                     100 * sgd, 100 * adam));
}

ClaimResult once_per_use(const Trace& trace) {
  const int64_t twice = calls(trace, kTwice);
  return holds_if(twice == 2,
                  tr("two uses, one backward: {} call; two micro-batches: {}; two recomputed layers, "
                     "each a backward within the backward: {}",
                     twice, calls(trace, kMicro), calls(trace, kRecomputed)));
}

ClaimResult order_is_noticed(const Trace& trace) {
  const OrderRow fixed = row_of<OrderRow>(trace, kFixed), ready = row_of<OrderRow>(trace, kAsReady),
                 sizes = row_of<OrderRow>(trace, kAsReadySizes);
  return {
      both(!ready.error.empty(), !sizes.error.empty()),
      tr("equal sizes: {}, the gradient is off by {:.0f} %; other sizes: {}; with fixed buckets it is off "
         "by {:.0f} %",
         ready.error.empty() ? tr("no error") : ready.error, 100 * ready.off,
         sizes.error.empty() ? tr("no error") : tr("an error"), 100 * fixed.off)};
}

bool names_it(const DeadRow& row) { return row.sender == 0 && row.receiver == 1 && row.what == "aside"; }
int what_fast_does(const Trace& trace) {  // of the options
  const DeadRow row = row_of<DeadRow>(trace, kFast);
  return row.error.empty() ? 0 : row.ms < row.deadline ? 1 : 2;
}

ClaimResult one_graph(const Trace& trace) {
  const AcrossRow row = needed(rows_in<AcrossRow>(trace)).front();
  return holds_if(row.same == row.ranks, tr("a layer on each rank, one backward: {} of {} gradients have one "
                                            "process's bits",
                                            row.same, row.ranks));
}

ClaimResult dead_is_named(const Trace& trace) {
  const DeadRow fast = row_of<DeadRow>(trace, kFast), walked = row_of<DeadRow>(trace, kWalked);
  return {
      both(names_it(walked) && walked.ms < walked.deadline, names_it(fast) && fast.ms < fast.deadline),
      tr("rank 0 sends a value aside. FAST: an error after {:.0f} ms, the deadline is {:.0f} ms. With a walk "
         "of the graph before: after {:.0f} ms",
         fast.ms, fast.deadline, walked.ms)};
}

BarRow ways(const GradientRow& row) { return {row.way, {row.cosine, row.length}}; }
std::string ways_sentence(const FigureInput& input) {
  return tr("Own rows put back, the loss of all rows on every rank: {}.",
            in_words(row_of<GradientRow>(input.trace, kPutBack)));
}

// The mean over ranks of the loss of each step: that of all rows.
std::vector<Point> losses_of(const SectionView* section) {
  std::vector<Point> points;
  for (int rank = 0; section != nullptr && rank < section->ranks(); ++rank)
    for (const ScalarEvent& event : section->scalars(rank)) {
      const auto step = size_t(event.step);
      if (points.size() <= step) points.push_back({double(step), 0});
      points[step].y += event.value / section->ranks();
    }
  return points;
}
Value losses(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("loss of all rows")}, {}};
  size_t nth = 0;
  for (const char* optimizer : {kSgd, kAdam})
    for (const char* way : {kScattered, kPutBack}) {
      const std::string name = tr("{}, {}", optimizer, way);
      const Line line{name, hue(nth++), way == kPutBack ? Stroke::kDots : Stroke::kMeasured,
                      losses_of(input.trace.find(name))};
      if (!line.points.empty()) lines.lines.push_back(line);
    }
  return lines;
}

// "bucket 0" is of the parameter that was declared last.
std::string parameter_of(const std::string& bucket) {
  const size_t nth = size_t(bucket.back() - '0');
  return kDeclared[std::size(kDeclared) - 1 - std::min(nth, std::size(kDeclared) - 1)];
}

// Of each rank: its sums, from the request to the result, and the stretches of its backward that led to the
// requests.
Value timeline(const FigureInput& input) {
  const SectionView& section = needed(input.trace.find(kHooks));
  const auto backward = needed(spans_named(input.trace, section, "backward", kAllRanks));
  const int64_t first_ns = std::ranges::min(backward, {}, &SpanEvent::start_ns).start_ns;
  const auto ms = [&](int64_t ns) { return double(ns - first_ns) * 1e-6; };
  Lanes lanes{{tr("since backward began"), "ms"}, {}, {}};
  for (const SpanEvent& span : backward) {
    const size_t lane = lanes.lanes.size();
    lanes.lanes.push_back(tr("rank {}", span.rank)), lanes.lanes.push_back(tr("its sums"));
    double from = ms(span.start_ns);
    for (const CollectiveEvent& sum : completed_calls(input.trace, section, "gradients", span.rank)) {
      const std::string parameter = parameter_of(input.trace.name(sum.unit));
      const double asked = ms(sum.time_created_ns);
      lanes.items.push_back({lane + 1, asked, ms(sum.time_completed_ns), parameter, Ink::kGradients});
      if (sum.time_created_ns > span.end_ns) continue;
      lanes.items.push_back({lane, std::exchange(from, asked), asked, parameter, Ink::kActivations});
    }
  }
  return lanes;
}

Value graph(const FigureInput& input) {
  Graph graph;
  for (const NodeRow& row : rows_in<NodeRow>(input.trace))
    graph.nodes.push_back({row.text, row.detail, row.detail.empty() ? Ink::kOther : Ink::kGradients});
  for (const EdgeRow& row : rows_in<EdgeRow>(input.trace))
    graph.edges.push_back({size_t(row.from), size_t(row.to)});
  return graph;
}

// Forward and backward of each rank, and the messages between them.
Value across(const FigureInput& input) {
  const Trace& trace = input.trace;
  const SectionView& section = needed(trace.find(kAcross));
  const auto forward = needed(spans_named(trace, section, "forward", kAllRanks));
  const int64_t first_ns = std::ranges::min(forward, {}, &SpanEvent::start_ns).start_ns;
  const auto ms = [&](int64_t ns) { return double(ns - first_ns) * 1e-6; };
  Lanes lanes{{tr("since forward began"), "ms"}, {}, {}};
  for (int rank = 0; rank < section.ranks(); ++rank) lanes.lanes.push_back(tr("rank {}", rank));
  for (const auto& [name, ink] : {std::pair{"forward", Ink::kParameters}, {"backward", Ink::kActivations}})
    for (const SpanEvent& span : spans_named(trace, section, name, kAllRanks))
      lanes.items.push_back({size_t(span.rank), ms(span.start_ns), ms(span.end_ns), name, ink});
  for (const auto& [tag, before] : {std::pair{"value", ""}, {"gradient", "d"}}) {
    const auto calls = completed_calls(trace, section, tag, kAllRanks);
    for (const CollectiveEvent& sent : calls)
      for (const CollectiveEvent& taken : calls) {
        if (sent.op != Op::kSend || taken.op != Op::kRecv || sent.unit != taken.unit) continue;
        const std::string& unit = trace.name(sent.unit);  // "context 1: h0"
        lanes.arrows.push_back({size_t(sent.rank), size_t(taken.rank), ms(sent.time_created_ns),
                                ms(taken.time_completed_ns), before + unit.substr(unit.find(": ") + 2)});
      }
  }
  return lanes;
}

// Behind ", " or "; "; all of it where there is none.
std::string behind(const std::string& text, size_t sign) {
  return sign == std::string::npos ? text : text.substr(sign + 2);
}

std::vector<TableCell> dead(const DeadRow& row) {
  return cells(
      behind(row.way, row.way.find(", ")), cell(row.ms, 0), cell(row.deadline, 0),
      row.sender < 0 ? row.error : tr("rank {} sent '{}' to rank {}", row.sender, row.what, row.receiver));
}

std::vector<TableCell> orders(const OrderRow& row) {
  return cells(behind(row.way, row.way.find(", ")), std::isnan(row.off) ? cell("—") : cell(100 * row.off, 0),
               row.error.empty() ? tr("no error") : behind(row.error, row.error.rfind("; ")));
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"length", put_back_is},
                     {"notices", who_notices},
                     {"hook", calls_of_two_uses},
                     {"aside", what_fast_does}},
       .claims = {{"handles", handles_ranks},
                  {"differentiable", is_differentiable},
                  {"adam", adam_hides},
                  {"thread", from_its_thread},
                  {"reverse", reverse_order},
                  {"uses", once_per_use},
                  {"noticed", order_is_noticed},
                  {"one", one_graph},
                  {"dead", dead_is_named}},
       .figures = {{"ways",
                    bars_of_each(ways, {tr("beside one process's gradient"), "", false, 0.0},
                                 {tr("cosine"), tr("length")}),
                    ways_sentence},
                   {"losses", losses},
                   {"graph", graph},
                   {"timeline", timeline},
                   {"hooks"},
                   {"orders",
                    table_of_each(orders, {"rank 1 in another order", "gradient off by [%]", "error names"})},
                   {"across", across},
                   {"dead", table_of_each(dead, {"rank 0 sends a value aside", "error after [ms]",
                                                 "deadline [ms]", "who is named"})}}});
}

}  // namespace ringside::lessons::autograd
