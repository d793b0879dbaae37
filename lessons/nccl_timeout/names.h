// What the experiment writes into its sections and its figures and panel read: names of sections, attributes
// and rows, once.
//
// Sections, in the order in which they run. Those of kind "hang", "fixed" and "check" are trainings with
// collectives of two groups, "dp" (gradients) and "default" (metrics, evaluation); those of kind "outputs"
// are trainings without a fault, whose memory is compared; those of kind "plan" hold no events.
//
//   symptom                                            act 1   hang
//   fix timeout | fix outputs | fix barrier | fix rank act 1   hang, and the last one fixed
//   plan 7B | plan here                                act 2, 4  plan
//   original, V1, V2, V3, V1 mismatch, V2 mismatch     act 3   outputs
//   chunked, compressed                                act 3   outputs
//   original in turns, V3 in turns                     act 3   outputs: timed, a step and an evaluation each
//   live                                               act 4   hang
//   case 1 .. case 13, each also " check", " fixed"    act 5   hang, check, fixed
//   own                                                faults=FILE: hang; "own without": nothing noticed it
#pragma once

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "ringside/trace/rows.h"

namespace ringside::nccl_lesson {

inline constexpr double kSourceDeadlineS = 600;  // of the source's log: Timeout(ms)=600000

// Of every section that trains.
inline constexpr char kAct[] = "act";          // "1" .. "5", "own"
inline constexpr char kKind[] = "kind";        // hang, fixed, check, outputs, plan
inline constexpr char kTitle[] = "title";      // for people: "V1, eval() misses the module"
inline constexpr char kReturns[] = "outputs";  // what forward returns: original, v1, v2, v3
inline constexpr char kDefaultDeadlineMs[] = "default_deadline_ms";  // of one of the group default
inline constexpr char kDeadlineMs[] = "deadline_ms";                 // of a collective of dp
inline constexpr char kEnded[] = "ended";  // once it has: completed, timeout, mismatch, peer_lost, ...
// From the first entry into the stuck collective to the last end.
inline constexpr char kEndedMs[] = "ended_after_ms";
inline constexpr char kShownLog[] = "shown_log";  // the one line that the learner gets
inline constexpr char kStuck[] = "stuck";         // "dp#45": the collective of the log line
inline constexpr char kMissing[] = "missing";     // in words, "0,1,2": ranks that did not call it
inline constexpr char kSentence[] = "sentence";   // the merged report in one sentence
// What went wrong. Nothing shows it before the learner has named a rank and a cause.
inline constexpr char kCulprit[] = "culprit", kCause[] = "cause";
inline constexpr char kSays[] = "says", kFix[] = "fix";  // the cause and what mends it, in words
inline constexpr char kOptions[] = "options";            // "late_gather,killed": what may be answered
inline constexpr char kOptionWords[] = "option words";   // the same in words, with |

// Of kind "outputs", measured. Peaks are of rank 0, of all categories.
inline constexpr char kTrainingPeak[] = "training_peak_bytes", kEvaluationPeak[] = "evaluation_peak_bytes";
inline constexpr char kGathered[] = "gathered_bytes";  // received by one rank in an evaluation
inline constexpr char kStepMs[] = "step_ms", kEvaluationMs[] = "evaluation_ms";
inline constexpr char kReturnedTraining[] = "returned_in_training";  // hidden states: yes or no
inline constexpr char kReturnedEvaluation[] = "returned_in_evaluation";
inline constexpr char kOriginalInTurns[] = "original in turns", kV3InTurns[] = "V3 in turns";

// Of kind "plan".
inline constexpr char kModel[] = "model";  // "Qwen2.5-VL-7B, 251 classes"
inline constexpr char kLimit[] = "reduce_bucket_size";
inline constexpr char kFirstBucket[] = "first_bucket";  // elements

struct Piece {  // a gradient, in the order of backward, past the first bucket's end
  static constexpr char kTable[] = "pieces";
  std::string name = "", group = "";
  int64_t elements = 0;
};
void visit_fields(RowOf<Piece> auto& row, auto&& visit) {
  visit(Field{"name", "of the parameter"}, row.name);
  visit(Field{"group", "of the parameter"}, row.group);
  visit(Field{"elements", "of the gradient"}, row.elements);
}

struct LogRow {  // a log of the source, taken apart
  static constexpr char kTable[] = "logs of the source";
  std::string log = "";
  int64_t sequence = 0, elements = 0, rest = 0, classes = 0, accumulate = 0, steps = 0;
};
void visit_fields(RowOf<LogRow> auto& row, auto&& visit) {
  visit(Field{"log", "which of the three"}, row.log);
  visit(Field{"SeqNum", "in DeepSpeed's group"}, row.sequence);
  visit(Field{"NumelIn", "elements"}, row.elements);
  visit(Field{"mod H", "what is left over rows of the hidden size"}, row.rest);
  visit(Field{"classes", "of the head that makes it the first bucket"}, row.classes);
  visit(Field{"g", "micro-batches a step that make it the first call of a step"}, row.accumulate);
  visit(Field{"steps", "whole ones before it"}, row.steps);
}

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

struct StackOfRank {  // of one that was alive, where something is stuck
  static constexpr char kTable[] = "stacks";
  int64_t rank = 0;
  std::string stack = "";  // half a deadline after the stuck call was made: "rank 0: save checkpoint"
};
void visit_fields(RowOf<StackOfRank> auto& row, auto&& visit) {
  visit(Field{"rank", "which"}, row.rank);
  visit(Field{"stack", "where its thread stood while the others waited"}, row.stack);
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
inline std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}
// "case 2 check" -> 2; 0 for another section.
inline int case_of(const std::string& section) {
  return section.starts_with("case ") ? std::atoi(section.c_str() + 5) : 0;
}
// Whether a fix or a check of a case: what they show is the answer.
inline bool tells(const std::string& section) {
  return section == "fix rank" || (case_of(section) > 0 && section.find(' ', 5) != std::string::npos);
}

// A log while somebody is asked how many elements it names: "NumelIn=?".
inline std::string without_sizes(std::string log) {
  for (const std::string name : {"NumelIn=", "NumelOut="})
    for (size_t at = log.find(name); at != std::string::npos; at = log.find(name, at + 1)) {
      const size_t begin = at + name.size(),
                   end = std::min(log.find_first_not_of("0123456789", begin), log.size());
      log.replace(begin, end - begin, "?");
    }
  return log;
}

// ---- Answers: the same in the terminal and in the room ----------------------------

// What may be looked at. Each costs one look, wherever it is taken.
inline constexpr const char* kLooks[] = {"logs", "counters", "stacks", "dump", "verdict"};
inline constexpr const char* kNobody = "nobody";  // instead of a rank: all are in the call

enum class Answered : uint8_t { kNothing, kRight, kOnlyRank, kOnlyCause, kWrong };
// by_rank: the rank alone is asked for.
inline Answered judge(const SectionView& section, const std::string& rank, const std::string& cause,
                      bool by_rank) {
  const std::string truth = attribute(section, kCause);
  const bool right_rank = rank == attribute(section, kCulprit) || (rank == kNobody && truth == "inside");
  const bool right_cause = by_rank ? right_rank : cause == truth;
  if (right_rank && right_cause) return Answered::kRight;
  return right_rank ? Answered::kOnlyRank : right_cause ? Answered::kOnlyCause : Answered::kWrong;
}

}  // namespace ringside::nccl_lesson
