// What the experiment writes into its sections and the panel reads: names of sections and attributes, once.
//
// Sections, in the order in which they run. Those of kind "hang", "fixed" and "check" are trainings with
// collectives of two groups, "dp" (gradients, norm) and "default" (metrics, evaluation); those of kind
// "outputs" are trainings without a fault, whose memory is compared; those of kind "plan" hold no events.
//
//   symptom                                         act 1   hang
//   fix timeout | fix outputs | fix rank            act 1   hang, hang, fixed
//   plan 7B | plan here                             act 2, 4  plan
//   original, V1, V2, V3, each also " mismatch"     act 3   outputs
//   chunked, compressed                             act 3   outputs
//   original in turns, V3 in turns                  act 3   outputs: timed, a step and an evaluation each
//   hang chunked | hang compressed                  act 3   hang
//   live                                            act 4   hang
//   case 1 .. case 4, each also " check", " fixed"  act 5   hang, check, fixed
//   own                                             faults=FILE: hang; "own without": nothing noticed it
#pragma once

#include <optional>
#include <string>

#include "ringside/trace/rows.h"

namespace ringside::nccl_lesson {

inline constexpr double kSourceDeadlineS = 600;  // of the source's log: Timeout(ms)=600000

// Of every section that trains.
inline constexpr char kAct[] = "act";                 // "1" .. "5", "own"
inline constexpr char kKind[] = "kind";               // hang, fixed, check, outputs, plan
inline constexpr char kTitle[] = "title";             // for people: "V1, flags disagree"
inline constexpr char kReturns[] = "outputs";         // what forward returns: original, v1, v2, v3
inline constexpr char kDeadlineMs[] = "deadline_ms";  // of a collective
inline constexpr char kEnded[] = "ended";  // once it has: completed, timeout, mismatch, peer_lost, ...
inline constexpr char kEndedMs[] =
    "ended_after_ms";  // from the first entry into the stuck collective to the last end
inline constexpr char kShownLog[] = "shown_log";  // the one line that the learner gets
inline constexpr char kStuck[] = "stuck";         // "dp#45": the collective of the log line
inline constexpr char kMissing[] = "missing";     // in words, "0,1,2": ranks that did not call it
inline constexpr char kSentence[] = "sentence";   // the merged report in one sentence
// What went wrong. A panel does not show it before the learner has named a rank and a cause.
inline constexpr char kCulprit[] = "culprit";  // a rank
inline constexpr char kCause[] =
    "cause";  // late_gather, one_batch_more, evaluates_alone, killed, stuck_loader

// Of kind "outputs", measured.
inline constexpr char kTrainingPeak[] = "training_peak_bytes";      // all categories, rank 0, within a step
inline constexpr char kEvaluationPeak[] = "evaluation_peak_bytes";  // within an evaluation
inline constexpr char kGathered[] = "gathered_bytes";               // received by one rank in an evaluation
inline constexpr char kStepMs[] = "step_ms";
inline constexpr char kEvaluationMs[] = "evaluation_ms";
inline constexpr char kReturnedTraining[] = "returned_in_training";  // hidden states: yes or no
inline constexpr char kReturnedEvaluation[] = "returned_in_evaluation";

inline constexpr char kOriginalInTurns[] = "original in turns";
inline constexpr char kV3InTurns[] = "V3 in turns";

// Of kind "plan".
inline constexpr char kModel[] = "model";  // "Qwen2.5-VL-7B, 251 classes"
inline constexpr char kLimit[] = "reduce_bucket_size";
// Gradients in ready order, past the first bucket's end: "score.bias|head|251;score.weight|head|899584;..."
inline constexpr char kPieces[] = "pieces";             // a table: name, group, elements
inline constexpr char kFirstBucket[] = "first_bucket";  // elements

// One rank waits in a call of a group for another. Where the waits close a cycle, those of the cycle, in its
// order; else those in the collective of the log line. Recorded when the training is over.
struct RankWait {
  static constexpr char kTable[] = "waits";
  int64_t rank = 0;
  std::string group;
  int64_t call = 0;  // its number in the group
  int64_t for_rank = 0;
};
void visit_fields(RowOf<RankWait> auto& row, auto&& visit) {
  visit(Field{"rank", "that waits"}, row.rank);
  visit(Field{"group", "of the call"}, row.group);
  visit(Field{"call", "its number in the group"}, row.call);
  visit(Field{"for rank", "that is not in it"}, row.for_rank);
}

// What is left of one rank when the training is over.
struct LastOfRank {
  static constexpr char kTable[] = "last of ranks";
  int64_t rank = 0;
  std::string log = "";       // what it printed last; "" where nothing
  std::string did_last = "";  // of the merged report
  bool dumped = true;         // no: it left no dump
};
void visit_fields(RowOf<LastOfRank> auto& row, auto&& visit) {
  visit(Field{"rank", "which"}, row.rank);
  visit(Field{"log", "what it printed last"}, row.log);
  visit(Field{"did last", "of the merged report"}, row.did_last);
  visit(Field{"dumped", "whether it left a dump"}, row.dumped);
}

// Of a section that has none, and while it runs: nothing printed, nothing done.
inline LastOfRank last_of(const SectionView& section, int rank) {
  for (const LastOfRank& row : rows_as<LastOfRank>(section))
    if (row.rank == rank) return row;
  return {.rank = rank};
}

// A call that a planned fault struck and that was made all the same: other contents, another size or type.
struct StruckCall {
  static constexpr char kTable[] = "struck calls";
  int64_t rank = 0;
  std::string group = "";
  int64_t call = 0;       // its number in the group
  std::string what = "";  // the fault's kind: "other_tensor"
};
void visit_fields(RowOf<StruckCall> auto& row, auto&& visit) {
  visit(Field{"rank", "that the fault was planned for"}, row.rank);
  visit(Field{"group", "of the call"}, row.group);
  visit(Field{"call", "its number in the group"}, row.call);
  visit(Field{"what", "the kind of the fault"}, row.what);
}

// In words; "" where it is missing.
inline std::string attribute(const SectionView& section, const std::string& key) {
  const Attribute* found = section.find(key);
  return found == nullptr ? "" : found->text();
}

// None where it is missing or no number.
inline std::optional<double> number_in(const SectionView& section, const std::string& key) {
  const Attribute* found = section.find(key);
  return found == nullptr ? std::nullopt : found->number();
}

inline bool is_yes(const SectionView& section, const std::string& key) {
  return section.has(key) && section.yes(key);
}

}  // namespace ringside::nccl_lesson
