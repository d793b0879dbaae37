#include "dialect.h"

#include <fmt/format.h>

namespace ringside::logs {
namespace {

struct SourceLine {
  int version, timeout, progress;
};
constexpr SourceLine kLines[] = {{1, 475, 0}, {3, 563, 1537}, {4, 607, 1664}, {5, 616, 1785}, {7, 632, 2268}};

const SourceLine& lines_of(int version) {
  for (const SourceLine& one : kLines)
    if (one.version == version) return one;
  return kLines[0];
}

}  // namespace

Dialect::Dialect(RandomStream& random)
    : launcher_(static_cast<Launcher>(random.below(5))),
      version_(kLines[random.below(std::size(kLines))].version) {}

std::string Dialect::version() const { return fmt::format("2.{}", version_); }

std::string Dialect::own_prefix(int rank) const { return names_rank() ? fmt::format("[rank{}]:", rank) : ""; }

std::string Dialect::line(int rank, const std::string& text) const {
  const std::string own = own_prefix(rank) + (names_rank() && text[0] != '[' ? " " : "");
  switch (launcher_) {
    case Launcher::kTee:
      return fmt::format("[default{}]:{}{}\n", rank % kRanksOfNode, own, text);
    case Launcher::kSlurm:
      return fmt::format("{:>3}: {}{}\n", rank, own, text);
    case Launcher::kKubernetes:
      return fmt::format("2026-02-03T04:05:06.789Z stderr F {}{}\n", own, text);
    case Launcher::kMpi:
      return fmt::format("[1,{}]<stderr>:{}{}\n", rank, own, text);
    default:
      return fmt::format("{}{}\n", own, text);
  }
}

std::string Dialect::timeouts(const std::vector<std::pair<int, LoggedCall>>& waiting, int64_t last) const {
  const SourceLine& lines = lines_of(version_);
  std::string text;
  for (const auto& [rank, call] : waiting) {
    text += line(
        rank,
        fmt::format("[E ProcessGroupNCCL.cpp:{}] [Rank {}] Watchdog caught collective operation timeout: "
                    "WorkNCCL(SeqNum={}, OpType={}, NumelIn={}, NumelOut={}, Timeout(ms)=600000) ran for "
                    "600{:03} milliseconds before timing out.",
                    lines.timeout, rank, call.seq, call.op, call.numel_in, call.numel_out, rank % 100));
    if (lines.progress == 0) continue;
    const std::string group = version_ >= 5 ? "PG ID 0 PG GUID 0(default_pg)" : "PG 0";
    const std::string counts =
        version_ >= 7 ? " failure detected by watchdog at work sequence id: {} PG status: last enqueued "
                        "work: {}, last completed work: {}"
        : version_ >= 4
            ? "Exception (either an error or timeout) detected by watchdog at work: {}, last enqueued NCCL "
              "work: {}, last completed NCCL work: {}."
            : "Timeout at NCCL work: {}, last enqueued NCCL work: {}, last completed NCCL work: {}.";
    text += line(rank, fmt::format("[E ProcessGroupNCCL.cpp:{}] [{} Rank {}] ", lines.progress, group, rank) +
                           fmt::format(fmt::runtime(counts), call.seq, last, call.seq - 1));
  }
  return text;
}

std::string Dialect::failure(Cause cause, int rank, RandomStream& random) const {
  const std::string trace = line(rank, "Traceback (most recent call last):") +
                            line(rank, "  File \"/job/train.py\", line 41, in step") +
                            line(rank, "    loss = model(batch)");
  static constexpr const char* kErrors[] = {
      "KeyError: 'label'", "ValueError: too many values to unpack (expected 2)",
      "FileNotFoundError: [Errno 2] No such file or directory: 'shard-7.bin'", "AssertionError"};
  switch (cause) {
    case Cause::kException:
      return trace + line(rank, kErrors[random.below(std::size(kErrors))]);
    case Cause::kOutOfMemory:
      return trace + line(rank, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
    case Cause::kGpuFault:
      return trace + line(rank, "RuntimeError: CUDA error: device-side assert triggered");
    default:
      return "";
  }
}

std::string Dialect::end_of(Cause cause, int rank) const {
  if (launcher_ == Launcher::kSlurm && cause == Cause::kKilled)
    return fmt::format("srun: error: node1: task {}: Killed\n", rank);
  const int code = cause == Cause::kKilled ? -9 : cause == Cause::kCrash ? -11 : 1;
  return fmt::format(
      "E0203 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {}) local_rank: {} "
      "(pid: 4711) of binary: "
      "python\nRoot Cause (first observed failure):\n[0]:\n  rank      : {} (local_rank: {})\n  exitcode  : "
      "{} (pid: 4711)\n",
      code, rank % kRanksOfNode, rank, rank % kRanksOfNode, code);
}

std::string Dialect::fingerprint(int rank, const LoggedCall& call, int other,
                                 const LoggedCall& theirs) const {
  const auto words = [](const LoggedCall& one) {
    return fmt::format(
        "CollectiveFingerPrint(SequenceNumber={}, OpType={}, TensorShape=[{}], TensorDtypes=Float)", one.seq,
        one.op, one.numel_in);
  };
  return line(
      rank,
      fmt::format(
          "RuntimeError: Detected mismatch between collectives on ranks. Rank {} is running collective: {}, "
          "but Rank {} is running collective: {}.",
          rank, words(call), other, words(theirs)));
}

std::string Dialect::rendezvous() const {
  return "[E socket.cpp:957] [c10d] The client socket has timed out after 900s while trying to connect to "
         "(10.0.0.1, 29500).\n"
         "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients "
         "joined.\n";
}

std::string Dialect::network_error() const {
  return "node1:3468:3905 [4] transport/net_ib.cc:1615 NCCL WARN NET/IB : Got completion from peer "
         "10.0.0.2<54862> with status=12 "
         "opcode=0 len=0 vendor err 129 (Send)";
}

}  // namespace ringside::logs
