// Faults as data: what goes wrong, on which rank, at which step and operation. A lesson reads the same file
// in the study room and in the terminal. A step or call of -1 is every one, as of a bug that is always there.
//
//   {"faults": [{"kind": "delay", "rank": 2, "step": 5, "group": "dp", "tag": "gradients",
//                "call": 0, "when": "before", "seconds": 1.5}]}
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline faults {

enum class FaultKind : uint8_t {
  kSkip,           // the call is not made
  kExtra,          // another all-reduce, of `elements`, is made before it
  kWrongSize,      // made with `elements` more than it should have
  kWrongDtype,     // made with another element type, float64 (float32 where it is float64)
  kOtherTensor,    // made with the right size and type, and other contents: no fingerprint sees it
  kDelay,          // the rank sleeps for `seconds`
  kStop,           // the rank sleeps until it is woken by an abort
  kKill,           // the rank's function returns without leaving its groups
  kRaise,          // the rank's code throws
  kNan,            // one element of the rank's own input becomes NaN
  kStale,          // made, and what comes of it is thrown away for what came of it the time before
  kOneBatchMore,   // the rank's data has one more batch: a training step where the others evaluate
  kEvaluatesAlone  // the rank evaluates after that step and nobody else does
};
std::string_view to_string(FaultKind kind);  // "skip", "wrong_size", "one_batch_more" ...

// It happens to the rank's loop, and to no collective.
constexpr bool is_of_loop(FaultKind kind) {
  return kind == FaultKind::kOneBatchMore || kind == FaultKind::kEvaluatesAlone;
}

// When a delay, stop, kill or raise strikes: before the call; inside it, between this rank's entering and its
// leaving; or after the call has completed on this rank.
enum class FaultMoment : uint8_t { kBefore, kInside, kAfter };
std::string_view to_string(FaultMoment moment);  // "before"

// A rank, a step, a call: all of them, what is before the first step too. No file can say every rank.
inline constexpr int kEvery = -1;

struct Fault {
  FaultKind kind = FaultKind::kDelay;
  int rank = 0;
  int64_t step = 0;  // training step, from 0; an evaluation belongs to the step before it
  // It strikes the `call`-th collective (from 0) of that step that matches these. "" matches any.
  std::string group{}, tag{}, unit{};
  int64_t call = 0;
  FaultMoment when = FaultMoment::kBefore;
  std::chrono::nanoseconds time{0};  // of a delay
  int64_t elements = 1;              // of kExtra and kWrongSize
  bool silent = false;  // of a kill: nobody is told that the rank is gone, as when a cable is cut
  bool operator==(const Fault&) const = default;
};
// As a sentence, for people who do not know the file's keys: "rank 2 sleeps for 1.5 s before call 0 of
// gradients, step 5".
std::string in_words(const Fault& fault);

struct FaultPlan {
  std::vector<Fault> faults;
  bool operator==(const FaultPlan&) const = default;
};

// InputError for an unknown key, kind or moment, a missing field or a value out of range. It names `source`,
// the fault's number, the field and what is allowed. At most 1 MiB and 1,000 faults.
FaultPlan parse_fault_plan(std::string_view json, const std::string& source);
FaultPlan read_fault_plan(const std::string& file);

}  // namespace ringside::inline faults
