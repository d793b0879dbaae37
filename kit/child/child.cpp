#include "ringside/child/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <sstream>

#include "ringside/base/clock.h"
#include "ringside/base/text.h"
#include "ringside/launch/process.h"

namespace ringside::inline kit {
namespace {
constexpr size_t kReportBytes = 4096;  // kept of stderr
constexpr size_t kReportLines = 12;    // of it, in a message
constexpr int kLookMs = 20;            // how soon a cancelled run is noticed
constexpr int kDepth = 8;              // of an event

std::string last_lines(const std::string& text) {
  std::deque<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    lines.push_back(printable(line));
    if (lines.size() > kReportLines) lines.pop_front();
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

struct Child::State {
  State(const std::vector<std::string>& command, RunControl& run_control, ChildLimits most)
      : program(command.at(0)), control(run_control), limits(most), process(command) {}

  bool read_line(std::string& line) {
    size_t end = buffer.find('\n');
    for (size_t seen = 0; end == std::string::npos && process.output.open(); end = buffer.find('\n', seen)) {
      if (buffer.size() > limits.line_bytes) break;
      seen = buffer.size();
      wait_for_output();
    }
    if (std::min(end, buffer.size()) > limits.line_bytes)
      fail(InputError(
          fmt::format("{}, event {}: longer than {} bytes", program, events + 1, limits.line_bytes)));
    if (end == std::string::npos) {
      check_end();
      end = buffer.size();
      if (end == 0) return false;
    }
    line = buffer.substr(0, end);
    buffer.erase(0, end + 1);
    ++events;
    return true;
  }

  void wait_for_output() {
    if (control.cancelled()) {
      process.end();
      throw CancelledError();
    }
    if (waited > std::chrono::duration<double>(limits.seconds))
      fail(Error(ExitCode::kTimeout, fmt::format("{} was not done after {} s", program, limits.seconds)));
    const TimePoint start = SteadyClock::now();
    pollfd streams[2] = {{process.output.number(), POLLIN, 0}, {process.errors.number(), POLLIN, 0}};
    if (::poll(streams, 2, kLookMs) == 0) process.ended();  // with it goes who holds its streams open
    take(process.errors, [this](std::string_view text) { keep(text); });
    take(process.output, [this](std::string_view text) {
      buffer += text;
      bytes += text.size();
      if (bytes > limits.total_bytes)
        fail(InputError(fmt::format("{} wrote more than {} bytes", program, limits.total_bytes)));
    });
    waited += SteadyClock::now() - start;
  }

  // Whatever is there, without waiting; closes the descriptor where there will be no more.
  void take(Descriptor& from, const std::function<void(std::string_view)>& give) {
    char block[16384];
    while (from.open()) {
      const ssize_t count = ::read(from.number(), block, sizeof block);
      if (count > 0) {
        give({block, size_t(count)});
        continue;
      }
      if (count < 0 && errno == EINTR) continue;
      if (count == 0 || errno != EAGAIN) from.close();
      return;
    }
  }

  void keep(std::string_view text) {
    report += text;
    if (report.size() > kReportBytes) report.erase(0, report.size() - kReportBytes);
  }

  void check_end() {
    while (!process.ended() || process.errors.open()) wait_for_output();
    const int status = *process.ended();
    if (WIFSIGNALED(status))
      fail(ChildFailed(fmt::format("{} was ended by signal {}", program, WTERMSIG(status))));
    if (WEXITSTATUS(status) != 0)
      fail(ChildFailed(fmt::format("{} ended with exit code {}", program, WEXITSTATUS(status))));
  }

  template <typename E>
  [[noreturn]] void fail(E error) {
    if (!report.empty()) error.add_report(last_lines(report));
    process.end();
    throw error;
  }

  const std::string program;
  RunControl& control;
  const ChildLimits limits;
  Process process;
  std::string buffer;  // of stdout, what no event has taken yet
  std::string report;  // of stderr, its end
  size_t bytes = 0;
  int64_t events = 0;
  std::chrono::nanoseconds waited{0};
};

Child::Child(const std::vector<std::string>& command, RunControl& control, ChildLimits limits)
    : state_(std::make_unique<State>(command, control, limits)) {}

Child::~Child() = default;

void Child::send(std::string_view line) {
  const std::string whole = std::string(line) + "\n";
  const Descriptor& input = state_->process.input;
  const ssize_t sent =
      input.open() ? ::send(input.number(), whole.data(), whole.size(), MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
  if (sent < 0 && errno == EAGAIN)
    state_->fail(InputError(state_->program + " does not read what it is sent"));
}

void Child::end_input() { state_->process.input.close(); }

bool Child::next(const Read& read) {
  std::string line;
  if (!state_->read_line(line)) return false;
  try {
    const Json event = parse_json(line, {state_->limits.line_bytes, kDepth, state_->limits.line_bytes});
    read(JsonObject(event));
  } catch (const JsonRejected& rejected) {
    state_->fail(InputError(fmt::format("{}, event {}: {}", state_->program, state_->events, rejected.why)));
  }
  return true;
}

void Child::each(const Read& read) {
  while (next(read)) continue;
}

void Child::ask(std::string_view line, const Read& read) {
  send(line);
  bool done = false;
  const Read until_done = [&](const JsonObject& event) {
    done = event.find("done") != nullptr;
    if (!done) read(event);
  };
  while (!done && next(until_done)) continue;
}

}  // namespace ringside::inline kit
