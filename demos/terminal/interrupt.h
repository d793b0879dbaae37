// Ctrl-C and SIGQUIT while a run goes on.
#pragma once

namespace ringside {

// While one lives: the first SIGINT is remembered (the run is then cancelled at its
// next step boundary), the second ends the program at once with 130; SIGQUIT is
// remembered too, for the wait report.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope& operator=(InterruptScope&&) = delete;

  bool interrupted() const;
  bool take_report_request();  // true once for each SIGQUIT
};

}  // namespace ringside
