// What autograd does with ranks, as it was measured: gradients through collectives, hooks, orders.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::autograd {
namespace {

using namespace figure;

GradientRow way_of(const Trace& trace, const char* way) {
  return needed(row_where<GradientRow>(trace, having(&GradientRow::way, way)));
}
bool is_right(const GradientRow& row) { return row.cosine > 0.999 && std::abs(row.length - 1) < 0.001; }
std::string in_words(const GradientRow& row) {
  return tr("cosine {:.3f}, length {:.3f}", row.cosine, row.length);
}

int put_back_is(const Trace& trace) {  // of the options
  const GradientRow row = way_of(trace, kPutBack);
  if (row.cosine < 0.999) return 3;
  const double times = row.length * double(row.ranks);
  return is_right(row) ? 0 : std::abs(times - 1) < 0.01 ? 1 : row.length > 1.01 ? 2 : -1;
}

double apart(const Trace& trace, const char* optimizer) {
  return needed(row_where<TrainedRow>(trace, having(&TrainedRow::optimizer, optimizer))).apart;
}
int who_notices(const Trace& trace) {
  const bool sgd = apart(trace, kSgd) > 0.01, adam = apart(trace, kAdam) > 0.01;
  return sgd ? (adam ? 2 : 0) : adam ? 1 : 3;
}

int64_t calls(const Trace& trace, const char* what) {
  return needed(row_where<HookRow>(trace, having(&HookRow::what, what))).calls;
}
int calls_of_two_uses(const Trace& trace) { return int(calls(trace, kTwice)); }  // the options' order

ClaimResult handles_ranks(const Trace& trace) {
  const GradientRow constants = way_of(trace, kConstants), back = way_of(trace, kPutBack);
  return holds_if(is_right(constants) && is_right(back),
                  tr("no error, and beside one process: rows as constants {}; own rows put back {}",
                     in_words(constants), in_words(back)));
}

ClaimResult is_differentiable(const Trace& trace) {
  const GradientRow gathered = way_of(trace, kConstants), summed = way_of(trace, kInPlace),
                    through = way_of(trace, kSummed);
  return holds_if(is_right(gathered) && std::abs(summed.length - through.length) < 0.01,
                  tr("a plain gather: {}. The loss all-reduced in place: length {:.3f}, as if it were not "
                     "there; with a backward of its own: {:.3f}",
                     in_words(gathered), summed.length, through.length));
}

struct Starts {
  size_t in_backward = 0, all = 0;
};
// All-reduces of gradients that a rank asked for, and those of them that it asked for during backward.
Starts starts_of(const Trace& trace) {
  const SectionView& section = needed(trace.find(kHooks));
  Starts starts;
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const CollectiveEvent& event : section.collectives(rank)) {
      if (event.state != CollectiveState::kCompleted || trace.name(event.tag) != "gradients") continue;
      ++starts.all;
      for (const SpanEvent& span : section.spans(rank))
        starts.in_backward += trace.name(span.name) == "backward" && event.time_created_ns >= span.start_ns &&
                              event.time_created_ns <= span.end_ns;
    }
  return starts;
}

ClaimResult from_its_thread(const Trace& trace) {
  const auto fired = needed(rows_in<FiredRow>(trace));
  const auto in_caller = std::ranges::count(fired, true, &FiredRow::in_caller);
  const Starts starts = starts_of(trace);
  return {both(starts.in_backward > 0, in_caller == 0),
          tr("{} of {} all-reduces began during backward, in hooks; {} of {} hooks ran on the thread that "
             "called backward: for a CPU the engine has no other",
             starts.in_backward, starts.all, in_caller, fired.size())};
}

