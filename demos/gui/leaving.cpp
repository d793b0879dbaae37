#include "leaving.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace ringside::gui {
namespace {

std::atomic<int> signals{0};
static_assert(std::atomic<int>::is_always_lock_free);  // else no signal handler may touch it

void on_signal(int) {
  if (signals.fetch_add(1) > 0) _exit(int(ExitCode::kInterrupted));
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);  // without SA_RESTART: waiting for input ends
}

void say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // there is nobody to be told
}

int on_display_lost(void*) {
  say("ringside: the display went away; what was answered is kept\n");
  _exit(int(ExitCode::kMissing));
}

}  // namespace

Leaving::Leaving() {
  signals = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_signal);
}

Leaving::~Leaving() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  left_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, SIG_DFL);
}

bool Leaving::signalled() const { return signals > 0; }

void Leaving::begin() {
  if (!watcher_.joinable()) watcher_ = std::thread([this] { watch(); });
}

void Leaving::because(ExitCode code, const std::string& message) {
  const std::lock_guard lock(mutex_);
  code_ = code;
  message_ = message;
}

void Leaving::watch() {
  std::unique_lock lock(mutex_);
  if (left_.wait_for(lock, kPatience, [this] { return done_; })) return;
  if (!message_.empty()) say(("ringside: " + message_ + "\n").c_str());
  if (code_ != ExitCode::kOk)
    say("ringside: the run did not stop at once; the program ends without it. What was answered is kept\n");
  _exit(int(code_));
}

void survive_display_loss() {
  // The library is there only where GLFW loaded it; its headers are not needed for this one call.
  void* const xlib = dlopen("libX11.so.6", RTLD_NOW | RTLD_NOLOAD);
  if (xlib == nullptr) return;
  using Handler = int (*)(void*);
  using SetHandler = Handler (*)(Handler);
  void* const found = dlsym(xlib, "XSetIOErrorHandler");
  SetHandler set = nullptr;
  std::memcpy(&set, &found, sizeof found);
  if (set != nullptr) set(on_display_lost);
}

}  // namespace ringside::gui
