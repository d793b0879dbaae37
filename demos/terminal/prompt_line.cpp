#include "prompt_line.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "ringside/base/text.h"
#include "terminal.h"

namespace ringside {
namespace {

constexpr size_t kMostTyped = 1000;  // bytes: an answer to say takes some
constexpr char kEscape = 0x1b, kEndOfInput = 0x04, kEraseLine = 0x15, kDelete = 0x7f, kBackspace = 0x08;

termios as_it_was;
std::atomic<bool> taken{false};

void take_terminal() {
  if (tcgetattr(STDIN_FILENO, &as_it_was) != 0) return;
  termios raw = as_it_was;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C stays a signal
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  taken = true;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void drop_last_letter(std::string& text) {
  while (!text.empty() && continues_letter(text.back())) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Its end, where it is longer than `most` columns.
std::string end_of(std::string text, size_t most) {
  while (columns(text) > most && !text.empty()) text.erase(0, first_letter(text).bytes);
  return text;
}

}  // namespace

bool can_ask() { return isatty(STDIN_FILENO) != 0 && is_smart_stdout(); }

void give_terminal_back() {
  if (taken.exchange(false)) tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
}

PromptLine::PromptLine(std::ostream& out) : out_(out) {
  out_ << std::flush;
  take_terminal();
}

PromptLine::~PromptLine() {
  clear();
  give_terminal_back();
}

void PromptLine::draw(const std::string& prompt, const std::string& meanwhile) {
  const auto width = size_t(stdout_width());
  const size_t used = columns(prompt) + 1;
  const std::string typed = end_of(printable(typed_), width > used ? width - used : 0);
  std::string text = "\r\033[K" + prompt + typed;
  const size_t behind = columns(meanwhile) + 3;
  if (!meanwhile.empty() && columns(prompt) + columns(typed) + behind < width)
    text += "   " + meanwhile + "\033[" + std::to_string(behind) + "D";
  if (text == shown_) return;
  shown_ = text;
  out_ << text << std::flush;
}

void PromptLine::clear() {
  if (shown_.empty()) return;
  shown_.clear();
  out_ << "\r\033[K" << std::flush;
}

void PromptLine::leave() {
  if (shown_.empty()) return;
  shown_.clear();
  out_ << "\033[K\n" << std::flush;
}

PromptLine::Came PromptLine::wait(std::chrono::milliseconds at_most) {
  if (!pending_.empty() || ended_) return read_pending();
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  if (poll(&keys, 1, int(at_most.count())) <= 0) return Came::kNothing;
  char bytes[256];
  const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
  last_key_ = SteadyClock::now();
  if (count > 0) pending_.append(bytes, size_t(count));
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;  // the terminal is gone
  return read_pending();
}

// Up to the end of a line: what is typed ahead stays for the next one.
PromptLine::Came PromptLine::read_pending() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    const char byte = pending_[i];
    const bool line = byte == '\n' || byte == '\r', end = byte == kEndOfInput && typed_.empty();
    if (!line && !end) {
      edit(byte);
      continue;
    }
    pending_.erase(0, i + 1);
    if (line) line_ = std::exchange(typed_, "");
    return line ? Came::kLine : Came::kEnd;
  }
  pending_.clear();
  return ended_ ? Came::kEnd : Came::kNothing;
}

void PromptLine::edit(char byte) {
  if (in_escape_) {  // an arrow, say: up to its letter
    in_escape_ = byte == '[' || byte == 'O' || byte == ';' || (byte >= '0' && byte <= '9');
  } else if (byte == kEscape) {
    in_escape_ = true;
  } else if (byte == kDelete || byte == kBackspace) {
    drop_last_letter(typed_);
  } else if (byte == kEraseLine) {
    typed_.clear();
  } else if (static_cast<unsigned char>(byte) >= 0x20 && typed_.size() < kMostTyped) {
    typed_ += byte;
  }
}

std::string PromptLine::take() { return std::exchange(line_, ""); }

}  // namespace ringside
