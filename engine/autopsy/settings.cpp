#include "ringside/autopsy/settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "ringside/autopsy/event.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 48;
constexpr int64_t kMostSeconds = int64_t{1} << 40;
constexpr int64_t kMostPerNode = 4096;
constexpr size_t kMostWord = 100;

struct Known {
  std::string_view key, name;
  int64_t low, high;  // both 0: a word
};
// Options of torchrun, accelerate, deepspeed and srun without their dashes, with _ for -; keys of DeepSpeed's
// JSON and of accelerate's YAML. An object's keys have a dot.
constexpr Known kKnown[] = {
    {"nnodes", "nodes", 1, kMostRanks},
    {"num_machines", "nodes", 1, kMostRanks},
    {"num_nodes", "nodes", 1, kMostRanks},
    {"nproc_per_node", "ranks_per_node", 1, kMostPerNode},
    {"num_gpus", "ranks_per_node", 1, kMostPerNode},
    {"num_local_procs", "ranks_per_node", 1, kMostPerNode},
    {"ntasks_per_node", "ranks_per_node", 1, kMostPerNode},
    {"num_processes", "world", 1, kMostRanks},
    {"ntasks", "world", 1, kMostRanks},
    {"np", "world", 1, kMostRanks},
    {"ddp_timeout", "timeout_s", 1, kMostSeconds},
    {"distributed_timeout_minutes", "timeout_minutes", 1, kMostSeconds / 60},
    {"zero_optimization.stage", "zero_stage", 0, 3},
    {"zero_stage", "zero_stage", 0, 3},
    {"zero_optimization.reduce_bucket_size", "reduce_bucket_size", 1, kMostElements},
    {"zero_optimization.allgather_bucket_size", "allgather_bucket_size", 1, kMostElements},
    {"zero_optimization.stage3_prefetch_bucket_size", "stage3_prefetch_bucket_size", 0, kMostElements},
    {"zero_optimization.overlap_comm", "overlap_comm", 0, 1},
    {"bf16.enabled", "bf16", 0, 1},
    {"fp16.enabled", "fp16", 0, 1},
    {"mixed_precision", "mixed_precision", 0, 0},
    {"fsdp_sharding_strategy", "fsdp_sharding_strategy", 0, 0},
    {"fsdp", "fsdp_sharding_strategy", 0, 0},  // of the Trainer: "full_shard auto_wrap"
    {"fsdp_reshard_after_forward", "fsdp_sharding_strategy", 0, 0},
    {"fsdp_transformer_layer_cls_to_wrap", "fsdp_wraps", 0, 0},
    {"transformer_layer_cls_to_wrap", "fsdp_wraps", 0, 0},
    {"fsdp_version", "fsdp_version", 1, 2}};

// "2", "5e8", "2e8" and true; nothing for "auto", "$NODES", "1:4".
std::optional<int64_t> whole_number(std::string_view text) {
  if (text == "true" || text == "True") return 1;
  if (text == "false" || text == "False") return 0;
  const auto number = read_number<double>(text);
  if (!number || !std::isfinite(*number) || std::abs(*number) > 1e18 || *number != std::floor(*number))
    return std::nullopt;
  return int64_t(*number);
}

// Of "full_shard auto_wrap", 1 as accelerate has it, or whether FSDP 2 frees parameters after the forward
// pass.
// "": none of these.
std::string strategy(std::string_view word) {
  static constexpr std::array<std::string_view, 5> kNames = {"FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD",
                                                             "HYBRID_SHARD", "HYBRID_SHARD_ZERO2"};
  if (const auto number = read_number<size_t>(word))
    return *number >= 1 && *number <= kNames.size() ? std::string(kNames[*number - 1]) : "";
  if (word == "true" || word == "True") return "FULL_SHARD";
  if (word == "false" || word == "False") return "SHARD_GRAD_OP";
  const std::string name = upper(word.substr(0, word.find(' ')));
  return std::ranges::find(kNames, name) != kNames.end() ? name : "";
}

bool stands_for_none(std::string_view value) {
  return value.empty() || value == "auto" || value == "null" || value == "none" || value == "gpu" ||
         value == "cpu" || value.find('$') != std::string_view::npos;
}

// "1:4" of an elastic job is a range; "2:2" is 2.
std::string_view one_of_range(std::string_view value) {
  const size_t colon = value.find(':');
  if (colon == std::string_view::npos) return value;
  return value.substr(0, colon) == value.substr(colon + 1) ? value.substr(0, colon) : std::string_view();
}

// ---- A launcher's command line, cut into words as a shell would, without expanding anything.

constexpr size_t kMostWords = 1000;

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;
  char quote = 0;
  for (const char c : line) {
    if (words.size() > kMostWords) break;
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      continue;
    }
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\\');
    if (!blank && !open) words.emplace_back();
    open = !blank;
    if (open) words.back() += c;
  }
  return words;
}

