#include "ringside/faults/words.h"

#include <fmt/format.h>

#include "ringside/base/units.h"

namespace ringside {
namespace {

std::string call_of(const Fault& fault) {
  std::string text = fmt::format("call {}", fault.call);
  if (!fault.tag.empty()) text += " of " + fault.tag;
  if (!fault.unit.empty()) text += " (" + fault.unit + ")";
  if (!fault.group.empty()) text += " on " + fault.group;
  return fmt::format("{}, step {}", text, fault.step);
}

}  // namespace

std::string in_words(const Fault& fault) {
  const std::string call = call_of(fault), when = fmt::format("{} {}", to_string(fault.when), call);
  const auto says = [&](const std::string& what) { return fmt::format("rank {} {}", fault.rank, what); };
  switch (fault.kind) {
    case FaultKind::kSkip:
      return says("does not make " + call);
    case FaultKind::kExtra:
      return says("makes one more all-reduce before " + call);
    case FaultKind::kWrongSize:
      return says(
          fmt::format("makes {}, with {} too many", call,
                      fault.elements == 1 ? "1 element" : fmt::format("{} elements", fault.elements)));
    case FaultKind::kWrongDtype:
      return says("makes " + call + ", with another element type");
    case FaultKind::kOtherTensor:
      return says("makes " + call + ", with another tensor of the same size");
    case FaultKind::kDelay:
      return says(fmt::format("sleeps for {} {}",
                              format_duration(std::chrono::duration<double>(fault.time).count()), when));
    case FaultKind::kStop:
      return says("stops " + when);
    case FaultKind::kKill:
      return says("is gone " + when + (fault.silent ? ", and nobody is told" : ""));
    case FaultKind::kRaise:
      return says("throws " + when);
    case FaultKind::kNan:
      return says("makes " + call + ", with a NaN in its input");
    case FaultKind::kOneBatchMore:
      return says(fmt::format("has one batch more than the others after step {}", fault.step));
    case FaultKind::kEvaluatesAlone:
      break;
  }
  return says(fmt::format("evaluates alone after step {}", fault.step));
}

}  // namespace ringside
