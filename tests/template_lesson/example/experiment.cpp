// Counts what a rank sends in an all-reduce: the smallest whole lesson, with a question and a figure of each
// kind beside it. Copy this folder, rename it, its id and the namespace; notes/adding_a_lesson.md goes on.
#include <algorithm>
#include <sstream>

#include "parts.h"
#include "ringside/base/error.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/world/world.h"

namespace ringside::lessons::example {

double buffer_bytes(const Config& config) { return 4.0 * config.real("elements"); }  // fp32

// 2(N-1)/N of the buffer.
double sent_by_formula(const Config& config) {
  const double n = config.real("ranks");
  return 2 * (n - 1) / n * buffer_bytes(config);
}

// Bytes that a rank sent in one all-reduce, the mean over ranks and steps; none before the first.
std::optional<double> sent_as_counted(const Trace& trace) {
  const SectionView* section = trace.find(kSection);
  double bytes = 0, calls = 0;
  for (int rank = 0; section != nullptr && rank < section->ranks(); ++rank) {
    for (const CollectiveEvent& event : section->collectives(rank)) {
      if (event.op != Op::kAllReduce || event.state != CollectiveState::kCompleted) continue;
      bytes += static_cast<double>(event.bytes_sent);
      ++calls;
    }
  }
  if (calls == 0) return std::nullopt;
  return bytes / calls;
}

namespace {

// "An all-reduce of a buffer costs less than twice the buffer": from the trace alone.
ClaimResult judge_less_than_twice(const Trace& trace) {
  const auto sent = sent_as_counted(trace);
  const SectionView* section = trace.find(kSection);
  if (!sent || section->number("buffer bytes") == 0) return {Verdict::kNotTestable, "nothing was sent"};
  const double times = *sent / section->number("buffer bytes");
  std::ostringstream evidence;
  evidence << times << " of the buffer on " << section->ranks() << " ranks";
  return {times < 2 ? Verdict::kHolds : Verdict::kFails, evidence.str()};
}

// What every rank does: fill the buffer with ones, sum it over the ranks, look at the sum.
void run_rank(const Config& config, const RunContext& context, World& world) {
  ProcessGroup& group = world.group("dp");
  const int64_t steps = config.integer("steps");
  std::vector<float> buffer(static_cast<size_t>(config.integer("elements")));  // (elements)
  for (int64_t step = 0; step < steps; ++step) {
    if (!pass_step_boundary(group, context.control)) throw CancelledError();
    const SpanScope span(*world.recorder(), "step", step);
    std::fill(buffer.begin(), buffer.end(), 1.0f);
    group.all_reduce({buffer.data(), config.integer("elements")}, {"ones", ""})->wait();
    if (group.rank() != 0) continue;
    world.recorder()->scalar("sum", step, buffer.empty() ? 0 : buffer.back());
    context.progress({kSection, step + 1, steps});
  }
}

void run(const Config& config, const RunContext& context) {
  const int ranks = static_cast<int>(config.integer("ranks"));
  const auto recorders =
      context.store.add_section(kSection, {{"buffer bytes", 4 * config.integer("elements")}}, ranks);
  WorldOptions options;
  options.ranks = ranks;
  options.recorders = recorders;
  run_world(options, [&](World& world) { run_rank(config, context, world); });

  TraceRows rows;
  rows.outcome["sent_bytes"] = sent_as_counted(context.store.snapshot()).value_or(0);
  context.store.set_rows(rows);
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {
      {"ranks", "N, threads that take part", "", ParameterKind::kInteger, "4", 1, 8},
      {"elements", "fp32 values in the buffer", "", ParameterKind::kCount, "256Ki", 0, 1 << 26},
      {"steps", "all-reduces, one after the other", "", ParameterKind::kInteger, "20", 1, 1e9},
  };
  lesson.predictions = questions();
  lesson.claims = {
      {"less-than-twice", "arXiv:1910.02054", "an all-reduce sends less than twice its buffer",
       judge_less_than_twice},
  };
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::example
