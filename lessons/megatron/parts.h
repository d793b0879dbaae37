// What a run records, and what is read out of it. Sections are trainings of one byte language model on the
// same texts:
//
//   pipeline                 over pp, with the scenario's schedule; rows of its passes (training_rows.h)
//   gpipe, 1f1b, ...         the other schedules
//   tensor, data parallel    over the same ranks; and "mesh", all three
//   ..., sequence            a rank has its own tokens alone between regions
//   one micro-batch          1F1B with the whole batch in one
//   two stages               pp2, for wall time beside the virtual clock
//   tp, ... tokens           two layers, one micro-batch of so many tokens; the same for ZeRO-3
#pragma once

#include <ranges>
#include <set>

#include "ringside/lesson/lesson_kit.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/clock.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/trace/measure.h"
#include "ringside/trace/training_rows.h"

namespace ringside::lessons::megatron {

inline constexpr char kData[] = "data parallel", kTensor[] = "tensor parallel", kPipe[] = "1f1b",
                      kMesh[] = "mesh", kPipeline[] = "pipeline", kSequence[] = "tensor parallel, sequence",
                      kOneMicro[] = "one micro-batch", kTwoStages[] = "two stages", kBits[] = "bits";
inline constexpr char kPassWidth[] = "activation bytes", kLink[] = "clock link",
                      kTokens[] = "tokens of a micro-batch", kHidden[] = "hidden";  // attributes
inline constexpr int64_t kHeads = 8;            // that tensor parallelism cuts
std::vector<std::string> schedules();           // names of those that run, in the order of pictures
int least_chunks(const std::string& schedule);  // that it takes; 1 of typed passes

// One run's parameters against one process that computes the same (train/emulation.h).
struct BitRow {
  static constexpr Columns kTable{"bits", "run", "same bits", "loss differs by"};
  std::string run;
  bool same = false;
  double loss = 0;  // largest relative difference of a step's loss from one process's without parts
};

// ---- The scenario ------------------------------------------------

ClassifierConfig model_of(const Config& config);
double parameter_bytes(const Config& config);   // P, of the whole model
double activation_bytes(const Config& config);  // A, B T H elements of a micro-batch
// Of the scenario's `pipeline`: a typed one has its own sizes.
PipelineSchedule schedule_of(const Config& config);
bool is_typed(const Config& config);
void run(const Config& config, const RunContext& context);

// ---- Bytes -------------------------------------------------------

// In one step, of all ranks.
struct Sent {
  double dp = 0, tp = 0, pp = 0;
  void add(const Sent& more, double times = 1) {
    dp += times * more.dp, tp += times * more.tp, pp += times * more.pp;
  }
  double all() const { return dp + tp + pp; }
};
// until_ns: of the step that this instant lies in, so far; none: of all steps, divided by them.
Sent sent_by_rank(const Trace& trace, const SectionView& section, int rank,
                  std::optional<int64_t> until_ns = {});
int64_t step_begin(const SectionView& section, int rank, int64_t time_ns);  // of the step that it lies in
Sent mean_sent(const Trace& trace, const char* section);  // of a rank; NotRun before it has ended
Sent sent_alone(const Trace& trace);                      // each of the three where it is alone
// What a rank sends for one layer in a step; the all-reduces of one layer in a micro-batch.
double layer_bytes(const Trace& trace, const SectionView& section);
double peak_activations(const Trace& trace, const char* section);  // of a rank
struct LayerCalls {
  double forward = 0, backward = 0, elements = 0;
};
LayerCalls layer_calls(const Trace& trace, const char* section);

// ---- Passes ------------------------------------------------------

// A section over pp as its rows tell it: the order that ran, and what each pass cost.
struct Passes {
  PipelineSchedule schedule;
  std::vector<std::vector<PipelinePass>> rows;  // (p) of all steps
  std::vector<std::vector<double>> cpu;         // (p) (place in the list) s, medians
  double width = 0;                             // bytes of a message
  LinkModel link;
  PipelineCosts costs() const;  // of kind, stage and chunk: medians
  PipelineTime equal() const;   // on the clock where a forward costs 1 and a backward 2 on every stage
  PipelineTime measured() const;
  std::vector<double> peak() const;  // (p) bytes of activations
  double kept() const;               // stage 0's peak, in micro-batches
};
Passes passes_of(const Trace& trace, const std::string& section);  // NotRun before it has ended
// A schedule's name is a section too: "pipeline" where the scenario chose it. NotRun before it has ended.
const SectionView& ended(const Trace& trace, const std::string& section);
bool has_ended(const Trace& trace, const std::string& section);

// Step by step, of "two stages", in s: the wall time, and the clock's with the passes' CPU times or with how
// long they took.
struct WallTimes {
  std::vector<double> wall, by_cpu, by_elapsed;
  double cpu = 0, elapsed = 0;  // of all passes; more elapsed than CPU time: others had the cores
  double crowded() const { return elapsed / cpu; }
};
WallTimes wall_times(const Trace& trace);

// Bytes of a layer against tokens, of tensor parallelism and of ZeRO-3.
struct Crossing {
  std::vector<figure::Point> tp, zero;
  double hidden = 0;
  double at() const;  // tokens where the measured lines cross; NaN where they do not
};
Crossing crossing_of(const Trace& trace);
std::string crossing_section(bool zero, int64_t tokens);

std::vector<ClaimOf> claims();
std::vector<FigureOf> figures();
Lesson make_lesson();

}  // namespace ringside::lessons::megatron
