// What every reader of labelled texts does with a row: bounds, classes, notes, and the place that an error
// names.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "ringside/data/labelled.h"

namespace ringside::inline data {

class Collector {
 public:
  explicit Collector(const LabelledSource& source);

  // Of the texts added from here on, and of errors. A folder's row is a file, named.
  int64_t row = 0, line = 0;
  std::string file{};

  void add(std::string_view text, std::string_view label);
  [[noreturn]] void refuse(const std::string& why) const;  // InputError
  // Sorts the classes. bytes: what the texts lie in.
  Labelled take(std::deque<std::string> bytes);
  Labelled& labelled() { return labelled_; }

 private:
  int32_t class_of(std::string_view name);
  void sort_classes();
  void add_notes();

  const LabelledSource& source_;
  Labelled labelled_;
  std::map<std::string, int32_t, std::less<>> known_;
  int64_t empty_ = 0, not_utf8_ = 0;
};

// The file's bytes, unpacked where its name ends in .gz. InputError for UTF-16.
std::string read_source(const std::string& path, const LabelledLimits& limits);

// Behind the names that there are, where one that was asked for is not among them.
inline constexpr const char* kNameColumns = "text_column=NAME and label_column=NAME say which to read";

// Readers of a kind each.
Labelled read_separated(const LabelledSource& source, char separator);
Labelled read_json_lines(const LabelledSource& source);
Labelled read_idx(const LabelledSource& source);
Labelled read_labelled_folder(const LabelledSource& source);

}  // namespace ringside::inline data
