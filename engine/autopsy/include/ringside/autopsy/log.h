// Reads the logs of a job line by line, of any size, and keeps what says something of a failure.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/autopsy/event.h"

namespace ringside::inline logs {

struct Log {
  std::vector<std::string> files;
  std::vector<LogEvent> events;   // in the order of the lines; at most kMostEvents
  std::vector<LoggedStep> steps;  // the last one of each rank, where ranks are named, or file
  int64_t lines = 0, bytes = 0;
  std::set<int> ranks;  // that any line has as its prefix, or names itself
  int world = 0;        // ranks, where a line says it (nranks); 0: not said
  std::string torch;    // "2.4", "2.0 to 2.2": said, or told from the form of the lines; "": not known

  std::string place(int file, int64_t line) const;  // "job.log:12"
};
inline constexpr size_t kMostEvents = 50'000;

// Lines are cut at 16 KiB. The prefixes of torchrun, Slurm, Open MPI, Ray and Kubernetes tell the rank; lines
// of several ranks may be interleaved. No line is an error.
class LogReader {
 public:
  LogReader();
  ~LogReader();
  void begin_file(const std::string& name);
  void add(std::string_view bytes);  // any piece of the file
  void end_file();
  Log take();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// As a person reads it: without colours, and without what a progress bar wrote over.
std::string readable_line(std::string_view line);
Log read_log(std::string_view text, const std::string& name);
// The bytes so far, of each piece that was read. What it throws ends the reading.
using OnBytes = std::function<void(int64_t bytes)>;
void read_log_file(LogReader& reader, std::istream& in, const std::string& name,
                   const OnBytes& on_bytes = {});

}  // namespace ringside::inline logs
