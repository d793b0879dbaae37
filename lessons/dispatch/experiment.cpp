// What happens between a + b and the additions: each station looked at, entered alone, and timed.
#include "record.h"
#include "ringside/base/error.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::dispatch_lesson {
namespace {

void run(const Config& config, const RunContext& context) {
  use_one_thread();
  std::vector<int64_t> sizes;
  for (int64_t n = 1; n < config.integer("elements"); n *= 10) sizes.push_back(n);
  sizes.push_back(config.integer("elements"));
  const auto total = static_cast<int64_t>(sizes.size());
  Recorder& recorder = *context.store.add_section(kTimes, {}, 1).front();
  for (int64_t i = 0; i < total; ++i) {
    time_ways(sizes[i], config.integer("rounds"), recorder, context.control, {});
    context.progress({kTimes, i + 1, total});
  }
  std::vector<CallWords> calls = kCalls;  // the one that was asked for last, so that it is shown
  std::stable_partition(calls.begin(), calls.end(),
                        [&](const auto& call) { return call.name != config.text("call"); });
  for (const CallWords& call : calls)
    look_at(call.name, *context.store.add_section(call.name, {{"words", call.words}}, 1).front());
}

}  // namespace
}  // namespace ringside::dispatch_lesson

namespace ringside::lessons::dispatch {

Lesson make_lesson() {
  using namespace dispatch_lesson;
  std::vector<std::string> names;
  for (const CallWords& call : kCalls) names.push_back(call.name);
  Lesson lesson;
  lesson.parameters = {
      choice("call", "the call whose stations are shown", "plain", names),
      number("elements", "of the largest tensors", "", "1000000", 10, 1e8, ParameterKind::kCount),
      number("rounds", "that every way is timed, in turns", "", "9", 6, 99),
      choice("python", "time Python's a + b too, where it has torch", "on", {"on", "off"}),
  };
  lesson.figures = figures();
  lesson.claims = claims();
  lesson.predictions = questions();
  lesson.words = {"The first calls are timed.", "Now follow a call from station to station.", "round",
                  "station"};
  lesson.run = dispatch_lesson::run;
  return lesson;
}

}  // namespace ringside::lessons::dispatch
