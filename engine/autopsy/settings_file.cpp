// Files of settings, told apart by their content.
#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "ringside/autopsy/settings.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

constexpr JsonLimits kLimits{.bytes = size_t{1} << 20, .depth = 32, .values = 100'000};
constexpr size_t kMostNames = 1000;  // variables of a script

// Of a list the first; "" of what holds more.
std::string text_of(const Json& value) {
  const Json& one = value.is_array() && !value.empty() ? value.front() : value;
  if (one.is_structured()) return "";
  return one.is_string() ? one.get<std::string>() : one.dump();
}

// The keys of one object, and with a dot those of objects in it.
void add_object(const Json& object, const std::string& source, JobSettings& settings) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object())
      for (const auto& [inner, deep] : value.items()) {
        const std::string name =
            key == "fsdp_config" || key == "deepspeed_config" ? inner : key + "." + inner;
        if (!text_of(deep).empty())
          add_known(name, text_of(deep), {source, fmt::format("{}: {}", name, text_of(deep))}, settings);
      }
    if (!text_of(value).empty())
      add_known(key, text_of(value), {source, fmt::format("{}: {}", key, text_of(value))}, settings);
  }
}

bool has_one(const Json& object, std::initializer_list<const char*> keys) {
  return std::ranges::any_of(keys, [&](const char* key) { return object.contains(key); });
}

bool add_json(const std::string& text, const std::string& file, const std::string& source,
              JobSettings& settings) {
  std::string_view rest = text;
  const std::string_view line = next_line(rest);
  if (!trimmed(rest).empty() && Json::accept(line)) return false;  // a log of JSON lines
  const Json json = parse_json(text, kLimits);
  if (!json.is_object()) return false;
  if (has_one(json, {"model_type", "architectures"})) {
    if (settings.model_config.empty()) settings.model_config = file;
    return true;
  }
  const bool known =
      has_one(json, {"zero_optimization", "train_batch_size", "train_micro_batch_size_per_gpu",
                     "compute_environment", "distributed_type", "fsdp", "transformer_layer_cls_to_wrap",
                     "fsdp_config", "ddp_timeout"}) ||
      std::ranges::any_of(json.items(), [](const auto& item) { return item.key().starts_with("fsdp_"); });
  if (known) add_object(json, source, settings);
  return known;
}

// One `key: value` a line, at any depth; lists and texts of several lines are passed over.
bool add_yaml(std::string_view text, const std::string& source, JobSettings& settings) {
  bool known = false;
  int64_t number = 0;
  while (!text.empty()) {
    std::string_view line = trimmed(next_line(text));
    ++number;
    if (const size_t comment = line.find(" #"); comment != std::string_view::npos)
      line = line.substr(0, comment);
    const size_t colon = line.find(": ");
    if (line.starts_with('#') || colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    std::string_view value = trimmed(line.substr(colon + 2));
    if (value.size() > 1 && (value.front() == '"' || value.front() == '\''))
      value = value.substr(1, value.size() - 2);
    known |= add_known(key, value, {fmt::format("{}:{}", source, number), printable(line.substr(0, 200))},
                       settings);
    known |= key == "compute_environment" || key == "distributed_type";
  }
  return known;
}

// NAME=8, so that $NAME and ${NAME} behind it are 8.
class Script {
 public:
  void assign(std::string_view line) {
    if (line.starts_with("export ")) line.remove_prefix(7);
    const size_t equals = line.find('=');
    const std::string_view name = line.substr(0, std::min(equals, line.size()));
    const bool is_name = std::ranges::all_of(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (equals == std::string_view::npos || name.empty() || !is_name || names_.size() >= kMostNames) return;
    std::string_view value = trimmed(line.substr(equals + 1));
    value = value.substr(0, value.find_first_of(" \t#;"));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    if (read_number<int64_t>(value)) names_[std::string(name)] = value;
  }
  std::string expanded(std::string_view line) const {
    std::string result;
    for (size_t at = 0; at < line.size(); ++at) {
      const bool braces = line.substr(at, 2) == "${";
      const size_t from = at + (braces ? 2 : 1);
      size_t end = from;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
        ++end;
      const auto found = line[at] == '$' ? names_.find(line.substr(from, end - from)) : names_.end();
      if (found == names_.end() || (braces && line.substr(end, 1) != "}")) {
        result += line[at];
        continue;
      }
      result += found->second;
      at = end - (braces ? 0 : 1);
    }
    return result;
  }

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

bool add_script(std::string_view text, const std::string& source, JobSettings& settings) {
  Script script;
  bool known = false;
  int64_t number = 0;
  std::string command;
  while (!text.empty()) {
    std::string_view line = trimmed(next_line(text));
    ++number;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    command += script.expanded(line) + " ";
    if (goes_on) continue;
    script.assign(line);
    const std::string_view whole = trimmed(command);
    if (whole.starts_with("#SBATCH") || !whole.starts_with('#'))
      known |= add_launch(whole, {fmt::format("{}:{}", source, number), printable(whole.substr(0, 400))},
                          settings);
    command.clear();
  }
  return known;
}

}  // namespace

bool add_settings_file(const std::string& file, JobSettings& settings) {
  const std::string source = typed_path(file);
  const std::string text = read_file(file, kLimits.bytes);
  if (trimmed(text).empty()) return false;
  try {
    if (trimmed(text).front() == '{') return add_json(text, file, source, settings);
  } catch (const JsonRejected& rejected) {
    throw InputError("{}: {}", source, rejected.why);
  }
  return text.starts_with("#!") ? add_script(text, source, settings)
                                : add_yaml(text, source, settings) || add_script(text, source, settings);
}

}  // namespace ringside::inline logs
