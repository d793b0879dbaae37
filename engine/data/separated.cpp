// CSV and TSV: RFC 4180, with either line end. Fields are unquoted in place, so that the file's own memory is
// that of the texts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "collector.h"
#include "ringside/base/text.h"

namespace ringside::inline data {
namespace {

constexpr size_t kMostColumns = 1000;
constexpr const char* kSeparators =
    "columns are separated by commas in .csv, by tabs in .tsv (or by kind=csv, kind=tsv), and by nothing "
    "else";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Records {
 public:
  Records(std::string& bytes, char separator, Collector& collector)
      : bytes_(bytes), separator_(separator), collector_(collector) {
    if (bytes.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  // The fields of the next record; false at the end. Empty lines are passed over.
  bool next(std::vector<std::string_view>& fields) {
    fields.clear();
    while (at_ < bytes_.size() && ends_line()) end_line();
    if (at_ >= bytes_.size()) return false;
    collector_.line = line_;
    while (true) {
      if (fields.size() == kMostColumns) collector_.refuse(fmt::format("more than {} columns", kMostColumns));
      fields.push_back(at_ < bytes_.size() && bytes_[at_] == '"' ? quoted() : plain());
      if (at_ >= bytes_.size()) return true;
      if (ends_line()) return end_line(), true;
      ++at_;  // the separator
    }
  }

 private:
  // LF, CRLF, or CR at the end of the file.
  bool ends_line() const {
    return bytes_[at_] == '\n' ||
           (bytes_[at_] == '\r' && (at_ + 1 == bytes_.size() || bytes_[at_ + 1] == '\n'));
  }
  void end_line() {
    at_ += bytes_[at_] == '\r' && at_ + 1 < bytes_.size() ? 2 : 1;
    ++line_;
  }

  std::string_view plain() {
    const size_t begin = at_;
    while (at_ < bytes_.size() && bytes_[at_] != separator_ && !ends_line()) ++at_;
    return std::string_view(bytes_).substr(begin, at_ - begin);
  }

  std::string_view quoted() {
    const size_t begin = ++at_;
    size_t end = begin;
    while (true) {
      const size_t quote = bytes_.find('"', at_);
      if (quote == std::string::npos) collector_.refuse("a quote is opened and never closed");
      line_ += std::count(&bytes_[at_], &bytes_[quote], '\n');
      std::memmove(&bytes_[end], &bytes_[at_], quote - at_);
      end += quote - at_;
      at_ = quote + 1;
      if (at_ >= bytes_.size() || bytes_[at_] != '"') break;
      bytes_[end++] = '"';
      ++at_;
    }
    if (at_ < bytes_.size() && bytes_[at_] != separator_ && !ends_line())
      collector_.refuse("a text goes on behind its closing quote");
    return std::string_view(bytes_).substr(begin, end - begin);
  }

  std::string& bytes_;
  const char separator_;
  Collector& collector_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

size_t column_of(const std::string& name, const std::vector<std::string_view>& header,
                 const Collector& collector) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end())
    collector.refuse(fmt::format("no column '{}'; the first line names {}; {}", as_typed(name),
                                 as_typed(fmt::format("{}", fmt::join(header, ", ")), kPathColumns),
                                 header.size() > 1 ? kNameColumns : kSeparators));
  if (std::find(found + 1, header.end(), name) != header.end())
    collector.refuse(fmt::format("the column '{}' stands twice", as_typed(name)));
  return size_t(found - header.begin());
}

}  // namespace

Labelled read_separated(const LabelledSource& source, char separator) {
  std::deque<std::string> bytes;
  std::string& all = bytes.emplace_back(read_source(source.path, source.limits));
  Collector collector(source);
  if (all.find('\0') != std::string::npos)
    collector.refuse("it has bytes of value 0: it is no text, or one in UTF-16");
  Records records(all, separator, collector);
  std::vector<std::string_view> fields;
  if (!records.next(fields)) collector.refuse("it is empty; the first line names the columns");
  const size_t text = column_of(source.text, fields, collector), columns = fields.size();
  const size_t label = source.label.empty() ? text : column_of(source.label, fields, collector);
  for (collector.row = 1; records.next(fields); ++collector.row) {
    if (fields.size() != columns)
      collector.refuse(
          fmt::format("{} columns, the first line names {}; a text with a {} or a line end stands in quotes",
                      fields.size(), columns, separator == ',' ? "comma" : "tab"));
    collector.add(fields[text], fields[label]);
  }
  return collector.take(std::move(bytes));
}

}  // namespace ringside::inline data
