#include "line_reader.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace ringside {
namespace {

constexpr size_t kMostLine = 4096;
std::atomic<bool> ctrl_c{false};

}  // namespace

LineReader::LineReader() {
  struct sigaction action = {};
  action.sa_handler = [](int) { ctrl_c = true; };  // no SA_RESTART: the wait returns
  sigaction(SIGINT, &action, nullptr);
}

LineReader::~LineReader() { ::signal(SIGINT, SIG_DFL); }

bool LineReader::interrupted() const { return ctrl_c; }

std::optional<std::string> LineReader::next() {
  constexpr int kLookMs = 200;  // a signal between the look and the wait
  for (;;) {
    if (ctrl_c) return std::nullopt;
    const size_t end = pending_.find('\n');
    if (end != pending_.npos || (ended_ && !pending_.empty())) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end == pending_.npos ? pending_.size() : end + 1);
      if (line.size() > kMostLine) line.resize(kMostLine);
      return line;
    }
    if (ended_) return std::nullopt;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, kLookMs) <= 0) continue;
    char bytes[1024];
    const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      ended_ = true;
    else if (pending_.size() < 2 * kMostLine || pending_.find('\n') != pending_.npos)
      pending_.append(bytes, static_cast<size_t>(n));
  }
}

}  // namespace ringside
