// Names for threads, and one switch that says who waits where.
#pragma once

#include <string>

namespace ringside::inline base {

// Visible in gdb, top -H and the wait report; the system keeps 15 characters.
void set_thread_name(const std::string& name);  // "main" at first

// While one lives, this thread is listed in wait_report() under its name.
class WaitScope {
 public:
  explicit WaitScope(std::string what);  // e.g. "dp #41 all_reduce, arrived, missing rank 3"
  ~WaitScope();
  WaitScope& operator=(WaitScope&&) = delete;
};

// One line a waiting thread, the longest wait first: name, what it waits for,
// since how many ms. `ringside` prints it on SIGQUIT (from a thread that waits
// for the signal: it takes a lock); timeouts carry it in their message.
std::string wait_report();

}  // namespace ringside::inline base
