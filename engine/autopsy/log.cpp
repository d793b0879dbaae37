// One pass: lines without a word of failure cost one look at each byte.
#include "ringside/autopsy/log.h"

#include <algorithm>
#include <istream>
#include <utility>

#include "line.h"
#include "line_events.h"
#include "needles.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

using namespace logs;
using Kind = LogEventKind;

constexpr size_t kMostLine = size_t{16} << 10;
constexpr size_t kMostText = 400;
constexpr size_t kMostStreams = 4096;  // tracebacks that are open at one time
constexpr int kMostTraceLines = 400;
constexpr int kMostPieces = 4;     // of a broken line
constexpr int64_t kMostAlike = 8;  // of one kind, rank and text

// By the line of ProcessGroupNCCL.cpp that says a timeout; notes/autopsy.md.
std::string_view version_by_source_line(std::string_view text) {
  const int64_t line = number_behind(text, "ProcessGroupNCCL.cpp:").value_or(0);
  struct Known {
    int64_t line;
    std::string_view version;
  };
  for (const Known& known : {Known{737, "1.12"},
                             {474, "2.1"},
                             {475, "2.1"},
                             {523, "2.2"},
                             {525, "2.2"},
                             {563, "2.3"},
                             {607, "2.4"},
                             {616, "2.5"},
                             {629, "2.6"},
                             {632, "2.7"}})
    if (known.line == line) return known.version;
  if (has(text, "work sequence id")) return "2.7 or later";
  if (has(text, "[PG ID ")) return "2.5 or later";
  if (has(text, "NumelIn=")) return "2.1 or later";
  return "2.0 or earlier";
}

}  // namespace

// A traceback, or a stack, of one stream of lines.
struct LogReader::Trace {
  bool is_stack = false;
  int lines = 0;
  int64_t from = 0;
  int rank = -1, local_rank = -1;
  std::string where;   // innermost frame
  std::string frames;  // of a stack: the three innermost
};

namespace {

const Needles& needles() {
  static const Needles all(words_of_failure());
  return all;
}

// `  File "train.py", line 12, in step` -> "train.py:12 in step"; py-spy's "step (train.py:12)" as it is.
std::string frame_of(std::string_view content) {
  const std::string_view file = between(content, "File \"", "\"");
  const auto line = number_behind(content, "\", line ");
  if (file.empty() || !line) {
    const std::string_view text = trimmed(content);
    return text.ends_with(")") && has(text, " (") ? std::string(text.substr(0, 120)) : "";
  }
  const size_t slash = file.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? file : file.substr(slash + 1);
  const std::string_view function = trimmed(behind(content, ", in ")).substr(0, 60);
  return std::string(name.substr(0, 80)) + ":" + std::to_string(*line) + " in " + std::string(function);
}

}  // namespace

struct LogReader::Parts {
  Log log;
  std::string rest;    // of a line that has not ended
  std::string broken;  // "WorkNCCL(SeqNum=4, Op" of a terminal that broke the line
  int broken_pieces = 0;
  int64_t number = 0;
  std::map<std::string, Trace, std::less<>> traces;
  std::map<std::string, int64_t> alike;
  std::vector<bool> seen;  // by rank
  int table_rank = -1, table_local = -1, process = -1;

  int file() const { return static_cast<int>(log.files.size()) - 1; }

  void keep(LogEvent made, std::string_view whole, int64_t line) {
    if (made.rank >= 0 && made.rank < kMostRanks) log.ranks.insert(made.rank);
    const std::string key = std::to_string(static_cast<int>(made.kind)) + "/" + std::to_string(made.rank) +
                            "/" + made.what.substr(0, 60) + "/" + std::to_string(made.call.seq) + "/" +
                            std::to_string(made.exit_code);
    const bool told =
        log.events.size() >= kMostEvents || alike.size() > 4 * kMostEvents || ++alike[key] > kMostAlike;
    if (told) {
      ++log.left_out;
      return;
    }
    made.file = file();
    made.line = line;
    made.text = printable(whole.substr(0, kMostText));
    log.events.push_back(std::move(made));
  }

