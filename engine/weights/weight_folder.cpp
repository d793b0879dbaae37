#include "ringside/weights/weight_folder.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <string>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside::inline weights {
namespace {

namespace fs = std::filesystem;
constexpr const char* kOneFile = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

// The tensors of each file, in the file's order of names.
using Shards = std::map<std::string, std::vector<std::string>>;
Shards read_index(const std::string& text) {
  const Json json = parse_json(text, {kMostWeightIndex, 8, kMostWeightIndex});
  const JsonObject top(json);
  top.object("weight_map");
  Shards shards;
  for (const auto& [name, value] : top.at("weight_map").items()) {
    const std::string& file = json_text(value, as_typed(name), 255);
    if (!is_plain_name(file))
      throw JsonRejected("'{}' lies in '{}'; allowed are names of files in the same folder", as_typed(name),
                         as_typed(file));
    shards[file].push_back(name);
  }
  if (shards.empty() || shards.size() > kMostWeightShards)
    throw JsonRejected("weight_map: {} files, allowed are 1 to {}", shards.size(), kMostWeightShards);
  return shards;
}

[[noreturn]] void reject_folder(const fs::path& folder) {
  const std::string named = typed_path(folder);
  std::error_code ignored;
  for (const char* pickle :
       {"pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "consolidated.00.pth"})
    if (fs::exists(folder / pickle, ignored))
      throw InputError(
          "{}: has {}, a pickle, and no {}: reading a pickle can run any program, so it is not read. Convert "
          "it in Python, if you trust it: AutoModel.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)",
          named, pickle, kOneFile);
  throw InputError("{}: no {} and no {} in this folder", named, kOneFile, kIndex);
}

}  // namespace

WeightFolder::WeightFolder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kOneFile, ignored)) {
    files_.push_back(std::make_unique<SafetensorsFile>(folder / kOneFile));
  } else if (fs::exists(folder / kIndex, ignored)) {
    open_shards(folder, folder / kIndex);
  } else {
    reject_folder(folder);
  }
}

void WeightFolder::open_shards(const fs::path& folder, const fs::path& index) try {
  size_t indexed = 0, found = 0;
  for (const auto& [file, names] : read_index(read_file(index, kMostWeightIndex))) {
    const auto& shard = files_.emplace_back(std::make_unique<SafetensorsFile>(folder / file));
    for (const std::string& name : names)
      if (shard->find(name) == nullptr)
        throw JsonRejected("'{}' is not in {}", as_typed(name), as_typed(file));
    indexed += names.size(), found += shard->tensors().size();
  }
  if (indexed != found) throw JsonRejected("{} tensors are named, the files have {}", indexed, found);
} catch (const JsonRejected& rejected) {
  throw InputError("{}: {}; expected the index of the safetensors files beside it: fetch all of them again",
                   typed_path(index), rejected.why);
}

const WeightTensor* WeightFolder::find(std::string_view name) const {
  for (const auto& file : files_)
    if (const WeightTensor* const tensor = file->find(name)) return tensor;
  return nullptr;
}

std::vector<const WeightTensor*> WeightFolder::tensors() const {
  std::vector<const WeightTensor*> all;
  for (const auto& file : files_)
    for (const WeightTensor& tensor : file->tensors()) all.push_back(&tensor);
  return all;
}

void write_weight_folder(const fs::path& folder, const std::vector<WeightTensor>& tensors,
                         int64_t most_bytes) {
  std::vector<std::vector<WeightTensor>> shards(1);
  int64_t bytes = 0, all = 0;
  for (const WeightTensor& tensor : tensors) {
    const auto more = int64_t(tensor.bytes.size());
    if (bytes + more > most_bytes && !shards.back().empty()) shards.emplace_back(), bytes = 0;
    shards.back().push_back(tensor);
    bytes += more, all += more;
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (shards.size() == 1) return write_safetensors(folder / kOneFile, tensors, {{"format", "pt"}});
  Json map = Json::object();
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string file = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_safetensors(folder / file, shards[i], {{"format", "pt"}});
    for (const WeightTensor& tensor : shards[i]) map[tensor.name] = file;
  }
  const Json index = {{"metadata", {{"total_size", all}}}, {"weight_map", map}};
  write_file_atomically(folder / kIndex, [&](std::ostream& out) { out << index.dump(2) << "\n"; });
  fs::remove(folder / kOneFile, error);  // of an earlier writing, which would be read in their place
}

}  // namespace ringside::inline weights
