#include "dialect.h"

#include <fmt/format.h>

namespace ringside::inline kit {
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

// Open MPI's (orte/tools/orterun/help-orterun.txt).
Lines mpirun_end(int rank, int node, int exit_code) {
  const char* signal = exit_code == -9 ? "Killed" : exit_code == -6 ? "Aborted" : "Segmentation fault";
  const std::string line(74, '-');
  if (exit_code < 0)
    return {
        {-1, line},
        {-1, fmt::format(
                 "mpirun noticed that process rank {} with PID 0 on node node{} exited on signal {} ({}).",
                 rank, node, -exit_code, signal)},
        {-1, line}};
  return {{-1, line},
          {-1, "mpirun detected that one or more processes exited with non-zero status, thus causing"},
          {-1, "the job to be terminated. The first process to do so was:"},
          {-1, ""},
          {-1, fmt::format("  Process name: [[34567,1],{}]", rank)},
          {-1, fmt::format("  Exit code:    {}", exit_code)},
          {-1, line}};
}

}  // namespace

Dialect::Dialect(RandomStream& random)
    : launcher_(static_cast<Launcher>(random.below(5))),
      version_(kLines[random.below(std::size(kLines))].version) {}

std::string Dialect::version() const { return fmt::format("2.{}", version_); }

bool Dialect::shows_rank() const {
  return names_rank() || launcher_ == Launcher::kSlurm || launcher_ == Launcher::kMpi;
}

std::string Dialect::line(const Said& said) const {
  const auto& [rank, text] = said;
  if (rank < 0) return text + "\n";
  std::string own = names_rank() ? fmt::format("[rank{}]:", rank) : "";
  if (names_rank() && text[0] != '[') own += ' ';
  switch (launcher_) {
    case Launcher::kTee: return fmt::format("[default{}]:{}{}\n", rank % kRanksOfNode, own, text);
    case Launcher::kSlurm: return fmt::format("{:>3}: {}{}\n", rank, own, text);
    case Launcher::kKubernetes: return fmt::format("2026-02-03T04:05:06.789Z stderr F {}{}\n", own, text);
    case Launcher::kMpi: return fmt::format("[1,{}]<stderr>:{}{}\n", rank, own, text);
    default: return fmt::format("{}{}\n", own, text);
  }
}

Lines Dialect::timeout(int rank, const LoggedCall& call, int64_t last) const {
  const SourceLine& lines = lines_of(version_);
  Lines said = {
      {rank,
       fmt::format("[E ProcessGroupNCCL.cpp:{}] [Rank {}] Watchdog caught collective operation timeout: "
                   "WorkNCCL(SeqNum={}, OpType={}, NumelIn={}, NumelOut={}, Timeout(ms)=600000) ran for "
                   "600{:03} milliseconds before timing out.",
                   lines.timeout, rank, call.seq, call.op, call.numel_in, call.numel_out, rank * 37 % 100)}};
  if (lines.progress == 0) return said;
  const std::string group = version_ >= 5 ? "PG ID 0 PG GUID 0(default_pg)" : "PG 0";
  const std::string counts =
      version_ >= 7 ? " failure detected by watchdog at work sequence id: {} PG status: last enqueued "
                      "work: {}, last completed work: {}"
      : version_ >= 4
          ? "Exception (either an error or timeout) detected by watchdog at work: {}, last enqueued NCCL "
            "work: {}, last completed NCCL work: {}."
          : "Timeout at NCCL work: {}, last enqueued NCCL work: {}, last completed NCCL work: {}.";
  said.push_back(
      {rank, fmt::format("[E ProcessGroupNCCL.cpp:{}] [{} Rank {}] ", lines.progress, group, rank) +
                 fmt::format(fmt::runtime(counts), call.seq, last, call.seq - 1)});
  return said;
}

Lines Dialect::end_of(int rank, int exit_code) const {
  if (launcher_ == Launcher::kSlurm) {
    const std::string task = fmt::format("srun: error: node{}: task {}: ", rank / kRanksOfNode + 1, rank);
    if (exit_code == -9) return {{-1, task + "Killed"}};
    if (exit_code > 0) return {{-1, task + fmt::format("Exited with exit code {}", exit_code)}};
  }
  if (launcher_ == Launcher::kMpi) return mpirun_end(rank, rank / kRanksOfNode + 1, exit_code);
  const int local = rank % kRanksOfNode;
  Lines said;
  for (int i = 0; i < 2; ++i)
    said.push_back({-1, fmt::format("W0203 torch/distributed/elastic/multiprocessing/api.py:897] Sending "
                                    "process {} closing signal SIGTERM",
                                    4711 + (local + 1 + i) % kRanksOfNode)});
  said.push_back({-1, fmt::format("E0203 torch/distributed/elastic/multiprocessing/api.py:869] failed "
                                  "(exitcode: {}) local_rank: {} (pid: {}) of binary: python",
                                  exit_code, local, 4711 + local)});
  for (const std::string& row : {std::string("Root Cause (first observed failure):"), std::string("[0]:"),
                                 fmt::format("  rank      : {} (local_rank: {})", rank, local),
                                 fmt::format("  exitcode  : {} (pid: {})", exit_code, 4711 + local)})
    said.push_back({-1, row});
  return said;
}

std::string Dialect::fingerprint(int rank, const LoggedCall& call, int other,
                                 const LoggedCall& theirs) const {
  const auto words = [](const LoggedCall& one) {
    return fmt::format(
        "CollectiveFingerPrint(SequenceNumber={}, OpType={}, TensorShape=[{}], TensorDtypes=Float)", one.seq,
        one.op, one.numel_in);
  };
  return fmt::format(
      "RuntimeError: Detected mismatch between collectives on ranks. Rank {} is running collective: {}, "
      "but Rank {} is running collective: {}.",
      rank, words(call), other, words(theirs));
}

}  // namespace ringside::inline kit
