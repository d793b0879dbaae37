// What a run records. All times are simulated: seconds of the network's virtual clock.
//
//   training    the scenario: every message, iteration, read, chain and loss
//   undisturbed, worker replaced, no copy     the same with nobody killed; a worker killed and another added;
//               a server killed that nobody has a copy of
//   rules       BSP, SSP(s) and ASP, with stragglers drawn at random, without any, and with a slow worker
//   kills       any one server and any two, with 0, 1 and 2 backups
//   bytes       the same training through one filter after another
//   traffic     whole pulls and whole pushes, over 1 to 16 servers
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "ringside/parameter_server/stragglers.h"
#include "ringside/trace/server_rows.h"

namespace ringside::parameter_server_lesson {

inline constexpr char kTraining[] = "training", kUndisturbed[] = "undisturbed",
                      kReplaced[] = "worker replaced", kNoCopy[] = "no copy", kRules[] = "rules",
                      kKills[] = "kills", kBytes[] = "bytes", kTraffic[] = "traffic";

inline constexpr uint32_t kRanges = 8;
inline constexpr double kTarget = 0.22;      // the loss that is asked for
inline constexpr int64_t kBatches = 12;      // of a worker, through each filter
inline constexpr int64_t kDraws = 7;         // of stragglers
inline constexpr int64_t kFewStaleness = 8;  // of the SSP that is tried with all kinds of stragglers
inline constexpr char kBsp[] = "BSP", kFew[] = "SSP(8)", kAsp[] = "ASP";
inline constexpr double kComputeS = 0.1;        // an iteration, without its messages
inline constexpr double kStraggling = 0.1;      // of the iterations, drawn one by one, take
inline constexpr double kStragglingFactor = 4;  // times as long; so does each of a slow worker

// Attributes of a training, beside what trace/server_rows.h says.
inline constexpr char kWorkers[] = "workers";

// ---- Rows of the other sections -------------------------------------------------------------------------

struct RuleRow {  // medians over the draws of stragglers; they are random, none, or a slow worker
  static constexpr Columns kTable{"rules",           "stragglers", "rule",   "s",        "idle [%]",
                                  "to the loss [s]", "iterations", "of BSP", "at least", "at most"};
  std::string straggler, rule;
  int64_t staleness = 0;  // as kStaleness: of BSP 0, of ASP -1
  double idle = 0;        // of the workers' time, in a run of at least 50 s iterations
  double seconds = 0, iterations = 0, of_bsp = 0;  // simulated; of all workers; draw by draw
  double low = 0, high = 0;                        // of of_bsp's interval of 95 %
};

struct KillRow {
  static constexpr Columns kTable{"kills", "copies", "first", "second", "lost", "seconds [s]"};
  int64_t copies = 0, first = 0, second = 0;  // servers that are killed; the same: one
  int64_t lost = 0;                           // acknowledged pushes whose values were gone
  double seconds = 0;                         // simulated, until all ranges were read again
};

struct CopyRow {  // of all trials: each server, or each two
  static constexpr Columns kTable{"copies",       "copies", "killed", "trials",        "with a loss",
                                  "acknowledged", "lost",   "twice",  "read again [s]"};
  int64_t copies = 0, killed = 0, trials = 0, with_loss = 0, acknowledged = 0, lost = 0;
  int64_t twice = 0;   // pushes that were applied once too often
  double seconds = 0;  // at most
};

struct ByteRow {  // of the same training, between workers and servers
  static constexpr Columns kTable{"bytes",        "filter", "keys [bytes]", "values [bytes]",
                                  "rest [bytes]", "loss",   "pulled [%]"};
  std::string filter;  // or what stands in its place
  int64_t keys = 0, values = 0, rest = 0;
  double loss = 0;    // after the same iterations and samples; -1: of others
  double pulled = 0;  // of the weights, in a worker's pull
  int64_t all() const { return keys + values + rest; }
};
// Filters, and lists of keys with a general compressor.
inline constexpr char kNone[] = "none", kCaching[] = "caching", kRepeated[] = "caching, lists repeat",
                      kHalf[] = "fp16 values", kInt8[] = "int8 values", kTop[] = "a tenth of the values",
                      kPacked[] = "zstd on the values", kZipped[] = "zstd on the keys",
                      kHashed[] = "zstd on hashed keys", kAll[] = "caching, repeat, int8";

// Points of curves: of a rule the loss over simulated seconds; of a node what it sends and receives in a
// step, in Ψ (all weights), over the number of servers; and what all nodes together send.
inline constexpr char kMeanServer[] = "the servers' mean", kBusiest[] = "the busiest server",
                      kEachWorker[] = "a worker", kCopied[] = "the servers' mean, 2 copies",
                      kBoth[] = "worker and server on one machine", kRingRank[] = "a ring's rank, calculated",
                      kAllSent[] = "sent by all", kRingSent[] = "sent by a ring, calculated";

// ---- The parts of the run: jobs, one after the other ---------------------------------------------------

struct Job {
  std::string phase;
  std::function<void()> run;
};
using Jobs = std::vector<Job>;
inline double rounded(double value) { return std::round(value * 1e3) / 1e3; }
using Pen = std::function<Recorder&()>;  // of a section that is there once it is called; time stands still
Pen pen_for(TraceStore& store, const char* section);

void add_training(const Config& config, const std::string& section, const RunContext& context, Jobs& jobs);
void add_rules(const Config& config, const RunContext& context, Jobs& jobs);
void add_kills(const Config& config, const RunContext& context, Jobs& jobs);
void add_bytes(const Config& config, const RunContext& context, Jobs& jobs);
void add_traffic(const Config& config, const RunContext& context, Jobs& jobs);
void check_nodes(const std::string& kill);  // UsageError for a list that names no nodes

std::vector<FigureOf> training_figures();
std::vector<Readout> training_readouts(const FigureInput& input);
std::vector<LiveLine> live_lines(const FigureInput& input);
std::vector<FigureOf> comparison_figures();
std::vector<QuestionOf> questions();
std::vector<ClaimOf> claims();

// ---- Read from the trace --------------------------------------------------------------------------------
// What is read from a run: by figures, claims and questions.

// Li et al., OSDI 2014, figure 13 and section 5.1: theirs, on up to 1000 machines.
inline constexpr double kPaperIdleAt0 = 50, kPaperIdleAt16 = 1.7;
inline constexpr int64_t kPaperStaleness = 16, kPaperBest = 8;

// NotRun where it is not there, as of those that follow.
inline RuleRow rule_of(const Trace& trace, const std::string& straggler, const std::string& rule) {
  return row_of<RuleRow>(trace, straggler, rule);
}
inline CopyRow copies_of(const Trace& trace, int64_t copies, int64_t killed) {
  return row_of<CopyRow>(trace, copies, killed);
}
inline ByteRow bytes_with(const Trace& trace, const std::string& filter) {
  return row_of<ByteRow>(trace, filter);
}
inline double traffic_at(const Trace& trace, const char* node, double servers) {
  for (const figure::Point& point : curve(trace, kTraffic, node))
    if (point.x == servers) return point.y;
  return figure::kNone;
}
inline double share(double part, double of) { return of > 0 ? 100 * part / of : 0; }  // %
inline double saved_by(const Trace& trace, const std::string& filter) {
  return 100 - share(double(bytes_with(trace, filter).all()), double(bytes_with(trace, kNone).all()));
}
inline double last_loss(const Trace& trace, const char* section) {
  const auto& losses = needed(trace.find(section)).scalars(0);
  return losses.empty() ? throw NotRun() : losses.back().value;
}

// ---- The scenario ---------------------------------------------------------------------------------------
// From the words of a scenario to the engine's configuration.

inline constexpr uint64_t kKeys = 600;

std::shared_ptr<const ps::Samples> samples_of(const Config& config);
// A rule is its staleness: 0 is BSP, -1 is ASP.
int64_t staleness_of(const Config& config);
ps::Consistency consistency_of(int64_t staleness);
std::string name_of_rule(int64_t staleness);  // BSP, SSP(8), ASP
ps::StragglerConfig speeds_of(const Config& config, const std::string& straggler);
ps::Filters filters_of(const std::string& word);
// A group of all keys, on the scenario's servers and workers.
ps::Cluster cluster_of(const Config& config);

}  // namespace ringside::parameter_server_lesson
