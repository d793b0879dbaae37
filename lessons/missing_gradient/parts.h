// A model of five layers and an expert that one rank's batch leaves unused, trained by data parallelism with
// a bucket a layer. Backward reaches the buckets in this order: top, expert, layer 3, 2, 1, 0.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::missing_gradient {

inline constexpr int kLayers = 4;  // below the expert
inline constexpr int kBuckets = kLayers + 2;
inline constexpr int kExpertBucket = 1;
// Sections. SGD without momentum but in kUnused, which is AdamW.
inline constexpr char kAll[] = "all ranks use it", kOne[] = "one rank leaves it out",
                      kUnused[] = "no rank uses it in step 1",
                      kSkipsNone[] = "that rank's optimizer skips None",
                      kSkips[] = "that rank skips the bucket",
                      kSilent[] = "that rank skips a bucket of the same size";
inline constexpr char kError[] = "error", kAbsent[] = "absent";

// What a step did to the expert on a rank.
struct MoveRow {
  static constexpr char kTable[] = "moves";
  int64_t rank = 0, step = 0;
  double moved = 0, value = 0;
};
void visit_fields(RowOf<MoveRow> auto& row, auto&& visit) {
  visit(Field{"rank", "that was looked at"}, row.rank);
  visit(Field{"step", "from 0"}, row.step);
  visit(Field{"moved", "norm of the change of the expert's parameters"}, row.moved);
  visit(Field{"value", "norm of these parameters afterwards"}, row.value);
}

// How one rank reduced a bucket, from its collectives and its backward pass.
struct Reduced {
  int rank = 0, bucket = 0;
  double asked_ms = 0, done_ms = 0;  // since the first backward began: the call, and its end
  bool in_backward = false;          // asked for while backward went on
};
std::vector<Reduced> reduced(const Trace& trace, const char* section);
std::vector<MoveRow> moves(const Trace& trace, const char* section);
std::string bucket_name(int bucket);                     // "expert"
int absent_of(const Trace& trace, const char* section);  // the rank; -1 where it was not run
// Buckets behind the expert's that the absent rank asked for only after its backward; none: not run.
std::optional<int> late_behind(const Trace& trace);
std::vector<FigureSpec> figures();

void run(const Config& config, const RunContext& context);

}  // namespace ringside::missing_gradient
