// `ringside convert FROM TO`: what is at FROM tells what is done.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "commands.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/pretrained/lora.h"
#include "saved_model.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

bool is_one_file(const fs::path& path) { return path.extension() == ".safetensors"; }

void require_new(const fs::path& to) {
  std::error_code ignored;
  const bool free = !fs::exists(to, ignored) ||
                    (!is_one_file(to) && fs::is_directory(to, ignored) && fs::is_empty(to, ignored));
  if (!free) throw InputError(typed_path(to) + ": is there already; name a new folder or file");
}

// What lies beside the weights and describes them: tokenizer, generation, the model itself.
int copy_descriptions(const fs::path& from, const fs::path& to, bool config_too) {
  int copied = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    const bool describes = entry.is_regular_file() && name.ends_with(".json") &&
                           !name.ends_with(".index.json") && !name.starts_with("adapter_") &&
                           (config_too || name != "config.json");
    const bool words = name == "merges.txt" || name == "tokenizer.model";
    if (!describes && !words) continue;
    fs::copy_file(entry.path(), to / name);
    ++copied;
  }
  return copied;
}

std::string told(const fs::path& to, int64_t tensors, int64_t values) {
  return fmt::format("{}: {} tensors, {} values\n", typed_path(to), format_count(tensors),
                     format_count(values));
}

// Values by the model's declaration, as transformers reads them.
std::string write_model(const ConvertOptions& options, const PretrainedConfig& config,
                        const std::vector<ConstView>& values) {
  if (is_one_file(options.to))
    throw UsageError(typed_path(options.to) +
                     ": a model of a checkpoint or with an adapter is written as a folder");
  write_pretrained(options.to, config, values, options.shard_bytes);
  int64_t count = 0;
  for (const ConstView& view : values) count += view.count;
  return told(options.to, std::ssize(values), count);
}

std::string convert_checkpoint(const ConvertOptions& options) {
  const SavedModel saved = read_saved_model(options.from, options.step, options.config);
  std::vector<ConstView> views;
  for (const auto& values : saved.values) views.push_back({values.data(), std::ssize(values)});
  return fmt::format("step {} of {}\n", saved.step, typed_path(options.from)) +
         write_model(options, saved.config, views);
}

std::string merge_adapter(const ConvertOptions& options) {
  const LoraAdapter adapter(options.adapter);
  const PretrainedModel model(options.from, {}, &adapter);
  std::vector<ConstView> views;
  for (size_t i = 0; i < model.parameters(); ++i) views.push_back(model.values(i));
  const std::string text = write_model(options, model.config(), views);
  copy_descriptions(options.from, options.to, false);
  return fmt::format("{} parameters changed by {}\n", adapter.names().size(), typed_path(options.adapter)) +
         text;
}

// The tensors as they are, whatever model they are of.
std::string rewrite(const ConvertOptions& options, const std::vector<const WeightTensor*>& tensors) {
  std::vector<WeightTensor> all;
  int64_t values = 0;
  for (const WeightTensor* tensor : tensors) {
    all.push_back(*tensor);
    values += std::ssize(tensor->bytes) * 8 / bits_of(tensor->type);
  }
  if (is_one_file(options.to))
    write_safetensors(options.to, std::move(all), {{"format", "pt"}});
  else
    write_weight_folder(options.to, all, options.shard_bytes);
  return told(options.to, std::ssize(tensors), values);
}

std::string rewrite_file(const ConvertOptions& options) {
  const SafetensorsFile file(options.from);  // says what a pickle is, and how to convert it
  std::vector<const WeightTensor*> tensors;
  for (const WeightTensor& tensor : file.tensors()) tensors.push_back(&tensor);
  return rewrite(options, tensors);
}

std::string rewrite_folder(const ConvertOptions& options) {
  const WeightFolder folder(options.from);
  std::string text = rewrite(options, folder.tensors());
  if (is_one_file(options.to)) return text;
  const int copied = copy_descriptions(options.from, options.to, true);
  return text + fmt::format("{} {} beside them copied\n", copied, copied == 1 ? "file" : "files");
}

}  // namespace

ExitCode convert(const Options& options, std::ostream& out) {
  const ConvertOptions& asked = options.convert;
  std::error_code ignored;
  const bool folder = fs::is_directory(asked.from, ignored);
  if (!folder && !fs::exists(asked.from, ignored))
    throw InputError(typed_path(asked.from) + ": there is no such file or folder");
  require_new(asked.to);
  const bool saved = folder && has_checkpoints(asked.from);
  if (!asked.adapter.empty() && (saved || !folder))
    throw UsageError("--adapter: FROM is then the folder of the model that it was trained on");
  if (!saved && (asked.step || !asked.config.empty()))
    throw UsageError("--step, --config: for a folder of checkpoints");
  if (saved)
    out << convert_checkpoint(asked);
  else if (!asked.adapter.empty())
    out << merge_adapter(asked);
  else
    out << (folder ? rewrite_folder(asked) : rewrite_file(asked));
  return ExitCode::kOk;
}

}  // namespace ringside
