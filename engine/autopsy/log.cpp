// One pass: lines without a word of failure cost one look at each byte.
#include "ringside/autopsy/log.h"

#include <algorithm>
#include <array>
#include <istream>
#include <utility>

#include "line.h"
#include "log_parts.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

using namespace logs;
using Kind = LogEventKind;

constexpr size_t kMostLine = size_t{16} << 10;
constexpr size_t kMostText = 400;
constexpr size_t kMostStreams = 4096;  // tracebacks that are open at one time
constexpr int kMostTraceLines = 400;
constexpr int kMostPieces = 4;        // of a broken line
constexpr int kMostLaunchLines = 64;  // that end in a backslash

constexpr uint8_t kFailure = 0b011, kStep = 0b100;  // sets of these
const Needles& needles() {
  static const Needles all(std::array{words_of_failure(), words_of_work(), words_of_step()});
  return all;
}

}  // namespace

struct LogReader::Parts {
  Log log;
  std::string rest;    // of a line that has not ended
  std::string broken;  // "WorkNCCL(SeqNum=4, Op" of a terminal that broke the line
  int broken_pieces = 0;
  int64_t number = 0;
  std::map<std::string, Trace, std::less<>> traces;
  Alike alike;
  std::vector<bool> seen;  // by rank
  ExitTable exits;
  Steps steps;
  LineTime time;  // of the last line that has one
  int process = -1;

  int file() const { return int(log.files.size()) - 1; }

  void keep(LogEvent made, std::string_view whole, int64_t line) {
    if (made.rank >= 0 && made.rank < kMostRanks) log.ranks.insert(made.rank);
    if (log.events.size() >= kMostEvents || !alike.takes(made)) return;
    made.file = file();
    made.line = line;
    made.time = time;
    made.text = printable(whole.substr(0, kMostText));
    log.events.push_back(std::move(made));
  }

  // Neighbours are often of one rank, and a set of thousands is slow for each line.
  void note_rank(int rank) {
    if (rank < 0) return;
    if (seen.size() <= size_t(rank)) seen.resize(size_t(rank) + 1);
    if (!seen[size_t(rank)]) log.ranks.insert(rank);
    seen[size_t(rank)] = true;
  }

  void fact(std::string_view text) {
    if (const auto ranks = number_behind(text, "nranks "); ranks && *ranks > 0 && *ranks < kMostRanks)
      log.world = std::max(log.world, int(*ranks));
    for (const std::string_view word :
         {"PyTorch version: ", "PyTorch version ", "orch version: ", "torch=="}) {
      const std::string_view version = behind(text, word);
      if (version.size() < 3 || !log.torch.empty()) continue;
      if (version[0] >= '1' && version[0] <= '2' && version[1] == '.')
        log.torch =
            std::string(version.substr(0, std::min(version.find_first_not_of("0123456789."), size_t{8})));
    }
  }

  void start(const Line& line, bool is_stack) {
    if (traces.size() >= kMostStreams) return;
    Trace& trace = traces[std::string(line.prefix)] = {};
    trace.is_stack = is_stack;
    trace.from = number;
    trace.rank = line.rank;
    trace.local_rank = line.local_rank >= 0 ? line.local_rank : process;
  }

  void end_stack(const Trace& trace) {
    if (trace.frames.empty()) return;
    LogEvent made = event(Kind::kStack, "", trace.rank);
    made.local_rank = trace.local_rank;
    made.where = trace.frames;
    keep(made, trace.frames, trace.from);
  }

  static std::optional<LogEvent> event_of(const Line& line) {
    const std::optional<LogEvent> made = line_event(line);
    return made ? made : exception_event(line);
  }

  // Whether the line was part of a traceback.
  bool traced(const Line& line) {
    const auto found = traces.find(line.prefix);
    if (found == traces.end()) return false;
    Trace& trace = found->second;
    const bool indented = line.content.empty() || line.content.front() == ' ' || line.content.front() == '\t';
    if (indented && ++trace.lines < kMostTraceLines) {
      const std::string frame = frame_of(line.content);
      if (!frame.empty() && trace.is_stack && std::ranges::count(trace.frames, ';') < 2)
        trace.frames += (trace.frames.empty() ? "" : "; ") + frame;
      if (!frame.empty()) trace.where = frame;
      return true;
    }
    const Trace ended = trace;
    traces.erase(found);
    if (ended.is_stack) {
      end_stack(ended);
      return false;
    }
    std::optional<LogEvent> made = event_of(line);
    if (!made) return false;
    made->where = ended.where;
    if (made->rank < 0) made->rank = ended.rank;
    if (made->local_rank < 0) made->local_rank = ended.local_rank;
    if (made->what.empty()) made->what = printable(line.content.substr(0, 200));
    keep(*made, line.whole, number);
    return true;
  }

  // The rows of a launcher's table of failures.
  bool table(const Line& line) {
    std::optional<LogEvent> made;
    if (!exits.takes(line.content, made)) return false;
    if (made) keep(*made, line.whole, number);
    return true;
  }

