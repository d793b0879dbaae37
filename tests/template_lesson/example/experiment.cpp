// Counts what a rank sends in an all-reduce: the smallest whole lesson, with a question and a figure of each
// kind beside it. Copy this folder, rename it, its id and the namespace; notes/adding_a_lesson.md goes on.
#include "embedded.h"
#include "parts.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/world/world.h"

namespace ringside::lessons::example {

double buffer_bytes(const Config& config) { return 4 * config.real("elements"); }  // fp32

namespace {

// Bytes that a rank sent in one all-reduce, the mean over ranks and steps; none before the first.
std::optional<double> sent_as_counted(const Trace& trace) {
  const SectionView* section = trace.find(kSection);
  double bytes = 0, calls = 0;
  for (int rank = 0; section != nullptr && rank < section->ranks(); ++rank)
    for (const CollectiveEvent& event : section->collectives(rank)) {
      if (event.op != Op::kAllReduce || event.state != CollectiveState::kCompleted) continue;
      bytes += static_cast<double>(event.bytes_sent);
      ++calls;
    }
  if (calls == 0) return std::nullopt;
  return bytes / calls;
}

// The option that is right: who counted the most bytes sent in all-reduces, one in a hundred apart or more.
int rank_that_sent_most(const Trace& trace) {
  const SectionView* section = trace.find(kSection);
  std::vector<double> sent;  // of each rank
  for (int rank = 0; section != nullptr && rank < section->ranks(); ++rank) {
    sent.push_back(0);
    for (const CollectiveEvent& event : section->collectives(rank))
      if (event.op == Op::kAllReduce) sent.back() += static_cast<double>(event.bytes_sent);
  }
  const auto [least, most] = std::minmax_element(sent.begin(), sent.end());
  if (sent.empty() || *most == 0) return -1;
  if (*least > 0.99 * *most) return 2;
  return most == sent.begin() ? 0 : 1;
}

ClaimResult less_than_twice(const Trace& trace) {
  const double sent = needed(sent_as_counted(trace));
  const SectionView& section = needed(trace.find(kSection));
  const double times = needed(sent / section.number("buffer bytes"));  // none of no element
  return holds_if(times < 2, tr("{:g} of the buffer on {} ranks", times, section.ranks()));
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
  const auto symbols = [](const Config& config) -> std::vector<Symbol> {
    return {{"N", "ranks", config.real("ranks")}, {"B", "bytes of the buffer", buffer_bytes(config)}};
  };
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {{"sent", sent_as_counted}, {"most", rank_that_sent_most}},
                    .symbols = symbols,
                    .claims = {{"less-than-twice", less_than_twice}},
                    .figures = figures(),
                    .readouts = readouts});
}

}  // namespace ringside::lessons::example
