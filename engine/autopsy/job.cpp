// How the job was started, and what follows for its ranks and calls.
#include <algorithm>

#include <fmt/format.h>

#include "clues.h"
#include "line.h"
#include "ringside/autopsy/settings.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

constexpr size_t kFewRanks = 4;

void add(Diagnosis& diagnosis, const std::string& sentence, std::vector<const Setting*> from) {
  Finding& made = add_finding(diagnosis.job, Cause::kNothing, Sure::kCertain, {}, sentence);
  for (const Setting* setting : from)
    if (setting != nullptr && std::ranges::find(made.evidence, setting->from) == made.evidence.end())
      made.evidence.push_back(setting->from);
}

void add_ranks(const Clues& clues, Diagnosis& diagnosis) {
  const JobSettings& settings = clues.settings;
  const int64_t world = settings.world(), each = settings.ranks_per_node();
  if (world == 0) return;
  std::string words = fmt::format("{} ranks", world);
  if (each > 0)
    words += world == each ? " on one node" : fmt::format(" on {} nodes, {} on each", world / each, each);
  if (clues.world != world)
    words += fmt::format("; the log names rank {}, so that these settings are of another job",
                         *clues.log.ranks.rbegin());
  add(diagnosis, words, {settings.find("world"), settings.find("nodes"), settings.find("ranks_per_node")});
  if (!clues.silent.empty())
    add_finding(diagnosis.job, Cause::kNothing, Sure::kCertain, clues.silent,
                flight::name_ranks(clues.silent) + " left no line here");
}

void add_sharding(const JobSettings& settings, Diagnosis& diagnosis) {
  if (const Setting* stage = settings.find("zero_stage")) {
    std::string words = fmt::format("DeepSpeed with stage {} of ZeRO", stage->number);
    for (const char* name : {"reduce_bucket_size", "allgather_bucket_size", "stage3_prefetch_bucket_size"})
      if (const Setting* size = settings.find(name))
        words += fmt::format(", {} {}", name, format_count(size->number));
    if (settings.number("overlap_comm") == 1) words += ", overlap_comm";
    for (const char* type : {"bf16", "fp16"})
      if (settings.number(type) == 1) words += fmt::format(", {}", type);
    add(diagnosis, words, {stage, settings.find("reduce_bucket_size")});
  }
  if (const Setting* fsdp = settings.find("fsdp_sharding_strategy")) {
    const std::string wraps = settings.word("fsdp_wraps");
    add(diagnosis, "FSDP with " + fsdp->word + (wraps.empty() ? "" : ", a unit for each " + wraps),
        {fsdp, settings.find("fsdp_wraps")});
  }
}

void add_timeout(const Clues& clues, Diagnosis& diagnosis) {
  const Setting* typed = clues.settings.find("timeout_s");
  if (typed == nullptr) return;
  const int64_t had = clues.first_timeout == nullptr ? -1 : clues.first_timeout->timeout_ms;
  std::string words = fmt::format("A timeout of {} s", format_count(typed->number));
  if (had >= 0 && had / 1000 != typed->number)
    words += fmt::format(
        "; the group that waited has {} s, so that it is another group or the setting did not reach it",
        format_count(had / 1000));
  add(diagnosis, words, {typed});
  if (had >= 0) diagnosis.job.back().evidence.push_back(clues.evidence(*clues.first_timeout));
}

// "zero_config ... stage=2 ... reduce_bucket_size=200000000", of DeepSpeed; older ones have it as JSON.
void add_zero_config(const std::string& line, const Evidence& from, JobSettings& settings) {
  const std::string text = " " + line;
  for (const std::string name :
       {"stage", "reduce_bucket_size", "allgather_bucket_size", "stage3_prefetch_bucket_size"})
    for (const std::string& form : {" " + name + "=", "\"" + name + "\": "}) {
      const std::string_view rest = behind(text, form);
      const std::string_view value = rest.substr(0, rest.find_first_of(" ,}"));
      if (!value.empty()) add_known("zero_optimization." + name, value, from, settings);
    }
}

// What trainers and launchers print of themselves, with the setting's name.
void add_printed(const LogEvent& event, const Evidence& from, JobSettings& settings) {
  static constexpr std::pair<std::string_view, std::string_view> kPrinted[] = {
      {"nnodes=", "nnodes"},
      {"num_local_procs=", "num_local_procs"},   // deepspeed/launcher/launch.py
      {"dist_world_size=", "np"},                // the same
      {"using world size: ", "np"},              // Megatron-LM's arguments.py
      {"Num processes: ", "np"},                 // accelerate's PartialState
      {"nproc_per_node   : ", "nproc_per_node"}  // torch/distributed/launcher/api.py
  };
  if (has(event.what, "zero_config")) return add_zero_config(event.what, from, settings);
  for (const auto& [words, key] : kPrinted)
    if (const auto number = number_behind(event.what, words))
      add_known(key, std::to_string(*number), from, settings);
}

}  // namespace

void add_settings_of(const Log& log, JobSettings& settings) {
  for (const LogEvent& event : log.events) {
    if (event.kind != Kind::kLaunch && event.kind != Kind::kSettings) continue;
    const Evidence from{log.place(event), event.text};
    try {
      if (event.kind == Kind::kLaunch)
        add_launch(event.what, from, settings);
      else
        add_printed(event, from, settings);
    } catch (const InputError&) {  // a value in a log that cannot be: nothing is taken from it
    }
  }
}

void add_job(const Clues& clues, Diagnosis& diagnosis) {
  add_ranks(clues, diagnosis);
  add_sharding(clues.settings, diagnosis);
  add_timeout(clues, diagnosis);
}

std::string place_of_ranks(const JobSettings& settings, const std::vector<int>& ranks) {
  const int64_t each = settings.ranks_per_node();
  if (each == 0 || settings.world() <= each || ranks.size() > kFewRanks) return "";
  std::string words;
  for (const int rank : ranks)
    if (rank >= 0 && rank < settings.world())
      words += fmt::format("{}rank {}: node {}, local rank {}", words.empty() ? "" : "; ", rank, rank / each,
                           rank % each);
  return words;
}

}  // namespace ringside::inline logs
