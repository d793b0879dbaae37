// What the call carries that the ranks wait in: its number of elements against the shapes of a model.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include "clues.h"
#include "line.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/flight/report.h"
#include "ringside/planner/explain.h"

namespace ringside::inline logs {
namespace {

constexpr int64_t kScalars = 64;      // up to so many elements are no tensor of a model
constexpr size_t kMostModels = 1000;  // of a folder
constexpr double kByChance = 0.05;    // hits of a random number, above which one says little

struct Asked {
  int64_t number = 0;  // of the whole: what all ranks of the group put in, or have in the end
  int64_t ranks = 0;   // of the group, told from the two sizes; 0: not told
  std::string op;
  Evidence evidence;
};

std::optional<Asked> of_log(const Clues& clues) {
  const Waiting* found = nullptr;
  for (const Waiting& one : clues.waiting)
    if (one.call.numel_in > 0 && (found == nullptr || one.call.numel_in > found->call.numel_in)) found = &one;
  if (found == nullptr) return std::nullopt;
  const LoggedCall& call = found->call;
  Asked asked{std::max(call.numel_in, call.numel_out), 0, call.op, clues.evidence(*found->event)};
  const int64_t least = std::min(call.numel_in, call.numel_out);
  const bool sharded =
      call.op.find("GATHER") != std::string::npos || call.op.find("REDUCE_SCATTER") != std::string::npos;
  if (!sharded) asked.number = call.numel_in;
  if (sharded && least > 0 && asked.number % least == 0) asked.ranks = asked.number / least;
  return asked;
}

std::optional<Asked> of_dumps(const std::vector<FlightDump>& dumps) {
  if (dumps.empty()) return std::nullopt;
  const FlightReport report = merge_flights(dumps);
  if (report.stuck.empty()) return std::nullopt;
  const FlightEntry& call = report.stuck.front().call;
  const int64_t number = std::max(call.elements_in, call.elements_out);
  if (number == 0) return std::nullopt;
  return Asked{number, 0, std::string(to_string(call.op)), {"flight recorders", report.sentence}};
}

std::vector<CarriedPart> parts_of(const std::vector<BucketPiece>& pieces) {
  std::vector<CarriedPart> parts;
  for (const BucketPiece& piece : pieces)
    parts.push_back({piece.whole ? piece.group : piece.parameter, piece.elements});
  return parts;
}

// "head 899,835 + final norm 3,584 + layer 27 233,057,792"
std::string sum_of(const std::vector<CarriedPart>& parts) {
  std::string words;
  for (size_t i = 0; i < std::min<size_t>(parts.size(), 8); ++i)
    words += fmt::format("{}{} {}", i == 0 ? "" : " + ", parts[i].name, format_count(parts[i].elements));
  return words + (parts.size() > 8 ? " + ..." : "");
}

struct Answer {
  std::string words;
  bool is_tensor = false;  // exactly one tensor
  bool by_chance = false;
  std::vector<CarriedPart> parts{};
};

// So many elements, or so many when they are padded so that the ranks have equal shares.
bool fits(int64_t elements, const Asked& asked) {
  const int64_t ranks = std::max<int64_t>(asked.ranks, 1);
  return elements == asked.number || (elements + ranks - 1) / ranks * ranks == asked.number;
}

// One tensor. lm_head and the embedding have one shape; lm_head is named first.
std::optional<Answer> one_tensor(const ModelConfig& config, const Asked& asked) {
  std::vector<std::string> names;
  bool padded = false;
  for (const ParameterShape& shape : model_shapes(config, {ModelHead::Kind::kLanguageModel, 0, false})) {
    const int64_t elements = shape.numel();
    if (!fits(elements, asked)) continue;
    padded |= elements != asked.number;
    const bool is_head = shape.name == "lm_head.weight";
    names.insert(is_head ? names.begin() : names.end(), shape.name);
  }
  if (names.empty()) return std::nullopt;
  std::string words = names[0] + (padded ? ", padded" : "");
  if (config.text.tied && words.find("embed_tokens") != std::string::npos) words += ", which is lm_head too";
  if (names.size() > 1) words += fmt::format(" ({} has that size too)", names[1]);
  if (names.size() > 2) words += fmt::format(" (and {} more)", names.size() - 2);
  return Answer{words, true, false};
}

std::optional<Answer> as_bucket(const ModelConfig& config, const Asked& asked, int64_t bucket) {
  for (const ModelHead::Kind head : {ModelHead::Kind::kLanguageModel, ModelHead::Kind::kClassifier}) {
    const Explanation found = explain_number(
        config, {.number = asked.number, .head = head, .classes = {}, .bias = {}, .bucket_size = bucket});
    if (!found.is_explained() || found.hits.empty()) continue;
    const RunHit& hit = found.hits.front();
    double chance = 0;
    for (const RunFamily& family : found.families) chance += family.expected_flushed;
    std::vector<CarriedPart> parts = parts_of(hit.pieces);
    std::string words = sum_of(parts);
    if (hit.classes)
      words += fmt::format(" (a head of {} classes {} bias)", format_count(*hit.classes),
                           hit.bias ? "with" : "without");
    words += hit.is_first ? ": the first gradient bucket of a backward pass" : ": a gradient bucket";
    return Answer{words, false, chance > kByChance, std::move(parts)};
  }
  return std::nullopt;
}

// A whole layer, as FSDP and ZeRO-3 gather it. Layers are alike, so that it is one of several.
std::optional<Answer> one_layer(const ModelConfig& config, const Asked& asked) {
  const std::vector<Gradient> all = gradients_in(
      GradientOrder::kParameters, model_shapes(config, {ModelHead::Kind::kLanguageModel, 0, false}));
  int64_t alike = 0;
  std::string first;
  for (const BucketPiece& piece : pieces_of(all, 0, all.size())) {
    if (!piece.whole || !fits(piece.elements, asked)) continue;
    if (alike++ == 0) first = piece.group;
  }
  if (alike == 0) return std::nullopt;
  return Answer{
      alike == 1 ? "all of " + first : fmt::format("one whole layer, as {}: {} are alike", first, alike),
      true, false};
}

std::optional<Answer> answer_of(const ModelConfig& config, const Asked& asked, int64_t bucket) {
  if (auto tensor = one_tensor(config, asked)) return tensor;
  if (asked.ranks > 1) return one_layer(config, asked);
  const bool reduces = asked.op == "ALLREDUCE" || asked.op == "REDUCE" || asked.op == "all_reduce";
  return reduces ? as_bucket(config, asked, bucket) : std::nullopt;
}

std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json" && files.size() < kMostModels) files.push_back(it->path().string());
  std::ranges::sort(files);
  return files;
}

Finding& add(const Asked& asked, Sure sure, std::string sentence, Diagnosis& diagnosis) {
  return diagnosis.carries.emplace_back(
      Finding{Cause::kNothing, sure, {}, std::move(sentence), {asked.evidence}});
}

// Those whose tensor it is come first, then those where chance explains least.
void add_shortlist(const Asked& asked, const AutopsyOptions& options, int64_t bucket, Diagnosis& diagnosis) {
  std::vector<std::pair<std::string, Answer>> found;
  for (const std::string& file : models_in(options.models_folder)) {
    try {
      if (auto answer = answer_of(read_model_config(file), asked, bucket))
        found.emplace_back(std::filesystem::path(file).stem().string(), *answer);
    } catch (const InputError&) {  // one that is not a model's
    }
  }
  std::ranges::stable_sort(
      found, {}, [](const auto& one) { return std::pair(!one.second.is_tensor, one.second.by_chance); });
  for (const auto& [model, answer] : found) {
    Finding& one = add(asked, answer.by_chance || found.size() > 1 ? Sure::kCannotBeTold : Sure::kLikely,
                       fmt::format("{}: {}", model, answer.words), diagnosis);
    one.model = model;
    one.parts = answer.parts;
  }
  if (found.empty())
    add(asked, Sure::kCannotBeTold,
        "No released model that is known here has a tensor or a bucket of that size; your model's "
        "config.json beside the log takes their place",
        diagnosis);
}

// What the sizes alone say. Whether that is all.
bool add_by_size(const Clues& clues, const Asked& asked, Diagnosis& diagnosis) {
  if (asked.ranks > 1)
    add(asked, Sure::kCertain,
        fmt::format("{} of {} elements in shares of {}: the group has {} ranks", asked.op,
                    format_count(asked.number), format_count(asked.number / asked.ranks), asked.ranks),
        diagnosis);
  if (asked.number <= kScalars) {
    add(asked, Sure::kLikely,
        fmt::format("{} of {}: a barrier, a loss, a flag or a norm, no tensor of a model", asked.op,
                    asked.number == 1 ? "1 element" : format_count(asked.number) + " elements"),
        diagnosis);
    return true;
  }
  if (const auto purpose = purpose_of(asked.op, asked.number, clues.settings)) {
    add(asked, Sure::kLikely, fmt::format("{} elements: {}", format_count(asked.number), purpose->words),
        diagnosis);
    diagnosis.carries.back().evidence.push_back(purpose->from->from);
  }
  return false;
}

// ---- What DeepSpeed and FSDP use which collective for (deepspeed/runtime/zero/stage_1_and_2.py, stage3.py,
// partition_parameters.py; torch/distributed/fsdp/_runtime_utils.py).

enum class Way : uint8_t { kGather, kScatter, kReduce, kOther };

Way way_of(const std::string& op) {
  if (has_any(op, {"REDUCE_SCATTER", "reduce_scatter"})) return Way::kScatter;
  if (has_any(op, {"GATHER", "all_gather"})) return Way::kGather;
  return has_any(op, {"REDUCE", "all_reduce"}) ? Way::kReduce : Way::kOther;
}

// What is scattered is padded, tensor by tensor, to shares of one size.
std::string bucket_words(Way way, int64_t elements, int64_t bucket) {
  if (elements <= bucket)
    return fmt::format("a bucket of gradients, of at most {} elements", format_count(bucket));
  if (way == Way::kScatter && elements - bucket <= bucket / 100)
    return fmt::format("a bucket of gradients, of at most {} elements and what it is padded by",
                       format_count(bucket));
  return fmt::format(
      "more than a bucket of gradients holds ({}): the gradient of one tensor that is larger, or no bucket",
      format_count(bucket));
}

std::optional<Purpose> of_deepspeed(Way way, int64_t elements, const JobSettings& settings,
                                    const Setting& stage) {
  const Setting* size = settings.find("reduce_bucket_size");
  const int64_t bucket = size != nullptr ? size->number : kDefaultBucket;
  const Setting* from = size != nullptr ? size : &stage;
  if (stage.number == 3 && way == Way::kGather)
    return Purpose{"parameters, which stage 3 gathers just before a layer uses them; no gradients", &stage};
  if (stage.number == 3 && way == Way::kReduce)
    return Purpose{
        "no bucket of stage 3, which scatters gradients: a call of the program's own, or reduce_scatter is "
        "off",
        &stage};
  if (way == Way::kGather && stage.number > 0)
    return Purpose{"updated parameters, which the ranks share after the optimizer's step", &stage};
  if (way == Way::kReduce || way == Way::kScatter) return Purpose{bucket_words(way, elements, bucket), from};
  return std::nullopt;
}

std::optional<Purpose> of_fsdp(Way way, const JobSettings& settings, const Setting& strategy) {
  const std::string wraps = settings.word("fsdp_wraps");
  const std::string unit = wraps.empty() ? "one wrapped unit" : "one " + wraps;
  const bool replicas = strategy.word == "NO_SHARD" || strategy.word.starts_with("HYBRID");
  if (way == Way::kReduce && !replicas) return std::nullopt;
  if (way == Way::kGather)
    return Purpose{"the parameters of " + unit + ", gathered before it is used", &strategy};
  if (way == Way::kScatter || way == Way::kReduce) return Purpose{"the gradients of " + unit, &strategy};
  return std::nullopt;
}

}  // namespace

