// start_ranks [--seconds S] [--follow S] [--killed RANK] [--restarts K] N PROGRAM [ARGUMENT...]: a test
// program as the ranks of one run. What ranks above 0 write is shown with their number.
#include <cstdio>
#include <string_view>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/launch/ranks.h"

using namespace ringside;

namespace {

template <typename T>
T number(std::string_view word, T least, T most) {
  const std::optional<T> value = read_number<T>(word);
  if (!value || *value < least || *value > most)
    throw UsageError("'" + as_typed(word) + "': no number that fits");
  return *value;
}

RanksToStart parse(int argc, char** argv) {
  RanksToStart start;
  int at = 1;
  for (; at + 1 < argc && std::string_view(argv[at]).starts_with("--"); at += 2) {
    const std::string_view option(argv[at]);
    if (option == "--seconds")
      start.seconds = number(argv[at + 1], 1e-3, 1e6);
    else if (option == "--follow")
      start.to_follow = number(argv[at + 1], 1e-3, 1e6);
    else if (option == "--killed")
      start.killed = number(argv[at + 1], 0, 31);
    else if (option == "--restarts")
      start.restarts = number(argv[at + 1], 0, 1000);
    else
      throw UsageError(as_typed(option) + " is not known");
  }
  if (argc - at < 2)
    throw UsageError(
        "usage: start_ranks [--seconds S] [--follow S] [--killed RANK] [--restarts K] N PROGRAM "
        "[ARGUMENT...]");
  start.ranks = number(argv[at], 1, 32);
  start.command.assign(argv + at + 1, argv + argc);
  start.heard = [](int rank, const std::string& line) { std::printf("[%d] %s\n", rank, line.c_str()); };
  return start;
}

}  // namespace

int main(int argc, char** argv) try { return start_ranks(parse(argc, argv)); } catch (const Error& error) {
  std::fprintf(stderr, "start_ranks: %s\n", error.what());
  return static_cast<int>(error.code());
}
