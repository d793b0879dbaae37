// What one line of a job's log says, where it says something of a failure. notes/autopsy.md has the lines by
// version of PyTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::inline logs {

inline constexpr int kMostRanks = 1 << 20;  // a greater number in a line is no rank

enum class LogEventKind : uint8_t {
  kTimeout,      // the watchdog of NCCL, UCC or another device's group: WorkNCCL(SeqNum=..., OpType=...)
  kProgress,     // which call of the group was the last that was enqueued, and completed
  kStuck,        // the watchdog itself does not answer (heartbeat)
  kSignal,       // another rank said that something is wrong
  kFingerprint,  // TORCH_DISTRIBUTED_DEBUG=DETAIL: two ranks made different calls
  kLagging,      // desync debug, or monitoredBarrier: `ranks` did not come
  kException,    // of the program itself
  kOutOfMemory,  // of a GPU
  kGpuFault,     // CUDA error, ECC, Xid
  kCrash,        // a segmentation fault, a bus error
  kKilled,       // by SIGKILL, or the kernel for want of memory
  kExit,         // a launcher says with which code a rank ended
  kPeerLost,     // a connection broke, or the remote process ended
  kStoreWait,    // rank 0 of a group has not yet opened its communicator
  kRendezvous,   // not all ranks came together, or a port was taken
  kSetup,        // one GPU twice, versions that differ, no shared memory
  kNetwork,      // a network card or route reports an error
  kGlooTimeout,  // a send or recv of Gloo, which names no rank
  kWork,         // a progress bar, a checkpoint: what a rank was busy with
  kStack,        // a thread's stack by faulthandler or py-spy
  kFact,         // a version
  kLaunch,       // a launcher's command line, in `what`
  kSettings      // names and values of DeepSpeed's, in `what`
};

// One call of a group, as a line names it. -1: the line does not say it.
struct LoggedCall {
  std::string op;  // "ALLREDUCE"
  int64_t seq = -1;
  int64_t numel_in = -1, numel_out = -1;
  std::string shape;  // "[25]", where a line has this instead
  bool operator==(const LoggedCall&) const = default;
};
std::string call_words(const LoggedCall& call);  // "#41 ALLREDUCE of 1,024 elements"

// When a line was written. Without `is_utc` it is by the clock of its host, in a zone that is not said.
struct LineTime {
  int64_t ms = -1;  // since 1970; -1: not known
  bool is_utc = false;
  bool has_year = true;
};

enum class StepForm : uint8_t { kIteration, kStep, kBar, kEpoch };
// The training's own line of progress.
struct LoggedStep {
  StepForm form = StepForm::kStep;
  int64_t step = 0, of = 0;  // of: 0 where the line does not say how many there are
  double epoch = 0;          // kEpoch, which has no step
  int rank = -1;             // in the world; -1: the line does not say it
  int file = 0;              // index into Log::files
  int64_t line = 0;          // from 1
  std::string text{};        // at most 160 bytes
};

struct LogEvent {
  LogEventKind kind = LogEventKind::kFact;
  int rank = -1;               // in the world; -1: the line does not say it
  int local_rank = -1;         // on its node
  int file = 0;                // index into Log::files
  int64_t line = 0;            // from 1
  LineTime time{};             // of the line, or of the last one before it that has one
  std::string text{};          // the line without colours, at most 400 bytes
  std::string group{};         // "0", "1(dp)"; "": not known
  LoggedCall call{}, other{};  // other: of `ranks[0]`, kFingerprint
  int64_t timeout_ms = -1;
  int exit_code = 0;         // kExit; below 0: a signal
  std::vector<int> ranks{};  // others that it names
  std::string what{};        // "ValueError: no such key", "shared memory"
  std::string where{};       // the innermost frame: "train.py:12 in step"
};

}  // namespace ringside::inline logs
