// Lines of stdin, from a terminal or a pipe; Ctrl-C ends the wait for one.
#pragma once

#include <optional>
#include <string>

namespace ringside {

class LineReader {
 public:
  LineReader();  // takes SIGINT
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Without its end, at most 4 KiB of it. Nothing: the input has ended, or Ctrl-C came.
  std::optional<std::string> next();
  bool interrupted() const;

 private:
  std::string pending_;
  bool ended_ = false;
};

}  // namespace ringside