  void tell(const Line& line) {
    if (line.rank >= 0) log.ranks.insert(line.rank);
    if (table(line)) return;
    const std::optional<LogEvent> work = work_event(line);
    if (work) keep(*work, line.whole, number);
    if (has(line.content, "Traceback (most recent call last)")) return start(line, false);
    const std::string_view text = trimmed(line.content);
    if ((text.starts_with("Thread ") || text.starts_with("Current thread ")) &&
        (has(text, "most recent call first") || has(text, "(active") || has(text, "(idle")))
      return start(line, true);
    if (text.starts_with("-- Process ")) process = int(number_behind(text, "Process ").value_or(-1));
    fact(line.whole);
    const std::optional<LogEvent> made = event_of(line);
    if (made && !(work && made->kind == Kind::kWork)) keep(*made, line.whole, number);
  }

  // A terminal breaks a long line anywhere, and a command line ends in a backslash.
  static bool goes_on(std::string& line, int pieces) {
    if (line.size() >= kMostLine) return false;
    if (line.ends_with('\\') && is_launch(line) && pieces < kMostLaunchLines) {
      line.pop_back();
      return true;
    }
    return has(line, "WorkNCCL(") && between(line, "Timeout(ms)=", ")").data() == nullptr &&
           pieces < kMostPieces;
  }

  void add_line(std::string_view bytes) {
    ++number;
    bytes = last_written(bytes);
    const uint8_t found = needles().in(bytes);
    const bool told = (found & kFailure) != 0 || !broken.empty();
    const int rank = told && (found & kStep) == 0 ? -1 : quick_rank(bytes);
    if (!told) note_rank(rank);
    if ((found & kStep) != 0) steps.look(bytes, rank, file(), number);
    if (const auto read = time_of(bytes)) time = *read;
    if (!told && traces.empty()) return;
    std::string clean(bytes);
    drop_colours(clean);
    const int pieces = broken.empty() ? 0 : broken_pieces;
    if (!broken.empty()) clean = std::exchange(broken, "") + clean;
    if (goes_on(clean, pieces)) {
      broken = std::string(trimmed(clean)) + (is_launch(clean) ? " " : "");
      broken_pieces = pieces + 1;
      return;
    }
    const Line line = line_of(clean);
    if (traced(line)) return;
    if (told) tell(line);
    if (has(clean, "ProcessGroupNCCL.cpp:") && has(clean, "operation timeout"))
      if (const std::string_view version = version_by_source_line(clean); log.torch.empty())
        log.torch = version;
  }

  void end() {
    if (!rest.empty()) add_line(rest);
    if (!broken.empty()) add_line(")");
    for (const auto& [prefix, trace] : traces)
      if (trace.is_stack) end_stack(trace);
    rest.clear();
    traces.clear();
    broken.clear();
    exits.end_file();
    process = -1;
    time = {};
  }

  // A task of srun is a rank, but under torchrun a node.
  void forget_tasks() {
    const auto of_launcher = [](const LogEvent& event) {
      return event.local_rank >= 0 || event.what == "table" ||
             (event.kind == Kind::kLaunch &&
              has_any(event.what, {"torchrun", "torch.distributed", "accelerate"}));
    };
    if (std::ranges::none_of(log.events, of_launcher)) return;
    for (LogEvent& event : log.events)
      if (has(event.text, "srun: error:")) event.rank = -1;
  }

  // glog has no year: lines that have one lend theirs.
  void finish() {
    forget_tasks();
    log.steps = steps.take();
    const auto dated = std::ranges::find_if(
        log.events, [](const LogEvent& event) { return event.time.ms >= 0 && event.time.has_year; });
    if (dated == log.events.end()) return;
    const LineTime near = dated->time;
    for (LogEvent& event : log.events) give_year(event.time, near);
  }
};

LogReader::LogReader() : parts_(std::make_unique<Parts>()) {}
LogReader::~LogReader() = default;

void LogReader::begin_file(const std::string& name) {
  parts_->log.files.push_back(name);
  parts_->number = 0;
}

void LogReader::add(std::string_view bytes) {
  Parts& parts = *parts_;
  parts.log.bytes += int64_t(bytes.size());
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (parts.rest.empty() && end != std::string_view::npos) {
      parts.add_line(piece.substr(0, kMostLine));
    } else {
      parts.rest += piece.substr(0, kMostLine - std::min(kMostLine, parts.rest.size()));
      if (end != std::string_view::npos) {
        parts.add_line(parts.rest);
        parts.rest.clear();
      }
    }
    if (end == std::string_view::npos) break;
    ++parts.log.lines;
    bytes.remove_prefix(end + 1);
  }
}

std::string Log::place(int file, int64_t line) const {
  return files.at(size_t(file)) + ":" + std::to_string(line);
}

void LogReader::end_file() { parts_->end(); }

Log LogReader::take() {
  parts_->finish();
  return std::move(parts_->log);
}

Log read_log(std::string_view text, const std::string& name) {
  LogReader reader;
  reader.begin_file(name);
  reader.add(text);
  reader.end_file();
  return reader.take();
}

void read_log_file(LogReader& reader, std::istream& in, const std::string& name, const OnBytes& on_bytes) {
  reader.begin_file(name);
  std::string piece(size_t{1} << 20, '\0');
  int64_t bytes = 0;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    reader.add(std::string_view(piece).substr(0, size_t(in.gcount())));
    bytes += in.gcount();
    if (on_bytes) on_bytes(bytes);
  }
  reader.end_file();
}

}  // namespace ringside::inline logs
