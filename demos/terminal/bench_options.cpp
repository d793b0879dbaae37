#include "bench_options.h"

#include <algorithm>

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/lesson/suggest.h"

namespace ringside {

const std::vector<BenchSubject>& bench_subjects() {
  static const std::vector<BenchSubject> subjects = {
      {"step",
       "\"LINE\" \"LINE\"",
       "a training step of either scenario",
       {"--rounds", "--steps", "--warmup"}},
      {"optimizers",
       "[NAME...]",
       "each update's one pass over memory, beside torch's loop",
       {"--rounds", "--warmup", "--parameters", "--tensor", "--threads"}},
      {"norms", "[NAME...]", "layer norm and RMS norm, beside LibTorch's", {"--rounds", "--warmup"}},
      {"collectives",
       "[NAME...]",
       "ranks as threads, over sockets, over Gloo, and Gloo's own",
       {"--rounds", "--warmup", "--ranks", "--from", "--to", "--type"}},
      {"server",
       "",
       "a parameter server of processes: kills, recovery, throughput",
       {"--rounds", "--seconds", "--limit", "--backups", "--keys"}}};
  return subjects;
}

void add_bench_options(CLI::App& command, BenchOptions& bench) {
  constexpr int64_t kMost = 1000;
  add_value(command, "subject", bench.subject, "What is timed; without it, what there is", "");
  add_value(command, "lines", bench.lines,
            "step: two scenario lines, each in quotes, like \"zero stage=3\"; optimizers, norms, "
            "collectives: names, all where there is none",
            "");
  const auto whole = [&](const char* name, auto& value, int64_t least, int64_t most,
                         const std::string& meaning, const char* type = "N") {
    add_value(command, name, value, meaning, type, whole_in(least, most));
  };
  const auto count = [&](const char* name, auto& value, const std::string& meaning) {
    whole(name, value, 1, kMost, meaning + ", 1 to " + std::to_string(kMost));
  };
  count("--rounds", bench.rounds,
        "Ratios to take, 6 or more to tell anything; default for step what fits into 30 s, else 11; "
        "server: servers that are killed, default 9");
  count("--steps", bench.steps, "step: steps of either line in a round; default 1");
  count("--warmup", bench.warm_up, "Steps or rounds that are not counted; default 2");
  constexpr int64_t kMostElements = int64_t{1} << 31;
  whole("--parameters", bench.parameters, 1, kMostElements, "optimizers: 1 to 2^31; default 2^25");
  whole("--tensor", bench.tensor, 1, kMostElements,
        "optimizers: elements of one of torch's tensors; default 2^22");
  whole("--threads", bench.threads, 1, 1024, "optimizers: of every side, 1 to 1024; default 1");
  const auto seconds = [&](const char* name, double& value, const std::string& meaning) {
    add_value(command, name, value, meaning, "S", number_in(0.01, 3600));
  };
  seconds("--seconds", bench.seconds, "server: of pushes and pulls, over tcp and between threads; default 3");
  seconds("--limit", bench.limit, "server: to the first good pull, else exit code 4; default 1");
  whole("--backups", bench.backups, 0, 2, "server: k, copies of each range, 0 to 2; default 1", "K");
  whole("--keys", bench.keys, 16, int64_t{1} << 24, "server: 16 to 2^24; default 65536");
  whole("--ranks", bench.ranks, 2, 8, "collectives: 2 to 8; default 2");
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  whole("--from", bench.from_bytes, 1024, kMostBytes,
        "collectives: the least size, 2^10 to 2^30; default 2^12", "BYTES");
  whole("--to", bench.to_bytes, 1024, kMostBytes,
        "collectives: sizes grow fourfold up to this one; default 2^24", "BYTES");
  command.add_option("--type", bench.type, "collectives: fp32 or bf16")
      ->check(CLI::IsMember({"fp32", "bf16"}));
}

void finish_bench_options(const CLI::App& command, const BenchOptions& options) {
  if (options.subject.empty()) return;
  std::vector<std::string> names;
  for (const BenchSubject& subject : bench_subjects()) names.push_back(subject.name);
  const auto chosen = std::ranges::find(bench_subjects(), options.subject, &BenchSubject::name);
  if (chosen == bench_subjects().end())
    throw UsageError("bench: " + no_such("subject", options.subject, names));
  const std::vector<std::string> allowed(chosen->options.begin(), chosen->options.end());
  for (const BenchSubject& other : bench_subjects())
    for (const std::string_view option : other.options) {
      const bool is_given = command.get_option(std::string(option))->count() > 0;
      if (is_given && std::ranges::count(chosen->options, option) == 0)
        throw UsageError("bench " + chosen->name + " takes no " + std::string(option) + "; allowed are " +
                         join(allowed));
    }
}

}  // namespace ringside