enum class Launcher : uint8_t { kNone, kTorchrun, kTasks, kOther };

// Where the launcher stands in the line, and what it is.
std::pair<size_t, Launcher> launcher_in(const std::vector<std::string>& words) {
  const auto place = [&](std::string_view name) {
    const auto found = std::ranges::find_if(words, [&](const std::string& word) {
      return word == name || word.ends_with("/" + std::string(name));
    });
    return size_t(found - words.begin());
  };
  for (const std::string_view name : {"torchrun", "torch.distributed.run", "torch.distributed.launch"})
    if (place(name) < words.size()) return {place(name), Launcher::kTorchrun};
  for (const std::string_view name : {"accelerate", "deepspeed"})
    if (place(name) < words.size() && (name == "deepspeed" || place("launch") < words.size()))
      return {place(name), Launcher::kOther};
  for (const std::string_view name : {"mpirun", "mpiexec", "srun", "#SBATCH"})
    if (place(name) < words.size()) return {place(name), Launcher::kTasks};
  return {0, Launcher::kNone};
}

bool begins_program(std::string_view word) {
  return word.ends_with(".py") || word == "-m" || word == "--module";
}

}  // namespace

void JobSettings::add(Setting setting) {
  if (find(setting.name) == nullptr) all_.push_back(std::move(setting));
}

const Setting* JobSettings::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Setting::name);
  return found == all_.end() ? nullptr : &*found;
}

int64_t JobSettings::number(std::string_view name, int64_t otherwise) const {
  const Setting* setting = find(name);
  return setting == nullptr ? otherwise : setting->number;
}

std::string JobSettings::word(std::string_view name) const {
  const Setting* setting = find(name);
  return setting == nullptr ? "" : setting->word;
}

int64_t JobSettings::world() const {
  const int64_t ranks = number("world", number("nodes") * number("ranks_per_node"));
  return ranks <= kMostRanks ? ranks : 0;
}

int64_t JobSettings::ranks_per_node() const {
  if (const int64_t each = number("ranks_per_node"); each > 0) return each;
  const int64_t ranks = number("world"), nodes = number("nodes");
  return nodes > 0 && ranks % nodes == 0 ? ranks / nodes : 0;
}

bool add_known(std::string_view key, std::string_view value, const Evidence& from, JobSettings& settings) {
  std::string plain(key.substr(std::min(key.find_first_not_of('-'), key.size())));
  std::ranges::replace(plain, '-', '_');
  const auto known = std::ranges::find(kKnown, plain, &Known::key);
  if (known == std::end(kKnown)) return false;
  const std::string_view one = known->name == "nodes" ? one_of_range(value) : value;
  if (stands_for_none(one)) return true;
  Setting made{.name = std::string(known->name), .number = -1, .word = {}, .from = from};
  if (known->high == 0) {
    made.word = printable(one.substr(0, kMostWord));
    if (made.name == "fsdp_sharding_strategy") made.word = strategy(made.word);
    if (!made.word.empty()) settings.add(std::move(made));
    return true;
  }
  const auto number = whole_number(one);
  if (!number || *number < known->low || *number > known->high)
    throw InputError("{}: {} {}: allowed are whole numbers from {} to {}", from.place, as_typed(key),
                     as_typed(value), known->low, known->high);
  made.number = *number;
  if (made.name == "timeout_minutes") made.name = "timeout_s", made.number *= 60;
  settings.add(std::move(made));
  return true;
}

// Behind the program's name stand its own options, of which only a timeout is read. What stands before
// torchrun (srun's tasks, mpirun's) counts nodes, no ranks.
bool add_launch(std::string_view line, const Evidence& from, JobSettings& settings) {
  const std::vector<std::string> words = words_of(line);
  const auto [at, launcher] = launcher_in(words);
  if (launcher == Launcher::kNone) return false;
  bool of_program = false, nodes = false;
  for (size_t i = at + 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    of_program |= begins_program(word);
    if (!word.starts_with('-') || (of_program && word.find("timeout") == std::string_view::npos)) continue;
    const size_t equals = word.find('=');
    const bool tasks = word == "-n" && launcher == Launcher::kTasks;
    const std::string_view key = tasks ? "-np" : word.substr(0, equals);
    const std::string_view value = equals != std::string_view::npos ? word.substr(equals + 1)
                                   : i + 1 < words.size()           ? std::string_view(words[i + 1])
                                                                    : std::string_view();
    nodes |= key == "--nnodes";
    logs::add_known(key, value, from, settings);
  }
  if (launcher == Launcher::kTorchrun && !nodes)
    logs::add_known("--nnodes", "1", from, settings);  // its default
  return true;
}

}  // namespace ringside::inline logs
