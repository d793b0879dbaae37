// How the job was started, and what follows for its ranks and calls.
#include <algorithm>
#include <map>

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
  Finding& made = add_fact(diagnosis.job, sentence);
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
    add_fact(diagnosis.job, flight::name_ranks(clues.silent) + " left no line here").ranks = clues.silent;
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

// ---- The last step before the stop, and the ranks whose last line is of an earlier one

using LastSteps = std::vector<const LoggedStep*>;

// Of the form that most ranks have: steps of two forms are not compared.
LastSteps chosen(const Log& log) {
  std::map<StepForm, LastSteps> forms;
  for (const LoggedStep& step : log.steps) forms[step.form].push_back(&step);
  LastSteps best;
  for (const auto& [form, all] : forms)
    if (all.size() > best.size()) best = all;
  return best;
}

std::string step_words(const LoggedStep& step) {
  if (step.form == StepForm::kEpoch) return fmt::format("epoch {}", step.epoch);
  return step.of > 0 ? fmt::format("step {} of {}", format_count(step.step), format_count(step.of))
                     : "step " + format_count(step.step);
}

std::vector<int> ranks_at(const LastSteps& all) {
  std::vector<int> ranks;
  for (const LoggedStep* one : all)
    if (one->rank >= 0) ranks.push_back(one->rank);
  std::ranges::sort(ranks);
  return ranks;
}

// "ranks 0 and 1"; of lines without a rank the files, where there are several.
std::string whose(const Log& log, const LastSteps& all) {
  constexpr size_t kMostNamed = 4;
  if (const std::vector<int> ranks = ranks_at(all); !ranks.empty()) return flight::name_ranks(ranks);
  if (log.files.size() < 2) return "";
  if (all.size() > kMostNamed) return fmt::format("{} files", all.size());
  std::string names;
  for (const LoggedStep* step : all) names += (names.empty() ? "" : ", ") + log.files.at(size_t(step->file));
  return names;
}

// By step, from the last one down.
using BySteps = std::map<std::pair<int64_t, double>, LastSteps, std::greater<>>;
BySteps by_step(const LastSteps& all) {
  BySteps steps;
  for (const LoggedStep* one : all) steps[{one->step, one->epoch}].push_back(one);
  return steps;
}

}  // namespace

void add_settings_of(const Log& log, JobSettings& settings) {
  for (const LogEvent& event : log.events) {
    if (event.kind != Kind::kLaunch && event.kind != Kind::kSettings) continue;
    const Evidence from{log.place(event.file, event.line), event.text};
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

void add_progress(const Clues& clues, Diagnosis& diagnosis) {
  constexpr size_t kMostSides = 4;
  const BySteps steps = by_step(chosen(clues.log));
  if (steps.empty()) return;
  Finding& found = add_fact(diagnosis.waits, "");
  for (const auto& [at, all] : steps) {
    if (found.evidence.size() == kMostSides) break;
    const LoggedStep& one = *all.front();
    const std::string who = whose(clues.log, all);
    const std::string of = who.empty() ? "" : fmt::format(" of {}", who);
    found.sentence += found.sentence.empty()
                          ? fmt::format("The last line of a step{} is of {}", of, step_words(one))
                          : fmt::format(", that{} of {}", of, step_words(one));
    found.evidence.push_back({clues.log.place(one.file, one.line), one.text, one.file, one.line});
  }
  if (steps.size() > kMostSides)
    found.sentence += fmt::format(", and {} more steps behind", steps.size() - kMostSides);
  if (steps.size() < 2) return;
  const std::vector<int> first = ranks_at(steps.begin()->second);
  std::vector<int> behind;
  for (auto it = std::next(steps.begin()); it != steps.end(); ++it)
    for (const int rank : ranks_at(it->second)) behind.push_back(rank);
  // A rank that did not come to a call, and whose last step is an earlier one.
  for (Finding& blamed : diagnosis.first)
    if (blamed.cause == Cause::kAbsent && !blamed.ranks.empty() && !first.empty() &&
        std::ranges::all_of(blamed.ranks, [&](int rank) { return std::ranges::count(behind, rank) > 0; }))
      blamed.evidence.push_back(diagnosis.waits.back().evidence[1]);
}

}  // namespace ringside::inline logs
