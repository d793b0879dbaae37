// How a job was started and set up, as far as its files or its log say: launcher, DeepSpeed, FSDP, timeout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline logs {

struct Evidence {
  std::string place;  // "job.log:12", "flight recorder"
  std::string text;
  int file = -1;     // index into Log::files; -1: no line of a log
  int64_t line = 0;  // from 1
  bool operator==(const Evidence&) const = default;
};

struct Setting {
  std::string name;  // "nnodes", as in the table of settings.cpp
  int64_t number = -1;
  std::string word;  // where it is no number: "FULL_SHARD"
  Evidence from{};
};

// What is said first counts: what was typed, then files, then the log.
class JobSettings {
 public:
  std::string model_config;  // the model's config.json, a path; "": not known

  void add(Setting setting);
  const Setting* find(std::string_view name) const;  // nullptr: not said
  int64_t number(std::string_view name, int64_t otherwise = 0) const;
  std::string word(std::string_view name) const;  // "": not said
  int64_t world() const;                          // ranks; 0: not said
  int64_t ranks_per_node() const;                 // 0: not said, or not the same on every node
  const std::vector<Setting>& all() const { return all_; }

 private:
  std::vector<Setting> all_;
};

// A launcher's command line: torchrun, accelerate, deepspeed, mpirun, srun. Whether there is one in it.
// InputError naming the option where a number is none that is allowed.
bool add_launch(std::string_view line, const Evidence& from, JobSettings& settings);

// A file: the model's config.json, DeepSpeed's JSON, accelerate's or a trainer's JSON or YAML (one `key:
// value` a line), or a script with the launcher's line; told apart by its content. Whether it is one of
// these; at most 1 MiB is read. InputError naming the file and the setting where a value is none that is
// allowed.
bool add_settings_file(const std::string& file, JobSettings& settings);

// Which words of a command line or a file are which setting, and what its value may be.
// `key` as it is written ("--nproc-per-node", "zero_optimization.stage"), `value` as text. A key that is not
// known, and a value that stands for none ("auto", "$NODES"), is passed over. Whether the key is known.
// InputError naming the key.
bool add_known(std::string_view key, std::string_view value, const Evidence& from, JobSettings& settings);

}  // namespace ringside::inline logs
