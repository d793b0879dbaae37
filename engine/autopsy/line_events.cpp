// The lines are those of torch/csrc/distributed/c10d (ProcessGroupNCCL.cpp, ProcessGroupWrapper.cpp,
// TraceUtils.h, ProcessGroupGloo.cpp, TCPStore.cpp), torch/distributed/elastic, NCCL's WARN lines, and
// launchers.
#include "line.h"

#include <algorithm>

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

// "1, 2" of "[1, 2] finished ..." or "Ranks 1, 2 failed".
std::vector<int> ranks_in(std::string_view text) {
  std::vector<int> ranks;
  while (!text.empty() && ranks.size() < 4096) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto rank = number_behind(text.substr(0, comma), "");
    if (!rank || *rank < 0 || *rank > kMostRanks) break;
    ranks.push_back(static_cast<int>(*rank));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ranks;
}

// "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000)"
LoggedCall call_in(std::string_view text) {
  LoggedCall call;
  const std::string_view op = behind(text, "OpType=");
  call.op = std::string(op.substr(0, std::min(op.find_first_of(",)"), size_t{40})));
  call.seq = number_behind(text, "SeqNum=").value_or(number_behind(text, "SequenceNumber=").value_or(-1));
  call.numel_in = number_behind(text, "NumelIn=").value_or(-1);
  call.numel_out = number_behind(text, "NumelOut=").value_or(-1);
  const std::string_view shape = between(text, "TensorShape=[", "]");
  if (shape.data() != nullptr) call.shape = "[" + std::string(shape.substr(0, 60)) + "]";
  return call;
}

// "[PG ID 0 PG GUID 0(default_pg) Rank 1]" -> "0(default_pg)"; "[PG 1 Rank 0]" -> "1"
std::string group_in(std::string_view text) {
  std::string_view group = between(text, "PG GUID ", " Rank ");
  if (group.empty()) group = between(text, "[PG ", " Rank ");
  if (group.starts_with("ID ")) group.remove_prefix(3);
  if (group.starts_with("0 (")) group = "0";
  return std::string(group.substr(0, 60));
}

std::optional<LogEvent> watchdog(std::string_view text) {
  if (has(text, "Work") && has(text, "OpType=") &&
      has_any(text, {"operation timeout", "timed out in blocking wait"})) {
    LogEvent made = event(Kind::kTimeout, "", rank_behind(text, "[Rank "));
    made.call = call_in(text);
    made.timeout_ms = number_behind(text, "Timeout(ms)=").value_or(-1);
    made.ran_ms = number_behind(text, "ran for ").value_or(-1);
    return made;
  }
  if (has(text, "last enqueued")) {
    LogEvent made = event(Kind::kProgress, "", rank_behind(text, " Rank "));
    made.group = group_in(text);
    for (const std::string_view word : {"at work: ", "at NCCL work: ", "work sequence id: "})
      if (made.call.seq < 0) made.call.seq = number_behind(text, word).value_or(-1);
    for (const std::string_view word : {"last enqueued NCCL work:", "last enqueued work:"})
      if (made.enqueued < 0) made.enqueued = number_behind(text, word).value_or(-1);
    for (const std::string_view word : {"last completed NCCL work:", "last completed work:"})
      if (made.completed < 0) made.completed = number_behind(text, word).value_or(-1);
    return made;
  }
  if (has_any(text, {"watchdog got stuck", "eartbeat monitor timed out", "no heartbeat of its watchdog"})) {
    LogEvent made = event(Kind::kStuck, "", rank_behind(text, " Rank "));
    made.group = group_in(text);
    return made;
  }
  if (has_any(text, {"dump signal", "a timeout signal", "global timeout"})) {
    LogEvent made = event(Kind::kSignal);
    if (const int from = rank_behind(text, "from rank "); from >= 0) made.ranks = {from};
    return made;
  }
  return std::nullopt;
}

std::optional<LogEvent> desync(std::string_view text) {
  if (has(text, "Detected mismatch between collectives")) {
    LogEvent made = event(Kind::kFingerprint, "", rank_behind(text, "ranks. Rank "));
    const size_t but = text.find("but Rank ");
    made.call = call_in(text.substr(0, but));
    if (but == std::string_view::npos) return made;
    made.ranks = {rank_behind(text.substr(but), "but Rank ")};
    made.other = call_in(text.substr(but));
    if (made.other.op.empty())  // "but Rank 1 is running collective: REDUCE."
      made.other.op = std::string(between(text.substr(but), "collective: ", ".").substr(0, 40));
    return made;
  }
  if (has_any(text, {"didn't join collective #", "didn't finish collective #"})) {
    LogEvent made = event(Kind::kLagging);
    const size_t open = text.rfind('[', text.find("collective #"));  // a prefix may have brackets too
    if (open != std::string_view::npos) made.ranks = ranks_in(between(text.substr(open), "[", "]"));
    made.call.seq = number_behind(text, "didn't join collective #")
                        .value_or(number_behind(text, "didn't finish collective #").value_or(-1));
    if (made.ranks.empty()) return std::nullopt;
    return made;
  }
  if (has(text, "failed to pass monitoredBarrier")) {
    LogEvent made = event(Kind::kLagging, "monitoredBarrier");
    const size_t failed = text.find(" failed to pass");
    const size_t named = std::max(text.rfind("Rank ", failed) + 1, text.rfind("Ranks ", failed) + 1);
    if (named > 0) made.ranks = ranks_in(behind(text.substr(named - 1, failed - named + 1), " "));
    return made;
  }
  return std::nullopt;
}

