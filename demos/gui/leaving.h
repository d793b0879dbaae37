// How the program ends when someone wants it to: Ctrl-C, a signal, the window's cross, a display
// that went away. A run may take its time to stop, or never come to its next step: then the
// program ends without it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "ringside/base/error.h"

namespace ringside::gui {

class Leaving {
 public:
  static constexpr auto kPatience = std::chrono::milliseconds(800);

  Leaving();  // SIGINT, SIGTERM, SIGHUP; the second one ends the program at once
  ~Leaving();
  Leaving& operator=(Leaving&&) = delete;

  bool signalled() const;
  // From here on at most kPatience: then the program ends with the code it leaves with. Where that is not
  // kOk, it says that the run did not stop.
  void begin();
  void because(ExitCode code,
               const std::string& message);  // message: of the error with which it leaves, or ""

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable left_;
  bool done_ = false;
  ExitCode code_ = ExitCode::kOk;
  std::string message_;
  std::thread watcher_;
};

// After the window was opened: an X server that goes away ends the program with a message and
// kMissing, instead of Xlib's exit(1). What was answered is on the disk by then.
void survive_display_loss();

}  // namespace ringside::gui
