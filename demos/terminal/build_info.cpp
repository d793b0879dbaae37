#include "build_info.h"

#include <sched.h>

#include <fstream>
#include <ostream>
#include <thread>
#include <utility>

#include "commands.h"
#include "commit.h"
#include "run_json.h"

namespace ringside {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

int usable_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return int(std::thread::hardware_concurrency());
}

std::function<TorchFacts()>& torch_facts() {
  static std::function<TorchFacts()> facts = [] { return TorchFacts(); };
  return facts;
}

}  // namespace

void set_torch_facts(std::function<TorchFacts()> facts) { torch_facts() = std::move(facts); }

std::string torch_warning() { return torch_facts()().warning; }

BuildInfo build_info() {
  BuildInfo info;
  info.version = RINGSIDE_VERSION;
  info.commit = commit_of_build();
  info.compiler = RINGSIDE_COMPILER;
  info.flags = RINGSIDE_FLAGS;
  info.threads = usable_threads();
  info.cpu = cpu_name();
  const TorchFacts torch = torch_facts()();
  info.libtorch = torch.libtorch;
  info.blas = torch.blas;
  return info;
}

// As every document has it (run_json.h).
Json build_json(const BuildInfo& build) {
  return {{"version", build.version},    {"commit", build.commit},   {"libtorch", or_null(build.libtorch)},
          {"blas", or_null(build.blas)}, {"threads", build.threads}, {"cpu", build.cpu},
          {"compiler", build.compiler},  {"flags", build.flags}};
}

ExitCode show_version(const Options&, std::ostream& out) {
  const BuildInfo info = build_info();
  out << "ringside " << info.version << " (" << info.commit << ")\n"
      << "LibTorch  " << info.libtorch.value_or("none") << '\n'
      << "BLAS      " << info.blas.value_or("none") << '\n'
      << "threads   " << info.threads << '\n'
      << "CPU       " << info.cpu << '\n'
      << "compiler  " << info.compiler << '\n'
      << "flags     " << info.flags << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
