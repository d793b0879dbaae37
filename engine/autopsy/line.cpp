#include "line.h"

#include <algorithm>
#include <charconv>

#include "ringside/autopsy/log.h"

namespace ringside::inline logs {
namespace {

constexpr size_t kPrefixEnds = 160;  // a prefix stands before this byte

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "[rank12]:" -> 12. The last one counts: "[default3]:[rank11]: ...". Where it ends is left in `end`.
std::optional<int> bracketed(std::string_view head, std::string_view open, std::string_view close,
                             size_t& end) {
  std::optional<int> found;
  for (size_t at = head.find(open); at != std::string_view::npos; at = head.find(open, at + 1)) {
    const size_t from = at + open.size();
    int number = -1;
    const auto [stop, error] = std::from_chars(head.data() + from, head.data() + head.size(), number);
    const auto behind = size_t(stop - head.data());
    if (error != std::errc() || number < 0 || number >= kMostRanks ||
        head.substr(behind, close.size()) != close)
      continue;
    found = number;
    end = std::max(end, behind + close.size());
  }
  return found;
}

// Slurm's --label: "  3: ...", only at the beginning of a line.
std::optional<int> slurm_label(std::string_view head, size_t& end) {
  const size_t from = std::min(head.find_first_not_of(' '), size_t{6});
  const size_t at = std::min(head.find_first_not_of("0123456789", from), head.size());
  if (at <= from || at - from > 6 || head.substr(at, 2) != ": ") return std::nullopt;
  int number = 0;
  std::from_chars(head.data() + from, head.data() + at, number);
  end = at + 1;
  return number;
}

// Open MPI's --tag-output: "[1,3]<stderr>:" -> 3.
std::optional<int> mpi_tag(std::string_view head, size_t& end) {
  if (!head.starts_with("[1,")) return std::nullopt;
  size_t to = 0;
  const auto rank = bracketed(head.substr(0, 24), "[1,", "]<std", to);
  const size_t colon = head.find(">:");
  if (!rank || colon == std::string_view::npos) return std::nullopt;
  end = colon + 2;
  return rank;
}

// Kubernetes' "2024-08-23T22:22:51.873Z stdout F ", and Ray's "(Worker pid=4009, ip=10.0.0.1) ".
size_t other_prefix(std::string_view head) {
  size_t end = 0;
  if (head.size() > 20 && is_digit(head[0]) && head[4] == '-' && head[10] == 'T')
    end = std::min(head.find(' '), head.size());
  for (const std::string_view stream : {" stdout F", " stderr F"})
    if (end > 0 && head.substr(end).starts_with(stream)) end += stream.size();
  const size_t ray = head.find(" pid=");
  if (head.starts_with('(') && ray != std::string_view::npos && head.find(')') != std::string_view::npos)
    end = head.find(')') + 1;
  return end;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

Line line_of(std::string_view line) {
  Line result{.whole = line, .content = line, .prefix = {}};
  const std::string_view head = line.substr(0, kPrefixEnds);
  size_t end = 0;
  std::optional<int> rank;
  if ((rank = mpi_tag(head, end)))
    result.rank = *rank;
  else if ((rank = slurm_label(head, end)))
    result.rank = *rank;
  else
    end = other_prefix(head);
  // What torchrun and PyTorch write is the rank itself; a task of Slurm may be a whole node.
  if ((rank = bracketed(head, "[default", "]:", end))) result.local_rank = *rank, result.rank = -1;
  if ((rank = bracketed(head, "[rank", "]:", end)) || (rank = bracketed(head, "[RANK ", "]", end)))
    result.rank = *rank;
  result.prefix = line.substr(0, end);
  result.content = line.substr(end);
  if (end > 0 && result.content.starts_with(' ')) result.content.remove_prefix(1);
  return result;
}

int quick_rank(std::string_view line) {
  const std::string_view head = line.substr(0, 64);
  size_t end = 0;
  if (const size_t at = head.find("[rank"); at != std::string_view::npos) {
    int rank = -1;
    const auto [stop, error] = std::from_chars(head.data() + at + 5, head.data() + head.size(), rank);
    const bool whole = error == std::errc() && stop < head.data() + head.size() && *stop == ']';
    return whole && rank >= 0 && rank < kMostRanks ? rank : -1;
  }
  if (const auto rank = slurm_label(head, end)) return *rank;
  return mpi_tag(head, end).value_or(-1);
}

void drop_colours(std::string& line) {
  size_t to = 0;
  for (size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '\x1b' && at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && !(line[at] >= '@' && line[at] <= '~')) ++at;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') continue;
    line[to++] = c;
  }
  line.resize(to);
}

std::string_view behind(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + word.size());
}

std::string_view between(std::string_view line, std::string_view from, std::string_view to) {
  const std::string_view rest = behind(line, from);
  const size_t end = rest.find(to);
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

std::optional<int64_t> number_behind(std::string_view line, std::string_view word) {
  std::string_view rest = behind(line, word);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return error == std::errc() && !rest.empty() ? std::optional(number) : std::nullopt;
}

bool has_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has(line, word); });
}

int rank_behind(std::string_view line, std::string_view word) {
  return int(std::clamp<int64_t>(number_behind(line, word).value_or(-1), -1, kMostRanks));
}

std::string_view last_written(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const size_t bar = line.rfind('\r');
  return bar == std::string_view::npos ? line : line.substr(bar + 1);
}

std::string readable_line(std::string_view line) {
  std::string clean(logs::last_written(line));
  logs::drop_colours(clean);
  return clean;
}

LogEvent event(LogEventKind kind, std::string_view what, int rank) {
  LogEvent made;
  made.kind = kind;
  made.what = std::string(what);
  made.rank = rank;
  return made;
}

LogEvent exit_event(std::string_view what, int64_t exit_code, int rank) {
  LogEvent made = event(LogEventKind::kExit, what, rank);
  made.exit_code = int(std::clamp<int64_t>(exit_code, -255, 255));
  return made;
}

std::optional<LogEvent> work_event(const Line& line) {
  for (const std::string_view word : words_of_work())
    if (has(line.whole, word)) return event(LogEventKind::kWork, word, line.rank);
  return std::nullopt;
}

std::optional<LogEvent> exception_event(const Line& line) {
  const std::string_view text = line.content;
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
  LogEvent made = event(LogEventKind::kException, text.substr(0, 200), line.rank);
  made.local_rank = line.local_rank;
  return made;
}

bool is_launch(std::string_view line) {
  return has_any(line, {"torchrun ", "torch.distributed.run ", "torch.distributed.launch ",
                        "accelerate launch ", "deepspeed ", "mpirun ", "mpiexec ", "srun "}) &&
         has_any(line, {" --", " -np ", " -n "}) && !has_any(line, {"rror", "File \""});
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
