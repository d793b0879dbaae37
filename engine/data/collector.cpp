#include "collector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "text_file.h"

namespace ringside::inline data {
namespace {

constexpr size_t kNamesInError = 20;

std::string some_names(const std::vector<std::string>& names) {
  const std::string more = names.size() > kNamesInError ? ", ..." : "";
  return as_typed(fmt::format("{}{}", fmt::join(names | std::views::take(kNamesInError), ", "), more),
                  kPathColumns);
}

// By value where all are whole numbers, else by their bytes.
void sort_names(std::vector<std::string>& names) {
  const auto value = [](const std::string& name) { return read_number<int64_t>(name); };
  const bool whole = std::ranges::all_of(names, [&](const auto& name) { return value(name).has_value(); });
  std::ranges::sort(names, [&](const std::string& a, const std::string& b) {
    return whole ? std::pair(*value(a), a) < std::pair(*value(b), b) : a < b;
  });
}

}  // namespace

Collector::Collector(const LabelledSource& source) : source_(source) {
  labelled_.classes = source.classes;
  for (size_t c = 0; c < source.classes.size(); ++c) known_.emplace(source.classes[c], int32_t(c));
  if (source.label.empty() && source.classes.empty()) labelled_.classes = {""};
}

void Collector::refuse(const std::string& why) const {
  std::string where;
  if (!file.empty()) where = typed_path(file) + ": ";
  if (row > 0)
    where += line == 0 ? fmt::format("row {}: ", row) : fmt::format("row {} (line {}): ", row, line);
  throw InputError("{}: {}{}", typed_path(source_.path), where, why);
}

void Collector::add(std::string_view text, std::string_view label) {
  if (text.size() > source_.limits.text_bytes)
    refuse(fmt::format("a text of {} bytes, allowed are {}: cut it, or look for a quote that is not closed",
                       format_count(std::ssize(text)), format_count(int64_t(source_.limits.text_bytes))));
  if (text.empty()) ++empty_;
  if (!labelled_.pixels && valid_utf8_bytes(text) != text.size()) ++not_utf8_;
  labelled_.samples.push_back({text, source_.label.empty() ? 0 : class_of(label)});
}

int32_t Collector::class_of(std::string_view name) {
  if (const auto found = known_.find(name); found != known_.end()) return found->second;
  if (name.empty()) refuse("the label is empty");
  if (valid_utf8_bytes(name) != name.size())
    refuse(fmt::format("the label '{}' is not UTF-8; {}", as_typed(name),
                       file.empty() ? "a file in GBK becomes so by iconv -f gb18030 -t utf-8 FILE > NEW"
                                    : "rename its folder"));
  if (!source_.classes.empty())
    refuse(fmt::format("the label '{}' is none of the classes: {}", as_typed(name),
                       some_names(source_.classes)));
  if (known_.size() == source_.limits.classes)
    refuse(fmt::format("more than {} classes with '{}': is '{}' the column of labels?",
                       format_count(int64_t(known_.size())), as_typed(name), as_typed(source_.label)));
  return known_.emplace(name, int32_t(known_.size())).first->second;
}

void Collector::sort_classes() {
  std::vector<std::string> names;
  for (const auto& [name, place] : known_) names.push_back(name);
  sort_names(names);
  std::map<std::string, std::string> printed;
  for (const std::string& name : names)
    if (const auto [other, is_new] = printed.emplace(printable(name), name); !is_new)
      refuse(fmt::format("the labels '{}' and '{}' look alike where they are printed: rename one",
                         as_typed(other->second), as_typed(name)));
  std::vector<int32_t> place(names.size());  // of a class as it was found -> as it is
  for (size_t c = 0; c < names.size(); ++c) place[size_t(known_.at(names[c]))] = int32_t(c);
  for (LabelledText& sample : labelled_.samples) sample.label = place[size_t(sample.label)];
  labelled_.classes = std::move(names);
}

void Collector::add_notes() {
  const auto note = [&](int64_t count, const char* one, const char* many) {
    if (count > 0)
      labelled_.notes.push_back(fmt::format("{} {}", format_count(count), count == 1 ? one : many));
  };
  note(empty_, "text is empty", "texts are empty");
  note(not_utf8_, "text is not valid UTF-8: its bytes are kept",
       "texts are not valid UTF-8: their bytes are kept");
}

Labelled Collector::take(std::deque<std::string> bytes) {
  row = 0, file.clear();
  if (labelled_.samples.empty()) refuse("it has no text");
  if (source_.classes.empty() && !source_.label.empty()) sort_classes();
  add_notes();
  labelled_.description = printable(std::filesystem::path(source_.path).filename().string());
  labelled_.bytes = std::make_shared<const std::deque<std::string>>(std::move(bytes));
  return std::move(labelled_);
}

std::string read_source(const std::string& path, const LabelledLimits& limits) {
  const std::string name = typed_path(path);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError(name +
                     (std::filesystem::exists(path, error) ? ": is no file" : ": there is no such file"));
  std::string bytes = read_file(path, limits.bytes);
  if (path.ends_with(".gz")) bytes = gunzip(bytes, limits.bytes, name);
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    throw InputError("{}: it is UTF-16, as Excel's \"Unicode text\" is: iconv -f utf-16 -t utf-8 FILE > NEW",
                     name);
  return bytes;
}

}  // namespace ringside::inline data
