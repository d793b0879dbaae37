#include "ringside/faults/plan.h"

#include <fmt/format.h>

#include <array>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/units.h"

namespace ringside::inline faults {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostFaults = 1000;
constexpr JsonLimits kLimits{.bytes = kMostBytes, .depth = 8, .values = 20'000};
constexpr int64_t kMostRanks = 1 << 20;
constexpr int64_t kMostSteps = 1'000'000'000;
constexpr int64_t kMostElements = 1 << 30;
constexpr double kMostSeconds = 86400;
constexpr size_t kLongestName = 200;

constexpr std::array<std::string_view, 13> kKinds = {
    "skip", "extra", "wrong_size", "wrong_dtype", "other_tensor",   "delay",          "stop",
    "kill", "raise", "nan",        "stale",       "one_batch_more", "evaluates_alone"};
constexpr std::array<const char*, kKinds.size()> kSentences = {
    "does not make {call}",
    "makes one more all-reduce before {call}",
    "makes {call}, with {elements} too many",
    "makes {call}, with another element type",
    "makes {call}, with another tensor of the same size",
    "sleeps for {time} {when}",
    "stops {when}",
    "is gone {when}",
    "throws {when}",
    "makes {call}, with a NaN in its input",
    "makes {call}, and keeps what came of it the time before",
    "has one batch more than the others after {step}",
    "evaluates alone after {step}"};
constexpr std::array<std::string_view, 3> kMoments = {"before", "inside", "after"};

bool may_be_inside(FaultKind kind) {
  return kind == FaultKind::kDelay || kind == FaultKind::kStop || kind == FaultKind::kKill ||
         kind == FaultKind::kRaise;
}

Fault read_fault(const Json& json) {
  const JsonObject object(json);
  object.allow(
      {"kind", "rank", "step", "group", "tag", "unit", "call", "when", "seconds", "elements", "silent"});
  Fault fault;
  fault.kind = static_cast<FaultKind>(object.choice("kind", kKinds));
  fault.rank = int(object.integer("rank", 0, kMostRanks));
  fault.step = object.integer("step", kEvery, kMostSteps);
  fault.group = object.text_or_empty("group", kLongestName);
  fault.tag = object.text_or_empty("tag", kLongestName);
  fault.unit = object.text_or_empty("unit", kLongestName);
  fault.call = object.integer("call", kEvery, kMostSteps, 0);
  fault.when = static_cast<FaultMoment>(object.choice("when", kMoments, 0));
  fault.elements = object.integer("elements", 1, kMostElements, 1);
  fault.silent = object.flag("silent", false);
  const Json* const seconds = object.find("seconds");
  if (fault.kind == FaultKind::kDelay && seconds == nullptr)
    throw JsonRejected("no 'seconds', which a delay needs: 0 to {}", kMostSeconds);
  const double length = seconds == nullptr ? 0 : json_number(*seconds, "seconds", 0, kMostSeconds);
  fault.time = std::chrono::nanoseconds(int64_t(length * 1e9));
  if (fault.when != FaultMoment::kBefore && !may_be_inside(fault.kind))
    throw JsonRejected("when: is for delay, stop, kill and raise; a {} happens to the call itself",
                       to_string(fault.kind));
  return fault;
}

std::string nth(const char* what, int64_t number) {
  return number == kEvery ? fmt::format("every {}", what) : fmt::format("{} {}", what, number);
}

std::string call_of(const Fault& fault) {
  std::string text = nth("call", fault.call);
  if (!fault.tag.empty()) text += " of " + fault.tag;
  if (!fault.unit.empty()) text += " (" + fault.unit + ")";
  if (!fault.group.empty()) text += " on " + fault.group;
  return fmt::format("{}, {}", text, nth("step", fault.step));
}

}  // namespace

std::string_view to_string(FaultKind kind) { return kKinds.at(size_t(kind)); }
std::string_view to_string(FaultMoment moment) { return kMoments.at(size_t(moment)); }

std::string in_words(const Fault& fault) {
  const std::string call = call_of(fault);
  const double seconds = std::chrono::duration<double>(fault.time).count();
  const std::string sentence = fmt::format(
      fmt::runtime(kSentences.at(size_t(fault.kind))), fmt::arg("call", call),
      fmt::arg("when", fmt::format("{} {}", to_string(fault.when), call)),
      fmt::arg("step", nth("step", fault.step)),
      fmt::arg("elements", fault.elements == 1 ? "1 element" : fmt::format("{} elements", fault.elements)),
      fmt::arg("time", format_duration(seconds)));
  const bool is_untold = fault.kind == FaultKind::kKill && fault.silent;
  return fmt::format("{} {}{}", nth("rank", fault.rank), sentence, is_untold ? ", and nobody is told" : "");
}

FaultPlan parse_fault_plan(std::string_view text, const std::string& source) {
  FaultPlan plan;
  std::string where = source;
  try {
    const Json json = parse_json(text, kLimits);
    const JsonObject object(json);
    object.allow({"faults"});
    for (const Json& fault : object.array("faults", 0, kMostFaults)) {
      where = fmt::format("{}: fault {}", source, plan.faults.size());
      plan.faults.push_back(read_fault(fault));
    }
    return plan;
  } catch (const JsonRejected& rejected) {
    throw InputError("{}: {}", where, rejected.why);
  }
}

FaultPlan read_fault_plan(const std::string& file) {
  return parse_fault_plan(read_file(file, kMostBytes), file);
}

}  // namespace ringside::inline faults