std::optional<LogEvent> store(std::string_view text) {
  if (has(text, "clients joined") || has(text, "client socket has timed out") ||
      has_any(text, {"RendezvousTimeoutError", "RendezvousConnectionError"}))
    return event(Kind::kRendezvous, "not all came");
  if (has_any(text, {"ddress already in use", "EADDRINUSE"}))
    return event(Kind::kRendezvous, "the port is taken");
  if (has(text, "waitForInput: ") && has(text, "timed out after")) return event(Kind::kStoreWait);
  if (has(text, "is setting up NCCL communicator")) {
    LogEvent made = event(Kind::kStoreWait, "", rank_behind(text, "["));
    if (const int root = rank_behind(text, "from ["); root >= 0) made.ranks = {root};
    if (has_any(text,
                {"onnection reset", "roken pipe", "onnection closed", "onnection was", "failed to recv"}))
      made.kind = Kind::kPeerLost;
    return made;
  }
  return std::nullopt;
}

std::optional<LogEvent> transport(std::string_view text) {
  if (has(text, "Duplicate GPU detected")) {
    LogEvent made = event(Kind::kSetup, "one GPU twice");
    made.ranks = {rank_behind(text, "rank "), rank_behind(text, "and rank ")};
    return made;
  }
  if (has_any(text, {"creating shared memory segment", "insufficient shared memory", "posix_fallocate failed",
                     "out of shared memory"}) ||
      (has_any(text, {"shm", "shared memory"}) && has(text, "No space left on device")))
    return event(Kind::kSetup, "shared memory");
  if (has_any(text, {"ismatched NCCL version", "NCCL version mismatch"}))
    return event(Kind::kSetup, "versions of NCCL differ");
  if (has(text, "no socket interface found")) return event(Kind::kSetup, "no network interface");
  if (has(text, "Mismatched collective detected")) {
    LogEvent made = event(Kind::kFingerprint);
    if (const int rank = rank_behind(text, "around rank "); rank >= 0) made.ranks = {rank};
    return made;
  }
  const bool warns = has(text, "NCCL WARN");
  if (has_any(text, {"Got completion from peer", "Got completion with error"}) &&
      !has_any(text, {"error 5,", "status=5 "}))
    return event(Kind::kNetwork, "a completion with an error");
  if (warns && has_any(text, {"No route to host", "Network is unreachable", "onnection timed out",
                              "Call to ibv_", "Port down", "port error", "link down"}))
    return event(Kind::kNetwork, "no way through");
  if (warns && has(text, "Cuda failure"))
    return event(has(text, "out of memory") ? Kind::kOutOfMemory : Kind::kGpuFault, "Cuda failure in NCCL");
  return std::nullopt;
}

std::optional<LogEvent> gloo(std::string_view text) {
  if (has(text, "Timed out waiting ") && has_any(text, {"recv operation", "send operation"}))
    return event(Kind::kGlooTimeout, has(text, "recv operation") ? "recv" : "send");
  if (has(text, "Application timeout caused pair closure")) return event(Kind::kGlooTimeout, "pair");
  return std::nullopt;
}

std::optional<LogEvent> peer_lost(std::string_view text) {
  if (has_any(text, {"onnection closed by", "onnection reset by peer", "Broken pipe", "ncclRemoteError",
                     "remote process exited", "recvValue failed", "onnection was likely closed"}))
    return event(Kind::kPeerLost);
  return std::nullopt;
}

constexpr size_t kMostCommand = 4096;

