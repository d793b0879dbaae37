#include "program.h"

#include <csignal>
#include <exception>
#include <iostream>

namespace ringside {
namespace {

int fail(ExitCode code, const char* message) {
  std::cerr << "ringside: " << message << '\n';
  return static_cast<int>(code);
}

}  // namespace

int run_program(int argc, char** argv, const Dispatch& dispatch) {
  // A closed pipe then shows as a failed write, which std::cout remembers and skips.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  try {
    const Options options = parse_options(argc, argv);
    const ExitCode code = dispatch(options, std::cout);
    std::cout.flush();
    return static_cast<int>(code);
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kInput, "out of memory; choose a smaller model, batch or number of ranks");
  } catch (const std::exception& error) {
    return fail(ExitCode::kInternal, error.what());
  }
}

}  // namespace ringside
