#include "program.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "standard_output.h"

namespace ringside {
namespace {

constexpr size_t kMostColumns = 2000;  // of a line; lists of what is allowed are shorter

// Whatever a message repeats from files or lessons, the terminal acts on none of it.
int fail(ExitCode code, const std::string& message) {
  std::cerr << "ringside: ";
  std::istringstream lines{as_called(message)};
  for (std::string line; std::getline(lines, line);) std::cerr << as_typed(line, kMostColumns) << '\n';
  return int(code);
}

// A reader that went away is no error; a full disk is.
int written(int code) {
  std::cout.flush();
  const int error = standard_output().error();
  if (error == 0 || error == EPIPE || code != 0) return code;
  return fail(ExitCode::kInput, std::string("the output cannot be written: ") + std::strerror(error));
}

// LibTorch's destructors take 0.1 s to free what the system frees anyway. LeakSanitizer needs them to have
// run.
int leave(int code) {
  code = written(code);
#ifndef __SANITIZE_ADDRESS__
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}

constexpr const char* kOutOfMemory = "out of memory; choose a smaller model, batch or number of ranks";

int answer(int argc, char** argv, const Dispatch& dispatch) {
  occupy_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe then shows as a failed write
  std::ios::sync_with_stdio(false);
  standard_output();
  try {
    const Options options = parse_options(argc, argv);
    return int(dispatch(options, std::cout));
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kInput, kOutOfMemory);
  } catch (const std::exception& error) {
    // LibTorch throws an error of its own, with a stack of fifty lines.
    if (std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos)
      return fail(ExitCode::kInput, kOutOfMemory);
    return fail(ExitCode::kInternal, error.what());
  }
}

}  // namespace

int run_program(int argc, char** argv, const Dispatch& dispatch) {
  return leave(answer(argc, argv, dispatch));
}

int run_program(int argc, char** argv, const std::map<Command, Dispatch>& commands) {
  return run_program(argc, argv, [&](const Options& options, std::ostream& out) {
    const auto found = commands.find(options.command);
    if (found != commands.end()) return found->second(options, out);
    throw UsageError(std::filesystem::path(argv[0]).filename().string() +
                     " is what ringside calls; call ringside");
  });
}

}  // namespace ringside
