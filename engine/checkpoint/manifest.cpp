#include "ringside/checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/json.h"
#include "ringside/base/sha256.h"
#include "ringside/base/text.h"
#include "ringside/checkpoint/file_system.h"

namespace ringside::inline checkpoint {
namespace {

constexpr int64_t kVersion = 1, kMost = int64_t{1} << 50;  // of anything that is counted
constexpr size_t kMostText = 512, kMostValue = 1 << 16;
constexpr std::string_view kFormat = "ringside checkpoint", kSeal = R"(,"sha256":")", kEnd = "\"}\n";
constexpr size_t kDigits = 64, kSealBytes = kSeal.size() + kDigits + kEnd.size();

std::string hash_of(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

// What is before the seal, as JSON.
std::string unsealed(std::string_view text) {
  if (text.size() < kSealBytes) throw JsonRejected("it is cut off");
  const std::string_view body = text.substr(0, text.size() - kSealBytes);
  if (text.substr(body.size()) != fmt::format("{}{}{}", kSeal, hash_of(body), kEnd))
    throw JsonRejected("its bytes are not those that were written");
  return std::string(body) + "}";
}

std::map<std::string, std::string> texts_of(const Json& json) {
  std::map<std::string, std::string> texts;
  if (!json.is_object()) throw JsonRejected("run, needs: not an object");
  for (const auto& [key, value] : json.items()) texts[key] = json_text(value, key, kMostValue);
  return texts;
}

// "rank-3.bin": no path leaves the folder.
bool is_rank_file(std::string_view name) {
  return name.starts_with("rank-") && name.ends_with(".bin") && name.size() > 9 && name.size() < 20 &&
         std::ranges::all_of(name.substr(5, name.size() - 9), [](char c) { return c >= '0' && c <= '9'; });
}

StateFile file_of(const Json& json) {
  const JsonObject object(json, "files");
  StateFile file{object.text("name", kMostText), object.integer("bytes", 0, kMost),
                 object.text("sha256", kDigits)};
  if (!is_rank_file(file.name)) throw JsonRejected("'{}' is no rank's file", as_typed(file.name));
  return file;
}

StateTensor tensor_of(const Json& json) {
  const JsonObject object(json, "tensors");
  StateTensor tensor{object.text("name", kMostText), object.text("kind", kMostText), {}, {}};
  tensor.dtype = static_cast<Dtype>(object.choice("dtype", texts(Dtype())));
  int64_t elements = 1;
  for (const Json& size : object.array("shape", 0, 16)) {
    tensor.shape.push_back(json_integer(size, "shape", 1, kMost));
    if (elements > kMost / tensor.shape.back()) throw JsonRejected("shape: too large");
    elements *= tensor.shape.back();
  }
  return tensor;
}

Stretches stretches_of(const Json& json, int64_t elements) {
  if (!json.is_array() || json.size() != 4) throw JsonRejected("pieces: a run has four numbers");
  const Stretches run{json_integer(json[0], "begin", 0, elements),
                      json_integer(json[1], "count", 1, elements), json_integer(json[2], "step", 0, elements),
                      json_integer(json[3], "times", 1, elements)};
  const auto end = static_cast<__int128>(run.times - 1) * run.step + run.begin + run.count;
  if (end > elements || (run.times > 1 && run.step < run.count))
    throw JsonRejected("pieces: a run ends behind its tensor, or overlaps itself");
  return run;
}

StateRuns piece_of(const Json& json, const Manifest& manifest) {
  if (!json.is_array() || json.size() != 5 || !json[4].is_array())
    throw JsonRejected("pieces: not five values");
  StateRuns piece;
  piece.tensor = size_t(json_integer(json[0], "tensor", 0, std::ssize(manifest.tensors) - 1));
  piece.file = size_t(json_integer(json[1], "file", 0, std::ssize(manifest.files) - 1));
  const int64_t all = manifest.files[piece.file].bytes;
  piece.offset = json_integer(json[2], "offset", 0, all);
  piece.bytes = json_integer(json[3], "bytes", 0, all - piece.offset);
  const StateTensor& tensor = manifest.tensors[piece.tensor];
  int64_t left = piece.bytes / size_of(tensor.dtype);
  for (const Json& one : json[4]) {
    piece.runs.push_back(stretches_of(one, tensor.elements()));
    left -= std::min(left + 1, piece.runs.back().elements());
    if (left < 0) break;
  }
  if (left != 0 || piece.bytes % size_of(tensor.dtype) != 0)
    throw JsonRejected("pieces: the runs of one are not its bytes");
  return piece;
}

void require_complete(const Manifest& manifest) {
  std::vector<int64_t> there(manifest.tensors.size());
  for (const StateRuns& piece : manifest.pieces) there[piece.tensor] += piece.bytes;  // files bound it
  for (size_t i = 0; i < there.size(); ++i) {
    const StateTensor& tensor = manifest.tensors[i];
    if (there[i] / size_of(tensor.dtype) < tensor.elements())
      throw JsonRejected("state '{}' of {} is not all there", tensor.kind, tensor.name);
  }
}

Manifest manifest_of(const Json& json, bool complete) {
  const JsonObject object(json);
  if (object.text("format", kMostText) != kFormat) throw JsonRejected("it is no checkpoint of Ringside's");
  object.integer("version", kVersion, kVersion);
  Manifest manifest;
  manifest.step = object.integer("step", 0, kMost);
  manifest.ranks = object.integer("ranks", 1, 1 << 20);
  manifest.run = texts_of(object.at("run"));
  manifest.needs = texts_of(object.at("needs"));
  for (const Json& one : object.array("files", 1, SIZE_MAX)) manifest.files.push_back(file_of(one));
  for (const Json& one : object.array("tensors", 0, SIZE_MAX)) manifest.tensors.push_back(tensor_of(one));
  for (const Json& one : object.array("pieces", 0, SIZE_MAX))
    manifest.pieces.push_back(piece_of(one, manifest));
  if (!complete) return manifest;
  if (std::ssize(manifest.files) != manifest.ranks) throw JsonRejected("files: not one a rank");
  require_complete(manifest);
  return manifest;
}

}  // namespace

void add_stretch(std::vector<Stretches>& runs, int64_t begin, int64_t count) {
  if (runs.empty() || runs.back().count != count) return runs.push_back({begin, count, 0, 1});
  Stretches& last = runs.back();
  const int64_t step = begin - (last.begin + (last.times - 1) * last.step);
  if (step < count || (last.times > 1 && step != last.step)) return runs.push_back({begin, count, 0, 1});
  last.step = step;
  ++last.times;
}

int64_t StateTensor::elements() const {
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  return elements;
}

std::string to_text(const Manifest& manifest) {
  Json files = Json::array(), tensors = Json::array(), pieces = Json::array();
  for (const StateFile& file : manifest.files)
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  for (const StateTensor& tensor : manifest.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"kind", tensor.kind},
                       {"dtype", texts(tensor.dtype)[size_t(tensor.dtype)]},
                       {"shape", tensor.shape}});
  for (const StateRuns& piece : manifest.pieces) {
    Json runs = Json::array();
    for (const Stretches& run : piece.runs) runs.push_back({run.begin, run.count, run.step, run.times});
    pieces.push_back(Json::array({piece.tensor, piece.file, piece.offset, piece.bytes, runs}));
  }
  const Json json = {{"format", kFormat},       {"version", kVersion}, {"step", manifest.step},
                     {"ranks", manifest.ranks}, {"run", manifest.run}, {"needs", manifest.needs},
                     {"files", files},          {"tensors", tensors},  {"pieces", pieces}};
  std::string body = json.dump();
  body.pop_back();
  return fmt::format("{}{}{}{}", body, kSeal, hash_of(body), kEnd);
}

Manifest read_manifest(std::string_view text, const std::string& path, bool complete) try {
  const std::string body = unsealed(text);
  return manifest_of(parse_json(body, {body.size(), 8, body.size()}), complete);
} catch (const JsonRejected& rejected) {
  throw CheckpointError("{}: {}: take another checkpoint, or remove this one", typed_path(path),
                        rejected.why);
}

std::string folder_of_step(int64_t step) { return fmt::format("step-{:06}", step); }

int64_t step_of_folder(std::string_view name) {
  if (!name.starts_with("step-")) return -1;
  const int64_t step = read_number<int64_t>(name.substr(5)).value_or(-1);
  return step >= 0 && name == folder_of_step(step) ? step : -1;
}

}  // namespace ringside::inline checkpoint
