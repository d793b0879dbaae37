#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "prompt_line.h"
#include "ringside/base/error.h"

namespace ringside {
namespace {

std::atomic<int> interrupts{0};
std::atomic<bool> report_wanted{false};
static_assert(std::atomic<int>::is_always_lock_free);  // else no signal handler may touch it

void on_interrupt(int) {
  if (interrupts.fetch_add(1) == 0) return;
  give_terminal_back();
  _exit(int(ExitCode::kInterrupted));
}
void on_quit(int) { report_wanted = true; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // a rank's thread may be the one that is interrupted
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptScope::InterruptScope() {
  handle(SIGINT, on_interrupt);
  handle(SIGQUIT, on_quit);
}

InterruptScope::~InterruptScope() {
  handle(SIGINT, SIG_DFL);
  handle(SIGQUIT, SIG_DFL);
}

bool InterruptScope::interrupted() const { return interrupts > 0; }
bool InterruptScope::take_report_request() { return report_wanted.exchange(false); }

}  // namespace ringside
