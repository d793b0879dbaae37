// The lines of a log by their number, of a file of any size or of a text. A thread of its own counts them and
// remembers where every 256th begins; a line is read when somebody looks at it.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ringside::gui {

class LogLines {
 public:
  static constexpr size_t kMostShown = 4000;  // bytes of a line

  explicit LogLines(const std::string& path);  // InputError where it cannot be opened
  explicit LogLines(std::shared_ptr<const std::string> text);
  ~LogLines();  // the count ends with the piece that is being read

  bool counting();  // until it is done there are no lines
  int64_t count() const { return index_.lines; }
  // From 1; as a person reads it. "" where there is none, or the file is no longer what it was.
  const std::string& line(int64_t number);

 private:
  struct Index {
    std::vector<int64_t> starts;  // of lines 1, 257, 513 ...
    int64_t lines = 0, bytes = 0;
  };
  struct Bytes;  // a file, or a text
  static Index indexed(const std::shared_ptr<Bytes>& bytes);
  const std::vector<std::string>& block(size_t nth);

  std::shared_ptr<Bytes> bytes_;
  std::future<Index> job_;
  Index index_;
  std::map<size_t, std::vector<std::string>> blocks_;  // that were looked at last
};

}  // namespace ringside::gui
