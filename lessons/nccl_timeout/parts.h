// What the experiment writes into its sections, beside what any watched training does (trace/hang_rows.h) and
// any case (lesson/investigation.h): names of sections, attributes and rows, once.
//
// Sections, in the order in which they run. Those of kind "hang", "fixed" and "check" are trainings with
// collectives of two groups, "dp" (gradients) and "default" (metrics, evaluation); those of kind "outputs"
// are trainings without a fault, whose memory is compared; those of kind "plan" hold no events.
//
//   plan 7B | plan here                                acts 2, 4  plan
//   own                                                faults=FILE: hang; "own without": nothing noticed it
//   symptom                                            act 1   hang
//   fix timeout | fix outputs | fix barrier | fix rank act 1   hang, and the last one fixed
//   late timeout | late outputs                        act 1   fixed: the first two, where a rank is only
//   late original, V1, V2, V3, V1 mismatch, V2 mismatch     act 3   outputs chunked, compressed act 3 outputs
//   live                                               act 4   hang
//   case 1 .. case 13, each also " fixed", " check"    act 5   hang, fixed, check
#pragma once

#include "ringside/lesson/investigation.h"
#include "ringside/lesson/lesson_kit.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"

namespace ringside::nccl_lesson {

inline constexpr int kCases = 13, kCasesOfOneLine = 4;
inline constexpr double kSourceDeadlineS = 600;  // of the source's log: Timeout(ms)=600000
inline constexpr char kSource[] = "plan 7B", kHere[] = "plan here";

// Of every section that trains.
inline constexpr char kAct[] = "act";          // "1" .. "5", "own"
inline constexpr char kTitle[] = "title";      // for people: "V1, eval() misses the module"
inline constexpr char kReturns[] = "outputs";  // what forward returns: original, v1, v2, v3
// Of kind "outputs", measured. Peaks are of rank 0, of all categories.
inline constexpr char kTrainingPeak[] = "training_peak_bytes", kEvaluationPeak[] = "evaluation_peak_bytes";
inline constexpr char kGathered[] = "gathered_bytes";  // received by one rank in an evaluation
inline constexpr char kStepMs[] = "step_ms", kEvaluationMs[] = "evaluation_ms";
inline constexpr char kReturnedTraining[] = "returned_in_training";  // hidden states: yes or no
inline constexpr char kReturnedEvaluation[] = "returned_in_evaluation";
inline constexpr char kNextBucket[] = "first_bucket_after_evaluation";  // elements of gradients
inline constexpr char kKeptForBackward[] = "hidden_states_at_backward_bytes";
// Of kind "plan".
inline constexpr char kModel[] = "model";               // "Qwen2.5-VL-7B, 251 classes"
inline constexpr char kLimit[] = "reduce_bucket_size";  // elements

struct Piece {  // a gradient, in the order of backward, past the first bucket's end
  static constexpr Columns kTable{"pieces", "name", "group", "elements"};
  std::string name;      // of the parameter
  std::string group;     // of the parameter
  int64_t elements = 0;  // of the gradient
};

struct LogRow {  // a log of the source, taken apart
  static constexpr Columns kTable{
      "logs of the source", "log", "SeqNum", "NumelIn", "mod H", "classes", "g", "steps"};
  std::string log;         // which of the three
  int64_t sequence = 0;    // in DeepSpeed's group
  int64_t elements = 0;    // elements
  int64_t rest = 0;        // what is left over rows of the hidden size
  int64_t classes = 0;     // of the head that makes it the first bucket
  int64_t accumulate = 0;  // micro-batches a step that make it the first call of a step
  int64_t steps = 0;       // whole ones before it
};

// The reducer's rule: gradients drop into the bucket until one would pass the limit.
struct Bucket {
  std::vector<Piece> pieces;
  int64_t limit = 0;

  explicit Bucket(const SectionView& plan)
      : pieces(rows_in<Piece>(&plan)), limit(int64_t(number_in(plan, kLimit).value_or(0))) {}
  int64_t sum(size_t count) const {
    int64_t total = 0;
    for (size_t i = 0; i < std::min(count, pieces.size()); ++i) total += pieces[i].elements;
    return total;
  }
  size_t fits() const {  // a bucket holds at least one, however large
    size_t count = std::min<size_t>(1, pieces.size());
    while (count < pieces.size() && sum(count + 1) <= limit) ++count;
    return count;
  }
  size_t end_of_group(size_t from) const {
    size_t end = from;
    while (end < pieces.size() && pieces[end].group == pieces[from].group) ++end;
    return end;
  }
};

}  // namespace ringside::nccl_lesson
