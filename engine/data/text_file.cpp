#include "text_file.h"

#define ZLIB_CONST
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <ranges>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside::inline data {
namespace {

constexpr size_t kNamesShown = 3;

struct Wording {
  const char *did, *one, *many;
};
constexpr Wording kWordings[] = {
    {"set aside", "hidden or build entry", "hidden or build entries"},
    {"skipped", "symbolic link", "symbolic links"},
    {"skipped", "entry that is no file", "entries that are no files"},
    {"skipped", "unreadable path", "unreadable paths"},
    {"skipped", "empty file", "empty files"},
    {"skipped", "binary file", "binary files"},
    {"skipped", "file of no known language", "files of no known language"},
    {"left", "file unread, beyond the most that is read", "files unread, beyond the most that is read"},
    {"read only the first MiB of", "huge file", "huge files"},
    {"kept the bytes of", "file that is not valid UTF-8", "files that are not valid UTF-8"},
    {"dropped", "class without a usable file", "classes without a usable file"},
    {"dropped", "class with one file only: one to train on and one to hold out are needed",
     "classes with one file only: one to train on and one to hold out are needed"},
    {"dropped", "class, the smallest, beyond the most allowed",
     "classes, the smallest, beyond the most allowed"},
    {"passed over", "file that lies in no sub-folder", "files that lie in no sub-folder"},
};
static_assert(std::size(kWordings) == size_t(Noted::kBesideClasses) + 1);

bool is_utf8(std::string_view text, bool cut) {
  constexpr size_t kLongest = 4;  // bytes of a letter, which the cut may have split
  const size_t left = text.size() - valid_utf8_bytes(text);
  return left == 0 || (cut && left < kLongest);
}

// Lower case, with its dot; "" if there is none.
std::string extension_of(const std::string& path) {
  const std::string extension = lower(std::filesystem::path(path).extension().string());
  return extension.size() > 1 ? extension : "";
}

// Of a script: "#!/usr/bin/env bash" names bash.
std::string interpreter_language(std::string_view bytes) {
  if (!bytes.starts_with("#!")) return "";
  std::string line(bytes.substr(2, std::min<size_t>(bytes.find('\n'), 256) - 2));
  std::ranges::replace(line, '/', ' ');
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

// Hands every piece to `take`; returns how many bytes there were.
template <typename Take>
size_t unpack_gzip(const std::string& packed, size_t max_plain, const std::string& name, const Take& take) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream{};
  RINGSIDE_CHECK_EQ(inflateInit2(&stream, kGzipOnly), Z_OK);
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, &inflateEnd);
  stream.next_in = reinterpret_cast<const Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, 1 << 16> chunk;
  size_t plain = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const size_t bytes = chunk.size() - stream.avail_out;
    plain += bytes;
    if (plain > max_plain)
      throw InputError("{}: unpacks to more than {} bytes", name, format_count(int64_t(max_plain)));
    take(chunk.data(), bytes);
  }
  if (state == Z_BUF_ERROR) throw InputError(name + ": is cut off");  // zlib waits for more
  if (state != Z_STREAM_END)
    throw InputError("{}: is no gzip file, or damaged ({})", name,
                     stream.msg != nullptr ? stream.msg : "zlib gives no reason");
  if (stream.avail_in > 0)
    throw InputError("{}: {} bytes follow the end of the gzip stream", name, stream.avail_in);
  return plain;
}

}  // namespace

void Notes::add(Noted what, const std::string& name) { names_[what].insert(printable(name)); }

std::vector<std::string> Notes::lines() const {
  std::vector<std::string> lines;
  for (const auto& [what, names] : names_) {
    const Wording& words = kWordings[size_t(what)];
    lines.push_back(fmt::format("{} {} {} ({}{})", words.did, format_count(int64_t(names.size())),
                                names.size() == 1 ? words.one : words.many,
                                fmt::join(names | std::views::take(kNamesShown), ", "),
                                names.size() > kNamesShown ? ", ..." : ""));
  }
  return lines;
}

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
  return kNames[size_t(rule)];
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

std::string gunzip(const std::string& packed, size_t max_plain, const std::string& name) {
  std::string plain;
  plain.reserve(unpack_gzip(packed, max_plain, name, [](const char*, size_t) {}));
  unpack_gzip(packed, max_plain, name, [&](const char* bytes, size_t count) { plain.append(bytes, count); });
  return plain;
}

}  // namespace ringside::inline data
