// What would settle it, what to try first, and what will not help. The variables are those of the version of
// PyTorch that wrote the log (docs/source/torch_nccl_environment_variables.rst, and TraceUtils.h).
#include <algorithm>

#include <fmt/format.h>

#include "clues.h"
#include "ringside/base/text.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

struct Version {
  int major = 0, minor = 0;
  bool known() const { return major > 0; }
  bool before(int other) const { return known() && (major < 2 || (major == 2 && minor < other)); }
};

Version version_of(const std::string& text) {
  Version version;
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return version;
  version.major = read_number<int>(text.substr(0, dot)).value_or(0);
  const std::string rest = text.substr(dot + 1);
  version.minor = read_number<int>(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(0);
  return version;
}

std::string recorder_variables(const Version& version) {
  if (version.before(3))
    return fmt::format("{}=1 (PyTorch before 2.3 has no flight recorder to rely on)",
                       version.before(2) ? "NCCL_DESYNC_DEBUG" : "TORCH_NCCL_DESYNC_DEBUG");
  const std::string_view size =
      version.before(9) || !version.known() ? "TORCH_NCCL_TRACE_BUFFER_SIZE" : "TORCH_FR_BUFFER_SIZE";
  return fmt::format(
      "{}=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_DEBUG_INFO_TEMP_FILE=DIR/rank_: each rank leaves "
      "a dump, and `ringside autopsy LOG DIR` merges them",
      size);
}

bool blames(const Diagnosis& diagnosis, std::initializer_list<Cause> causes) {
  return std::ranges::any_of(diagnosis.first, [&](const Finding& one) {
    return std::ranges::find(causes, one.cause) != causes.end();
  });
}

bool is_told(const Diagnosis& diagnosis) {
  return diagnosis.first.size() == 1 && diagnosis.first.front().sure != Sure::kCannotBeTold;
}

void settle(const Clues& clues, Diagnosis& diagnosis) {
  const Version version = version_of(diagnosis.torch);
  const bool calls = blames(
      diagnosis, {Cause::kAbsent, Cause::kOtherCall, Cause::kOtherSize, Cause::kTransport, Cause::kBusy});
  const bool gloo = !clues.of(LogEventKind::kGlooTimeout).empty();
  if (gloo)
    diagnosis.settle.push_back(
        "dist.monitored_barrier(wait_all_ranks=True) before that call: it names who does not come");
  if (calls && !gloo && diagnosis.dumps == 0 && diagnosis.first.front().sure != Sure::kCertain)
    diagnosis.settle.push_back(recorder_variables(version));
  if (calls && !is_told(diagnosis)) {
    diagnosis.settle.push_back(
        "TORCH_DISTRIBUTED_DEBUG=DETAIL: every call is compared before it starts, at the cost of speed");
    const std::vector<int>& ranks = diagnosis.first.front().ranks;
    diagnosis.settle.push_back(
        ranks.empty()
            ? "py-spy dump --pid PID on every rank while it hangs: who is in no collective"
            : fmt::format("the log, or a py-spy dump while it hangs, of {}", flight::name_ranks(ranks)));
  }
  if (!clues.silent.empty() && !is_told(diagnosis))
    diagnosis.settle.push_back(
        fmt::format("the logs of {}: none of their lines is here", flight::name_ranks(clues.silent)));
  if (blames(diagnosis, {Cause::kTransport, Cause::kSetup, Cause::kPeerLost}))
    diagnosis.settle.push_back("NCCL_DEBUG=INFO on every rank: what NCCL uses, and the first error it meets");
  if (blames(diagnosis, {Cause::kKilled}))
    diagnosis.settle.push_back(
        "dmesg -T | grep -i -E 'killed process|oom' on that host, and the limits of the scheduler");
  if (blames(diagnosis, {Cause::kPeerLost, Cause::kException}) && clues.log.ranks.size() < 2)
    diagnosis.settle.push_back("the logs of all ranks: the first to end says why");
  if (blames(diagnosis, {Cause::kNothing}))
    diagnosis.settle.push_back("stderr of every rank: torchrun --tee 3 --log-dir DIR, or srun --label");
  if (blames(diagnosis, {Cause::kGpuFault}))
    diagnosis.settle.push_back(
        "CUDA_LAUNCH_BLOCKING=1 for the line that fails, and dmesg for Xid errors of that GPU");
}

void try_first(Diagnosis& diagnosis) {
  static constexpr std::pair<Cause, const char*> kTries[] = {
      {Cause::kOutOfMemory,
       "a smaller micro-batch or shorter texts on that rank: a longer sample there is enough"},
      {Cause::kException, "repair that exception; the other ranks only waited"},
      {Cause::kKilled, "fewer workers of the data loader, and less that each rank loads into host memory"},
      {Cause::kOtherCall,
       "look for a collective under an `if` that ranks may answer differently: evaluation, logging, a "
       "checkpoint on rank 0, a layer that a batch leaves out"},
      {Cause::kOtherSize,
       "pad or gather the sizes first: a last batch, texts of different lengths, or parameters without a "
       "gradient"},
      {Cause::kAbsent,
       "compare how many batches each rank has, and what only one rank does (evaluation, saving, logging)"},
      {Cause::kBusy,
       "do that work before the process group is made, or on all ranks; else give this one group a longer "
       "timeout"},
      {Cause::kTransport,
       "all_reduce_perf of nccl-tests on the same hosts; then NCCL_P2P_DISABLE=1 or NCCL_IB_DISABLE=1, one "
       "at a time"},
      {Cause::kSetup,
       "set the device by LOCAL_RANK before the first call; docker run --shm-size=8g; one version of NCCL on "
       "all hosts"},
      {Cause::kRendezvous,
       "MASTER_ADDR and MASTER_PORT, the number of nodes, and a firewall between them; no old job on the "
       "port"},
      {Cause::kGpuFault,
       "the same step with CUDA_LAUNCH_BLOCKING=1; indices out of range are the usual cause of an "
       "assertion"}};
  const Cause cause = diagnosis.first.front().cause;
  if (cause == Cause::kException && !is_told(diagnosis)) return;
  for (const auto& [of, words] : kTries)
    if (of == cause) diagnosis.try_first.emplace_back(words);
}

void no_help(const Clues& clues, Diagnosis& diagnosis) {
  if (clues.first_timeout == nullptr || diagnosis.first.front().cause == Cause::kBusy) return;
  const int64_t ms = clues.first_timeout->timeout_ms;
  const int64_t seconds = ms > 0 ? ms / 1000 : clues.settings.number("timeout_s");
  const std::string now = seconds > 0 ? fmt::format(" than {} s", seconds) : "";
  diagnosis.no_help.push_back(fmt::format(
      "a longer timeout{}: a call takes milliseconds. It helps only where a rank is merely slow", now));
}

}  // namespace

void add_advice(const Clues& clues, Diagnosis& diagnosis) {
  settle(clues, diagnosis);
  try_first(diagnosis);
  no_help(clues, diagnosis);
}

std::string environment_of(const Diagnosis& diagnosis) {
  std::string variables;
  for (const std::string& line : diagnosis.settle) {
    for (std::string_view rest = line;;) {
      std::string_view word = rest.substr(0, rest.find(' '));
      const size_t name = word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
      if (name == 0 || name == std::string_view::npos || word[name] != '=') break;
      const bool last = word.ends_with(':') || rest.find(' ') == std::string_view::npos;
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (word.ends_with(':')) word.remove_suffix(1);
      variables += " " + std::string(word);
      if (last) break;
    }
  }
  return variables.empty() ? "" : "export" + variables;
}

}  // namespace ringside::inline logs
