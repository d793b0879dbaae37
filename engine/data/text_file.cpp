#include "text_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

bool is_utf8(std::string_view text, bool cut) {
  constexpr size_t kLongest = 4;  // bytes of a letter, which the cut may have split
  const size_t left = text.size() - valid_utf8_bytes(text);
  return left == 0 || (cut && left < kLongest);
}

// Lower case, with its dot; "" if there is none.
std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension.size() > 1 ? extension : "";
}

// Of a script: "#!/usr/bin/env bash" names bash.
std::string interpreter_language(std::string_view bytes) {
  if (!bytes.starts_with("#!")) return "";
  std::string line(bytes.substr(2, std::min<size_t>(bytes.find('\n'), 256) - 2));
  std::replace(line.begin(), line.end(), '/', ' ');
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with("python")) return "Python";
    if (word == "sh" || word == "bash" || word == "dash" || word == "zsh") return "Shell";
  }
  return "";
}

std::string language_of(const std::string& path, std::string_view bytes) {
  static const std::map<std::string, std::string> languages = {
      {".h", "C++"},     {".hpp", "C++"},     {".cpp", "C++"},     {".cc", "C++"},   {".cu", "CUDA"},
      {".cuh", "CUDA"},  {".md", "Markdown"}, {".cmake", "CMake"}, {".sh", "Shell"}, {".py", "Python"},
      {".json", "JSON"}, {".yml", "YAML"},    {".yaml", "YAML"}};
  if (std::filesystem::path(path).filename() == "CMakeLists.txt") return "CMake";
  const auto known = languages.find(extension_of(path));
  return known != languages.end() ? known->second : interpreter_language(bytes);
}

}  // namespace

TextFile text_of(std::string bytes) {
  const bool cut = bytes.size() > kMaxFileBytes;
  if (cut) bytes.resize(kMaxFileBytes);
  if (bytes.empty()) return {"", {Noted::kEmpty}};
  if (bytes.find('\0') != std::string::npos) return {"", {Noted::kBinary}};
  TextFile file{std::move(bytes), {}};
  if (cut) file.noted.push_back(Noted::kHuge);
  if (!is_utf8(file.bytes, cut)) file.noted.push_back(Noted::kNotUtf8);
  return file;
}

TextFile read_text_file(const std::string& path) {
  std::optional<std::string> bytes = read_at_most(path, kMaxFileBytes + 1);
  return bytes ? text_of(std::move(*bytes)) : TextFile{"", {Noted::kUnreadable}};
}

const char* rule_name(ClassRule rule) {
  static constexpr const char* kNames[] = {"sub-folder", "file extension", "language"};
  return kNames[static_cast<size_t>(rule)];
}

ClassRule choose_rule(const std::vector<std::string>& files) {
  const auto in_folder = [](const std::string& path) { return path.find('/') != std::string::npos; };
  const bool folders = !files.empty() && std::ranges::all_of(files, in_folder);
  return folders ? ClassRule::kSubFolder : ClassRule::kExtension;
}

std::string class_of(ClassRule rule, const std::string& path, std::string_view bytes) {
  if (rule == ClassRule::kSubFolder) return path.substr(0, path.find('/'));
  if (rule == ClassRule::kLanguage) return language_of(path, bytes);
  const std::string extension = extension_of(path);
  return extension.empty() ? "no extension" : extension;
}

}  // namespace ringside
