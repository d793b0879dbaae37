// What happens between a + b and the additions: each station looked at, entered alone, and timed.
#include "embedded.h"
#include "record.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::dispatch_lesson {
namespace {

const std::vector<std::pair<std::string, std::string>> kCalls = {  // as one writes them in Python
    {"plain", "a + b"},
    {"requires_grad", "a.requires_grad_() + b"},
    {"no_grad", "with no_grad(): a.requires_grad_() + b"},
    {"inference_mode", "with inference_mode(): a + b"},
    {"autocast", "with autocast('cpu'): a + b"},
    {"autocast_mm", "with autocast('cpu'): a @ b.T"},
    {"bfloat16", "a.bfloat16() + b.bfloat16()"},
    {"int_float", "a.long() + b"},
    {"number", "a.long() + 1.5"},
    {"broadcast", "a + b[0]"}};

Way python_way(Child& child, int64_t elements) {
  return {kPython, [&child, elements](int64_t calls) {
            double ns = 0;
            child.send(std::to_string(elements) + " " + std::to_string(calls));
            child.next([&](const JsonObject& event) { ns = json_number(event.at("ns"), "ns", 0, 1e12); });
            return ns;
          }};
}

// Starts the child, if it is wanted, and waits until it has imported torch; else says what is missing.
std::string start_python(const Config& config, RunControl& control, std::unique_ptr<Child>& child) {
  if (!config.is_on("python")) return "";
  if (const std::string missing = why_no_python({"torch"}, control); !missing.empty()) return missing;
  auto python = std::make_unique<Child>(python_command(lessons::dispatch::embedded("a_plus_b.py")), control);
  try {
    if (python->next([](const JsonObject&) {})) child = std::move(python);
  } catch (const ChildFailed& error) {  // its torch cannot be imported
    return error.what();
  }
  return child ? "" : tr("Python ended before the first call");
}

void run(const Config& config, const RunContext& context) {
  use_one_thread();
  std::unique_ptr<Child> child;
  if (const std::string missing = start_python(config, context.control, child); !missing.empty()) {
    TraceRows rows;
    rows.lines = {tr("a + b in Python is not timed: {}.", missing)};
    context.store.set_rows(rows);
  }
  const int64_t largest = config.integer("elements");
  std::vector<int64_t> sizes = {1};
  while (sizes.back() < largest) sizes.push_back(std::min(10 * sizes.back(), largest));
  int64_t done = 0;
  for (const int64_t n : sizes) {
    std::vector<Way> all = ways(n);
    if (child) all.push_back(python_way(*child, n));
    const std::string name = n == 1 ? kOneElement : tr("{} elements", format_count(n));
    record_timings(all, {config.integer("rounds"), 0.5e6, [&] { context.control.pass_step(); }},
                   *context.store.add_section(name, {}, 1).front());
    context.progress({name, ++done, std::ssize(sizes)});
  }
  auto calls = kCalls;  // the one that was asked for comes last, and is what is shown
  std::stable_partition(calls.begin(), calls.end(),
                        [&](const auto& call) { return call.first != config.text("call"); });
  for (const auto& [name, words] : calls)
    look_at(name, *context.store.add_section(name, {{kWords, words}}, 1).front());
}

// Of the call that the scenario names.
std::optional<double> operators_called(const FigureInput& input) {
  const auto call = call_of(input.trace, input.config.text("call"));
  return call ? std::optional(static_cast<double>(call->called)) : std::nullopt;
}
std::optional<double> stations_passed(const FigureInput& input) {
  const SectionView* section = input.trace.find(input.config.text("call"));
  if (section == nullptr || !section->has(kWords)) return std::nullopt;
  return static_cast<double>(rows_in<Station>(section).size());
}

}  // namespace
}  // namespace ringside::dispatch_lesson

namespace ringside::lessons::dispatch {

Lesson make_lesson() {
  using namespace dispatch_lesson;
  std::vector<std::string> names;
  for (const auto& [name, words] : kCalls) names.push_back(name);
  Lesson lesson;
  lesson.parameters = {
      choice("call", "the call whose stations are shown", "plain", names),
      number("elements", "of the largest tensors", "", "1000000", 10, 1e8, ParameterKind::kCount),
      number("rounds", "that each way is timed, in turns", "", "25", 6, 99),
      choice("python", "time Python's a + b too, where it has torch", "on", {"on", "off"})};
  lesson.figures = figures();
  lesson.claims = claims();
  lesson.gauges = {{tr("operators called"), "", operators_called}, {tr("stations"), "", stations_passed}};
  lesson.predictions = questions();
  lesson.words = {"The first calls are timed.", "Now follow a call from station to station.", "round",
                  "station"};
  lesson.run = dispatch_lesson::run;
  return lesson;
}

}  // namespace ringside::lessons::dispatch