void add_carried(const Clues& clues, const std::vector<FlightDump>& dumps, const AutopsyOptions& options,
                 Diagnosis& diagnosis) {
  const std::string& file = clues.settings.model_config;
  std::optional<ModelConfig> config;
  if (!file.empty()) config = read_model_config(file);
  std::optional<Asked> asked = of_log(clues);
  if (!asked) asked = of_dumps(dumps);
  if (!asked || add_by_size(clues, *asked, diagnosis)) return;
  const int64_t bucket = options.bucket_size > 0
                             ? options.bucket_size
                             : clues.settings.number("reduce_bucket_size", kDefaultBucket);
  if (!config) return add_shortlist(*asked, options, bucket, diagnosis);
  if (const auto answer = answer_of(*config, *asked, bucket))
    add(*asked, answer->by_chance ? Sure::kCannotBeTold : Sure::kLikely,
        fmt::format("{} elements = {}", format_count(asked->number), answer->words), diagnosis)
        .parts = answer->parts;
  else
    add(*asked, Sure::kCannotBeTold,
        fmt::format("{} elements are no tensor and no gradient bucket of that model with "
                    "reduce_bucket_size {}",
                    format_count(asked->number), format_count(bucket)),
        diagnosis);
}

std::optional<Purpose> purpose_of(const std::string& op, int64_t elements, const JobSettings& settings) {
  const Way way = way_of(op);
  if (const Setting* stage = settings.find("zero_stage"))
    return of_deepspeed(way, elements, settings, *stage);
  if (const Setting* fsdp = settings.find("fsdp_sharding_strategy")) return of_fsdp(way, settings, *fsdp);
  return std::nullopt;
}

}  // namespace ringside::inline logs