  // Neighbours are often of one rank, and a set of thousands is slow for each line.
  void note_rank(int rank) {
    if (rank < 0) return;
    if (seen.size() <= static_cast<size_t>(rank)) seen.resize(static_cast<size_t>(rank) + 1);
    if (!seen[static_cast<size_t>(rank)]) log.ranks.insert(rank);
    seen[static_cast<size_t>(rank)] = true;
  }

  void fact(std::string_view text) {
    if (const auto ranks = number_behind(text, "nranks "); ranks && *ranks > 0 && *ranks < kMostRanks)
      log.world = std::max(log.world, static_cast<int>(*ranks));
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
    LogEvent made;
    made.kind = Kind::kStack;
    made.rank = trace.rank;
    made.local_rank = trace.local_rank;
    made.where = trace.frames;
    keep(made, trace.frames, trace.from);
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
    std::optional<LogEvent> made = line_event(line);
    if (!made) made = exception_event(line.content);
    if (!made) return false;
    made->where = ended.where;
    if (made->rank < 0) made->rank = ended.rank;
    if (made->local_rank < 0) made->local_rank = ended.local_rank;
    if (made->what.empty()) made->what = printable(line.content.substr(0, 200));
    keep(*made, line.whole, number);
    return true;
  }

  // The rows of torchrun's table of failures.
  bool table(const Line& line) {
    const std::string_view text = trimmed(line.content);
    if (text.starts_with("rank ") && has(text, "(local_rank:")) {
      table_rank = static_cast<int>(number_behind(text, ": ").value_or(-1));
      table_local = static_cast<int>(number_behind(text, "local_rank: ").value_or(-1));
      return true;
    }
    if (!text.starts_with("exitcode ") || table_rank < 0) return false;
    LogEvent made;
    made.kind = Kind::kExit;
    made.rank = table_rank;
    made.local_rank = table_local;
    made.exit_code = static_cast<int>(std::clamp<int64_t>(number_behind(text, ": ").value_or(0), -255, 255));
    made.what = "table";
    table_rank = -1;
    keep(made, line.whole, number);
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
    if (text.starts_with("-- Process "))
      process = static_cast<int>(number_behind(text, "Process ").value_or(-1));
    fact(line.whole);
    std::optional<LogEvent> made = line_event(line);
    if (!made) made = exception_event(line.content);
    if (!made || (work && made->kind == Kind::kWork)) return;
    if (made->kind == Kind::kException) {
      made->rank = line.rank;
      made->local_rank = line.local_rank;
    }
    keep(*made, line.whole, number);
  }

  void add_line(std::string_view bytes) {
    ++number;
    bytes = last_written(bytes);
    const bool told = needles().in(bytes) != 0 || !broken.empty();
    if (!told) note_rank(quick_rank(bytes));
    if (!told && traces.empty()) return;
    std::string clean(bytes);
    drop_colours(clean);
    // A terminal breaks a long line anywhere.
    const int pieces = broken.empty() ? 0 : broken_pieces;
    if (!broken.empty()) clean = std::exchange(broken, "") + clean;
    if (has(clean, "WorkNCCL(") && between(clean, "Timeout(ms)=", ")").data() == nullptr &&
        pieces < kMostPieces) {
      broken = std::string(trimmed(clean));
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
    table_rank = process = -1;
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
  parts.log.bytes += static_cast<int64_t>(bytes.size());
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

void LogReader::end_file() { parts_->end(); }

Log LogReader::take() { return std::move(parts_->log); }

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
    reader.add(std::string_view(piece).substr(0, static_cast<size_t>(in.gcount())));
    bytes += in.gcount();
    if (on_bytes) on_bytes(bytes);
  }
  reader.end_file();
}

}  // namespace ringside
