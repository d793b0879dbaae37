#include "input_lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside {

std::vector<InputLines::Line> InputLines::next(size_t most_lines) {
  while (lines_.empty() && !at_end_ && !is_interrupted())
    if (!fill()) {
      at_end_ = true;
      if (is_open_) end_line();
    }
  std::vector<Line> taken;
  if (is_interrupted()) return taken;
  for (; !lines_.empty() && taken.size() < most_lines; lines_.pop_front())
    taken.push_back(std::move(lines_.front()));
  return taken;
}

bool InputLines::is_ready() const {
  constexpr int kLookMs = 200;  // a signal between the look and the wait
  const TimePoint start = SteadyClock::now();
  while (!is_interrupted()) {
    pollfd waits{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&waits, 1, kLookMs) > 0) return true;
    if (deadline_.count() > 0 && SteadyClock::now() - start >= deadline_)
      throw Error(ExitCode::kTimeout,
                  fmt::format("no line came within {}", format_duration(double(deadline_.count()) * 1e-3)));
  }
  return false;
}

bool InputLines::fill() {
  if (!is_ready()) return true;
  std::array<char, 1 << 16> bytes;
  const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  if (count < 0) throw InputError(fmt::format("standard input cannot be read: {}", std::strerror(errno)));
  take(bytes.data(), size_t(count));
  return count > 0;
}

void InputLines::take(const char* bytes, size_t count) {
  const char* const end = bytes + count;
  while (bytes < end) {
    const char* const stop = std::find(bytes, end, '\n');
    const size_t room = most_ - std::min(most_, open_.bytes.size());
    const auto length = size_t(stop - bytes);
    open_.bytes.append(bytes, std::min(room, length));
    open_.cut = open_.cut || length > room;
    is_open_ = true;
    if (stop == end) return;
    end_line();
    bytes = stop + 1;
  }
}

void InputLines::end_line() {
  if (!open_.cut && open_.bytes.ends_with('\r')) open_.bytes.pop_back();
  lines_.push_back(std::exchange(open_, {}));
  is_open_ = false;
}

}  // namespace ringside
