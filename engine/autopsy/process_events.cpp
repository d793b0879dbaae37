// What happens to a process: its GPU, a signal, its end as a launcher tells it.
#include "line.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

std::optional<LogEvent> gpu(std::string_view text) {
  if (has_any(text, {"CUDA out of memory", "CUDA error: out of memory", "HIP out of memory",
                     "NPU out of memory"}) ||
      (has(text, "OutOfMemoryError") && !has(text, "ray.")))
    return event(Kind::kOutOfMemory);
  if (has_any(text, {"NVRM: Xid", "uncorrectable ECC", "fallen off the bus"}))
    return event(Kind::kGpuFault, "hardware");
  if (has_any(text, {"CUDA error: ", "device-side assert", "CUDNN_STATUS_", "CUBLAS_STATUS_"}))
    return event(Kind::kGpuFault, "CUDA error");
  return std::nullopt;
}

std::optional<LogEvent> killed(std::string_view text, std::string_view content) {
  if (has_any(text, {"oom_kill event", "oom-kill", "Out of memory: Killed", "running low on memory",
                     "OOMKilled", "oom_killed"}))
    return event(Kind::kKilled, "the host had no memory left");
  if (has(text, "DataLoader worker") && has(text, "killed by signal: Killed"))
    return event(Kind::kKilled, "a process of the data loader");
  if (has(text, "CANCELLED") && has(text, "DUE TO TIME LIMIT"))
    return event(Kind::kKilled, "the scheduler's time limit");
  if (has(text, "srun: error:") && has_any(text, {"Segmentation fault", "Bus error"}))
    return event(Kind::kCrash, "", rank_behind(text, ": task "));
  if (has_any(text,
              {"Fatal Python error: Segmentation", "Fatal Python error: Bus error", "Segmentation fault"}))
    return event(Kind::kCrash);
  if (has(text, "death signal")) return event(Kind::kKilled, "its launcher was told to end");
  if (has(text, "srun: error:") && has(text, ": Killed"))
    return event(Kind::kKilled, "", rank_behind(text, "task "));
  if (trimmed(content) == "Killed") return event(Kind::kKilled);
  return std::nullopt;
}

std::optional<LogEvent> exit_of(std::string_view text) {
  if (has(text, "failed (exitcode: ")) {
    LogEvent made = exit_event("", number_behind(text, "exitcode: ").value_or(0));
    made.local_rank = rank_behind(text, "local_rank: ");
    return made;
  }
  if (has_any(text, {"Signals.SIGKILL", "terminated with signal SIGKILL"}))
    return exit_event("", -9, rank_behind(text, "process "));
  if (const auto code = number_behind(text, "Exited with exit code "); code && has(text, "srun: error:"))
    return exit_event("srun", *code, rank_behind(text, ": task "));
  if (const auto code = number_behind(text, "exits with return code = ")) return exit_event("", *code);
  return std::nullopt;
}

}  // namespace

std::optional<LogEvent> process_event(const Line& line) {
  std::optional<LogEvent> made = gpu(line.whole);
  if (!made) made = killed(line.whole, line.content);
  if (!made) made = exit_of(line.whole);
  return made;
}

}  // namespace ringside::inline logs
