#include "ringside/launch/launcher.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/text.h"

namespace ringside::inline launch {
namespace {

constexpr size_t kLineBytes = 64 << 10;   // a longer line is cut there
constexpr size_t kWordsBytes = 4096;      // kept of stderr
constexpr size_t kTurnBytes = 256 << 10;  // read of one stream before the others have their turn

// Becomes readable when the process ends (Linux 5.3).
Descriptor open_process(pid_t id) {
  Descriptor descriptor(int(::syscall(SYS_pidfd_open, id, 0)));
  if (!descriptor.open()) throw MissingError("this system has no pidfd_open: Linux 5.3 or later is needed");
  return descriptor;
}

// Whatever is there, without waiting; closes the descriptor where there will be no more.
void read_some(Descriptor& from, const std::function<void(std::string_view)>& give) {
  char block[16384];
  for (size_t taken = 0; from.open() && taken < kTurnBytes;) {
    const ssize_t count = ::read(from.number(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return from.close();
    give({block, size_t(count)});
    taken += size_t(count);
  }
}

std::string how_it_ended(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

struct Launcher::Child {
  Child(const std::string& name, const std::vector<std::string>& command, const ProcessSetting& setting)
      : role(name), process(command, setting), end(open_process(process.id())) {}

  std::string role;
  Process process;
  Descriptor end;
  std::string line = {}, words = {};  // an unfinished line of stdout; the end of stderr
  bool may_end = false;
};

Launcher::Launcher(Heard heard) : heard_(std::move(heard)) {}
Launcher::~Launcher() { end_all(); }

size_t Launcher::start(const std::string& role, const std::vector<std::string>& command,
                       const ProcessSetting& setting) {
  children_.push_back(std::make_unique<Child>(role, command, setting));
  return children_.size() - 1;
}

bool Launcher::watch(int64_t until_ns, const std::function<bool()>& done) {
  for (;;) {
    for (size_t place = 0; place < children_.size(); ++place) {
      take_output(*children_[place], place);
      note_end(*children_[place], place);
    }
    if (done()) return true;
    const int64_t left = until_ns - now_ns();
    if (left <= 0) return false;
    std::vector<pollfd> waits;
    for (const auto& child : children_)
      for (const Descriptor* one : {&child->end, &child->process.output, &child->process.errors})
        if (one->open()) waits.push_back({one->number(), POLLIN, 0});
    constexpr int64_t kLookMs = 20;  // `done` may look at more than what they write
    ::poll(waits.data(), waits.size(), int(std::min(left / 1'000'000 + 1, kLookMs)));
  }
}

void Launcher::take_output(Child& child, size_t place) {
  read_some(child.process.errors, [&](std::string_view text) {
    child.words += text;
    if (child.words.size() > kWordsBytes) child.words.erase(0, child.words.size() - kWordsBytes);
  });
  read_some(child.process.output, [&](std::string_view text) {
    for (const char letter : text) {
      if (letter != '\n') {
        if (child.line.size() < kLineBytes) child.line += letter;
        continue;
      }
      if (heard_) heard_(place, child.line);
      child.line.clear();
    }
  });
}

// The process has ended: what it wrote last is read first.
void Launcher::note_end(Child& child, size_t place) {
  if (!child.end.open() || !child.process.ended()) return;
  take_output(child, place);
  child.end.close();
  if (child.may_end) return;
  const int status = *child.process.ended();
  ProcessLostError error(code_of(status), fmt::format("{} (process {}) {}", child.role, child.process.id(),
                                                      how_it_ended(status)));
  if (!child.words.empty()) error.add_report(last_words(place));
  throw error;
}

void Launcher::say(size_t child, const std::string& line) {
  const std::string whole = line + "\n";
  const Descriptor& input = children_.at(child)->process.input;
  ::send(input.number(), whole.data(), whole.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Launcher::let_go(size_t child) { children_.at(child)->may_end = true; }

void Launcher::kill(size_t child) {
  let_go(child);
  children_.at(child)->process.kill();
}

void Launcher::stand_still(size_t child) {
  Process& process = children_.at(child)->process;
  process.signal(SIGSTOP);
  siginfo_t info{};  // its end, if it came first, stays to be read
  ::waitid(P_PID, static_cast<id_t>(process.id()), &info, WSTOPPED | WEXITED | WNOWAIT);
}
void Launcher::go_on(size_t child) { children_.at(child)->process.signal(SIGCONT); }

void Launcher::signal(size_t child, int number) { children_.at(child)->process.signal(number); }

bool Launcher::runs(size_t child) const { return !children_.at(child)->process.ended(); }

bool Launcher::stands_still(size_t child) const { return children_.at(child)->process.stands_still(); }

int Launcher::exit_code(size_t child) const {
  const std::optional<int> status = children_.at(child)->process.ended();
  RINGSIDE_CHECK(status, "it runs");
  return code_of(*status);
}

int64_t Launcher::process_id(size_t child) const { return children_.at(child)->process.id(); }

std::string Launcher::last_words(size_t child) const {
  std::string_view words = children_.at(child)->words;
  while (words.ends_with('\n')) words.remove_suffix(1);
  std::string lines;
  for (const std::string_view line : split(words, "\n"))
    lines += (lines.empty() ? "" : "\n") + printable(line);
  return lines;
}

void Launcher::end_all() {
  for (const auto& child : children_) child->process.ask_to_end();
  for (const auto& child : children_) child->process.end();
}

}  // namespace ringside::inline launch
