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
    {"broadcast", "a + b[0]"},
    {"out", "torch.add(a, b, out=c)"}};

// Why Python's a + b cannot be timed; "" where it can, and `child` has then imported torch.
std::string start_python(const Config& config, RunControl& control, std::unique_ptr<Child>& child) {
  if (!config.is_on("python")) return tr("python=off");
  try {
    if (!missing_modules({"torch"}, control).empty())
      return tr("this Python has no torch; {} has it", debian_package("torch"));
    child = std::make_unique<Child>(python_command(lessons::dispatch::embedded("a_plus_b.py")), control);
    if (child->next([](const JsonObject&) {})) return "";
  } catch (const CancelledError&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
  return tr("Python ended early");
}

void run(const Config& config, const RunContext& context) {
  use_one_thread();
  std::unique_ptr<Child> child;
  const std::string no_python = start_python(config, context.control, child);
  const int64_t largest = config.integer("elements");
  std::vector<int64_t> sizes;
  for (int64_t n = 1; n < largest; n *= 10) sizes.push_back(n);
  sizes.push_back(largest);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t n = sizes[i];
    std::vector<Way> all = ways(n);
    if (no_python.empty())
      all.push_back({kPython, [&](int64_t calls) {
                       double ns = 0;
                       child->send(std::to_string(n) + " " + std::to_string(calls));
                       child->next(
                           [&](const JsonObject& event) { ns = json_number(event.at("ns"), "ns", 0, 1e12); });
                       return ns;
                     }});
    Attributes attributes = {{kElements, n}};
    if (!no_python.empty()) attributes[kNoPython] = no_python;
    const std::string name = n == 1 ? tr("1 element") : tr("{} elements", format_count(n));
    Recorder& recorder = *context.store.add_section(name, attributes, 1).front();
    time_in_turns(all, {config.integer("rounds"), 0.5e6, [&] { context.control.pass_step(); }},
                  [&](const std::string& way, int64_t round, double ns) { recorder.scalar(way, round, ns); });
    context.progress({name, static_cast<int64_t>(i) + 1, static_cast<int64_t>(sizes.size())});
  }
  auto calls = kCalls;  // the one that was asked for comes last, and is what is shown
  std::stable_partition(calls.begin(), calls.end(),
                        [&](const auto& call) { return call.first != config.text("call"); });
  for (const auto& [name, words] : calls)
    look_at(name, *context.store.add_section(name, {{kWords, words}}, 1).front());
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
  lesson.predictions = questions();
  lesson.words = {"The first calls are timed.", "Now follow a call from station to station.", "round",
                  "station"};
  lesson.run = dispatch_lesson::run;
  return lesson;
}

}  // namespace ringside::lessons::dispatch
