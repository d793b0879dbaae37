// Typed errors. main() catches them and ends the program with their code; notes/errors.md has the policy.
#pragma once

#ifndef __CUDACC__  // nvcc warns of what stands in fmt's headers
#include <fmt/format.h>
#endif

#include <stdexcept>
#include <string>
#include <utility>

namespace ringside::inline base {

// What a program ends with; printed by `ringside --help`.
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,      // a broken invariant: a bug of ours
  kUsage = 2,         // a command line that cannot be read, a call of the library that cannot be served
  kInput = 3,         // a file or data set that was rejected
  kCheckFailed = 4,   // an unexplained byte, or bits that should agree and do not
  kPeerLost = 5,      // a rank went away
  kTimeout = 6,       // a collective, or a lesson's child, missed its deadline
  kMismatch = 7,      // ranks called different collectives
  kCheckpoint = 8,    // a checkpoint that cannot be used
  kMissing = 9,       // no display, device or feature
  kInterrupted = 130  // Ctrl-C
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }
  // Lines behind the message: a function that catches the error on its way up adds what it knows, such as the
  // report of the flight recorders, and throws it on.
  void add_report(const std::string& report) {
    report_ = report;
    text_ = std::string(std::runtime_error::what()) + "\n" + report;
  }
  const std::string& report() const { return report_; }
  const char* what() const noexcept override {
    return report_.empty() ? std::runtime_error::what() : text_.c_str();
  }

 private:
  ExitCode code_;
  std::string report_, text_;
};

template <ExitCode kCode>
struct ErrorOf : Error {
  explicit ErrorOf(const std::string& message) : Error(kCode, message) {}
#ifndef __CUDACC__
  template <typename... Args>
  explicit ErrorOf(fmt::format_string<Args...> message, Args&&... args)
      : Error(kCode, fmt::format(message, std::forward<Args>(args)...)) {}
#endif
};
// The message names the thing and what to do, e.g. "ranks=9: allowed are 1 to 8".
using UsageError = ErrorOf<ExitCode::kUsage>;
using InputError = ErrorOf<ExitCode::kInput>;
using MissingError = ErrorOf<ExitCode::kMissing>;
using InvariantError = ErrorOf<ExitCode::kInternal>;  // a broken invariant: never the user's fault

// The run was cancelled at a step boundary; what was recorded so far is kept.
struct CancelledError : Error {
  CancelledError() : Error(ExitCode::kInterrupted, "cancelled") {}
};
// Thrown by every rank at the same point, so that no rank waits for another. DivergedError (train) is one.
struct SharedError : Error {
  using Error::Error;
};

}  // namespace ringside::inline base
