// The command line of `ringside bench`: what can be timed, and which options each subject takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

struct BenchOptions {
  std::string subject;             // "" for none: they are listed
  std::vector<std::string> lines;  // scenarios, or names of optimizers
  std::optional<int64_t> rounds;
  int64_t steps = 1, warm_up = 2;
  int64_t parameters = int64_t{1} << 25, tensor = int64_t{1} << 22;
  int threads = 1;
  double seconds = 3, limit = 1;  // server
  uint32_t backups = 1;
  uint64_t keys = 65536;
  int ranks = 2;  // collectives
  int64_t from_bytes = 4096, to_bytes = int64_t{1} << 24;
  std::string type = "fp32";
};

struct BenchSubject {
  std::string name, arguments, meaning;
  std::vector<std::string_view> options;  // beside those that every subject takes
};
const std::vector<BenchSubject>& bench_subjects();

void add_bench_options(CLI::App& command, BenchOptions& options);
// UsageError for an option of another subject, and for a subject that is none.
void finish_bench_options(const CLI::App& command, const BenchOptions& options);

}  // namespace ringside