std::optional<LogEvent> of_launch(std::string_view text) {
  const bool settings = has_any(text, {"zero_config", "num_local_procs=", "dist_world_size=",
                                       "using world size: ", "Num processes: ", "nproc_per_node   : "});
  if (!settings && !is_launch(text)) return std::nullopt;
  return event(settings ? Kind::kSettings : Kind::kLaunch, text.substr(0, kMostCommand));
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

bool is_launch(std::string_view line) {
  return has_any(line, {"torchrun ", "torch.distributed.run ", "torch.distributed.launch ",
                        "accelerate launch ", "deepspeed ", "mpirun ", "mpiexec ", "srun "}) &&
         has_any(line, {" --", " -np ", " -n "}) && !has_any(line, {"rror", "File \""});
}

LogEvent event(LogEventKind kind, std::string_view what, int rank) {
  LogEvent made;
  made.kind = kind;
  made.what = std::string(what);
  made.rank = rank;
  return made;
}

LogEvent exit_event(std::string_view what, int64_t exit_code, int rank) {
  LogEvent made = event(Kind::kExit, what, rank);
  made.exit_code = static_cast<int>(std::clamp<int64_t>(exit_code, -255, 255));
  return made;
}

std::optional<LogEvent> line_event(const Line& line) {
  const std::string_view text = line.whole;
  std::optional<LogEvent> made = watchdog(text);
  for (const auto parse : {desync, store, transport, gloo, mpi_event}) {
    if (made) break;
    made = parse(text);
  }
  if (!made) made = process_event(line);
  if (!made) made = peer_lost(text);
  if (!made) made = work_event(line);
  if (!made) made = of_launch(line.content);
  if (!made) return std::nullopt;
  // What is told of oneself inside a group has the group's rank, the prefix that of the world.
  if (made->rank < 0 && made->kind != Kind::kFingerprint && has_any(text, {"[PG ", "[Rank "}))
    made->rank = rank_behind(text, "Rank ");
  if (line.rank >= 0 && made->kind != Kind::kFingerprint) made->rank = line.rank;
  if (made->local_rank < 0) made->local_rank = line.local_rank;
  return made;
}

std::optional<LogEvent> work_event(const Line& line) {
  for (const std::string_view word : words_of_work())
    if (has(line.whole, word)) return event(Kind::kWork, word, line.rank);
  return std::nullopt;
}

std::optional<LogEvent> exception_event(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string_view type = text.substr(0, end);
  const bool named = type.ends_with("Error") || type.ends_with("Exception") || type.ends_with("Interrupt") ||
                     type.ends_with("Timeout") || type.ends_with("Exit") || type.ends_with("Expired");
  if (!named || (end < text.size() && text[end] != ':')) return std::nullopt;
  if (has_any(type,
              {"ChildFailedError", "SignalException", "KeyboardInterrupt", "SystemExit", "CalledProcessError",
               "ProcessExitedException", "ProcessRaisedException", "DistBackendError", "DistNetworkError",
               "DistStoreError", "ActorDiedError", "RayTaskError", "TimeoutExpired"}) ||
      has_any(text,
              {"NCCL communicator was aborted", "NCCL error in", "Socket Timeout", "wait timeout after"}))
    return std::nullopt;
  return event(Kind::kException, text.substr(0, 200));
}

std::span<const std::string_view> words_of_work() {
  static constexpr std::string_view kWords[] = {"Running tokenizer", "Tokenizing",    "Saving checkpoint",
                                                "Saving model",      "Map (num_proc", "Converting format",
                                                "Grouping texts",    "Saving state"};
  return kWords;
}

std::span<const std::string_view> words_of_failure() {
  static constexpr std::string_view kWords[] = {
      // Python, PyTorch, a process's end
      "WorkNCCL(", "operation timeout", "last enqueued", "Traceback (most recent", "Error", "Exception",
      "exitcode", "out of memory", "watchdog got stuck", "eartbeat", " signal", "global timeout",
      "Detected mismatch", "didn't join", "didn't finish", "Timed out", "timed out", "monitoredBarrier",
      "onnection", "Broken pipe", "clients joined", "ddress already in use", "setting up NCCL",
      "most recent call first", "(local_rank:", "return code", "Mismatched", "Process ", "Thread ",
      "orch version", "torch==", "oom", "OOM", "Killed", "SIGKILL", "Segmentation", "low on memory",
      // NCCL, CUDA and the devices
      "NCCL WARN", "nranks ", "Duplicate GPU", "ncclRemote", "remote process", "no socket interface",
      "Got completion", "CUDA error", "CUDNN_STATUS", "CUBLAS_STATUS", "Xid", "ECC", "shared memory",
      "posix_fallocate",
      // launchers and what they print of a job
      "torchrun ", "torch.distributed.run ", "torch.distributed.launch ", "accelerate launch ", "deepspeed ",
      "mpirun ", "mpiexec ", "srun ", "zero_config", "num_local_procs=", "dist_world_size=",
      "using world size: ", "Num processes: ", "nproc_per_node   : ", "Exited with exit code",
      // MPI, UCX and UCC
      "MPI_ABORT", "MPI_Abort", "noticed that", "MPI_ERR", "reported by process", "RUNNING AT",
      "KILLED BY SIGNAL", "EXIT CODE", "EXIT STATUS", "EXIT STRING", "Exit code:", "time limit", "TIME LIMIT",
      "TIMED OUT", "unexpectedly disc", "lost communication", "PMIX ERROR", "essage truncated",
      "Communication error", "UCX", "UCC", "Transport retry", "Caught signal", "progress communication"};
  return kWords;
}

}  // namespace ringside::inline logs
