#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/launch/ranks.h"
#include "ringside/processes/join.h"

namespace ringside {
namespace {

constexpr const char* kOption = "--processes";

std::string own_program() {
  std::array<char, 4096> path;
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) throw MissingError("/proc/self/exe cannot be read");
  return {path.data(), static_cast<size_t>(size)};
}

}  // namespace

std::shared_ptr<JoinedRanks> join_by_words(int argc, char** argv) {
  for (int at = 1; at + 1 < argc; ++at) {
    if (std::string_view(argv[at]) != kOption) continue;
    const auto count = read_number<int>(argv[at + 1]);
    if (!count || *count < 1) throw UsageError(std::string(kOption) + " N: how many ranks");
    RanksToStart start{.ranks = *count, .command = {own_program()}};
    start.command.insert(start.command.end(), argv + 1, argv + at);
    start.command.insert(start.command.end(), argv + at + 2, argv + argc);
    std::exit(start_ranks(start));
  }
  return join(resolve(own_environment()));
}

}  // namespace ringside