ClaimResult reverse_order(const Trace& trace) {
  auto fired = rows_in<FiredRow>(&needed(trace.find(kHooks)));
  std::erase_if(fired, [&](const FiredRow& row) { return row.rank != 0; });
  const auto falls = [&](int64_t FiredRow::*use) {
    return std::ranges::is_sorted(needed(fired), std::greater(), use);
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

OrderRow order_of(const Trace& trace, const char* way) {
  return needed(row_where<OrderRow>(trace, having(&OrderRow::way, way)));
}
ClaimResult order_is_noticed(const Trace& trace) {
  const OrderRow fixed = order_of(trace, kFixed), ready = order_of(trace, kAsReady),
                 sizes = order_of(trace, kAsReadySizes);
  return {
      both(!ready.error.empty(), !sizes.error.empty()),
      tr("equal sizes: {}, the gradient is off by {:.0f} %; other sizes: {}; with fixed buckets it is off "
         "by {:.0f} %",
         ready.error.empty() ? tr("no error") : ready.error, 100 * ready.off,
         sizes.error.empty() ? tr("no error") : tr("an error"), 100 * fixed.off)};
}

DeadRow dead_of(const Trace& trace, const char* way) {
  return needed(row_where<DeadRow>(trace, having(&DeadRow::way, way)));
}
bool names_it(const DeadRow& row) { return row.sender == 0 && row.receiver == 1 && row.what == "aside"; }
int what_fast_does(const Trace& trace) {  // of the options
  const DeadRow row = dead_of(trace, kFast);
  return row.error.empty() ? 0 : row.ms < row.deadline ? 1 : 2;
}

ClaimResult one_graph(const Trace& trace) {
  const AcrossRow row = needed(rows_in<AcrossRow>(trace)).front();
  return holds_if(row.same == row.ranks, tr("a layer on each rank, one backward: {} of {} gradients have one "
                                            "process's bits",
                                            row.same, row.ranks));
}

ClaimResult dead_is_named(const Trace& trace) {
  const DeadRow fast = dead_of(trace, kFast), walked = dead_of(trace, kWalked);
  return {
      both(names_it(walked) && walked.ms < walked.deadline, names_it(fast) && fast.ms < fast.deadline),
      tr("rank 0 sends a value aside. FAST: an error after {:.0f} ms, the deadline is {:.0f} ms. With a walk "
         "of the graph before: after {:.0f} ms",
         fast.ms, fast.deadline, walked.ms)};
}

Value ways(const FigureInput& input) {
  Bars bars{{tr("beside one process's gradient"), "", false, 0.0},
            {{tr("cosine"), hue(0)}, {tr("length"), hue(1)}},
            {},
            false};
  for (const GradientRow& row : rows_in<GradientRow>(input.trace))
    bars.rows.push_back({row.way, {row.cosine, row.length}});
  return bars;
}
std::string ways_sentence(const FigureInput& input) {
  return tr("Own rows put back, the loss of all rows on every rank: {}.",
            in_words(way_of(input.trace, kPutBack)));
}

// The mean over ranks of the loss of each step: that of all rows.
std::vector<Point> losses_of(const Trace& trace, const std::string& name) {
  const SectionView* section = trace.find(name);
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
      if (auto points = losses_of(input.trace, name); !points.empty())
        lines.lines.push_back(
            {name, hue(nth), way == kPutBack ? Stroke::kDots : Stroke::kMeasured, std::move(points)});
      ++nth;
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
  std::vector<SpanEvent> backward;  // of each rank
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const SpanEvent& span : section.spans(rank))
      if (input.trace.name(span.name) == "backward") backward.push_back(span);
  if (std::ssize(backward) != section.ranks()) throw NotRun();
  const int64_t first_ns = std::ranges::min(backward, {}, &SpanEvent::start_ns).start_ns;
  const auto ms = [&](int64_t ns) { return double(ns - first_ns) * 1e-6; };
  Lanes lanes{{tr("since backward began"), "ms"}, {}, {}};
  for (const SpanEvent& span : backward) {
    const size_t lane = lanes.lanes.size();
    lanes.lanes.push_back(tr("rank {}", span.rank)), lanes.lanes.push_back(tr("its sums"));
    double from = ms(span.start_ns);
    for (const CollectiveEvent& event : section.collectives(span.rank)) {
      if (event.state != CollectiveState::kCompleted || input.trace.name(event.tag) != "gradients") continue;
      const std::string parameter = parameter_of(input.trace.name(event.unit));
      const double asked = ms(event.time_created_ns);
      lanes.items.push_back({lane + 1, asked, ms(event.time_completed_ns), parameter, Ink::kGradients});
      if (event.time_created_ns > span.end_ns) continue;
      lanes.items.push_back({lane, from, asked, parameter, Ink::kActivations});
      from = asked;
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
  Lanes lanes{{tr("since forward began"), "ms"}, {}, {}};
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const SpanEvent& span : section.spans(rank)) first_ns = std::min(first_ns, span.start_ns);
  const auto ms = [&](int64_t ns) { return double(ns - first_ns) * 1e-6; };
  std::map<std::pair<NameId, NameId>, const CollectiveEvent*> sent;  // by tag and unit
  for (int rank = 0; rank < section.ranks(); ++rank) {
    lanes.lanes.push_back(tr("rank {}", rank));
    for (const SpanEvent& span : section.spans(rank))
      if (const std::string& name = trace.name(span.name); name == "forward" || name == "backward")
        lanes.items.push_back({size_t(rank), ms(span.start_ns), ms(span.end_ns), name,
                               name == "forward" ? Ink::kParameters : Ink::kActivations});
    for (const CollectiveEvent& event : section.collectives(rank))
      if (event.op == Op::kSend && event.state == CollectiveState::kCompleted)
        sent[{event.tag, event.unit}] = &event;
  }
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const CollectiveEvent& event : section.collectives(rank)) {
      const auto from = sent.find({event.tag, event.unit});
      const std::string& tag = trace.name(event.tag);
      if (event.op != Op::kRecv || event.state != CollectiveState::kCompleted || from == sent.end()) continue;
      if (tag != "value" && tag != "gradient") continue;
      const std::string name = trace.name(event.unit).substr(trace.name(event.unit).find(": ") + 2);
      lanes.arrows.push_back({size_t(from->second->rank), size_t(rank), ms(from->second->time_created_ns),
                              ms(event.time_completed_ns), tag == "value" ? name : tr("d{}", name)});
    }
  return lanes;
}

// Behind ", " or "; "; all of it where there is none.
std::string behind(const std::string& text, size_t sign) {
  return sign == std::string::npos ? text : text.substr(sign + 2);
}

Value dead(const FigureInput& input) {
  Table table{columns({"rank 0 sends a value aside", "error after [ms]", "deadline [ms]", "who is named"}),
              {}};
  for (const DeadRow& row : rows_in<DeadRow>(input.trace))
    table.rows.push_back(cells(
        behind(row.way, row.way.find(", ")), cell(row.ms, 0), cell(row.deadline, 0),
        row.sender < 0 ? row.error : tr("rank {} sent '{}' to rank {}", row.sender, row.what, row.receiver)));
  return table;
}

Value orders(const FigureInput& input) {
  Table table{columns({"rank 1 in another order", "gradient off by [%]", "error names"}), {}};
  for (const OrderRow& row : rows_in<OrderRow>(input.trace))
    table.rows.push_back(
        cells(behind(row.way, row.way.find(", ")), std::isnan(row.off) ? cell("—") : cell(100 * row.off, 0),
              row.error.empty() ? tr("no error") : behind(row.error, row.error.rfind("; "))));
  return table;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
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
                                           .figures = {{"ways", ways, ways_sentence},
                                                       {"losses", losses},
                                                       {"graph", graph},
                                                       {"timeline", timeline},
                                                       {"hooks"},
                                                       {"orders", orders},
                                                       {"across", across},
                                                       {"dead", dead}}});
}

}  // namespace ringside::lessons::autograd
