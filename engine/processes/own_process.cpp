#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/launch/launcher.h"
#include "ringside/launch/ranks.h"
#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"

namespace ringside::inline processes {
namespace {

constexpr std::string_view kProcesses = "--processes", kRestarts = "--restarts";
constexpr std::chrono::seconds kToStart{30};  // on this host

std::string own_program() {
  std::error_code unreadable;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  if (unreadable) throw MissingError("/proc/self/exe cannot be read");
  return path;
}

// Ranks that end with their run.
struct Others {
  Launcher launcher;
  std::shared_ptr<JoinedRanks> run;  // the last member: it is left before they are ended
};

}  // namespace

std::shared_ptr<JoinedRanks> start_others(int ranks, const std::vector<std::string>& command) {
  const auto others = std::make_shared<Others>();
  Descriptor listening = listen_at("127.0.0.1", 0);
  const std::string run = new_run_id();
  for (int rank = 1; rank < ranks; ++rank) {
    ProcessSetting setting = setting_of_rank(rank, ranks, port_of(listening), run);
    setting.environment["RINGSIDE_WATCHED"] = "1";
    others->launcher.let_go(others->launcher.start(fmt::format("rank {}", rank), command, setting));
  }
  Launch own{.launcher = "this program"};
  own.size = own.local_size = {ranks, own.launcher};
  own.port = {port_of(listening), own.launcher};
  own.watched = {1, own.launcher};
  own.run_id = {run, own.launcher};
  own.store_socket = {listening.release(), own.launcher};
  try {
    others->run = join(own, kToStart);
  } catch (const Error& error) {
    others->launcher.watch(now_ns(), [] { return true; });  // takes what they wrote last
    std::string words;
    for (size_t child = 0; child + 1 < size_t(ranks) && words.empty(); ++child)
      words = others->launcher.last_words(child);
    throw Error(error.code(),
                fmt::format("{}{}{}", error.what(), words.empty() ? "" : "; a rank said: ", words));
  }
  return {others, others->run.get()};
}

std::shared_ptr<JoinedRanks> join_by_words(int argc, char** argv) {
  RanksToStart start{.ranks = 0, .command = {own_program()}};
  for (int at = 1; at < argc; ++at) {
    const std::string_view word(argv[at]);
    if (word != kProcesses && word != kRestarts) {
      start.command.emplace_back(word);
      continue;
    }
    const auto count = read_number<int>(++at < argc ? argv[at] : "");
    const int least = word == kProcesses ? 1 : 0;
    if (!count || *count < least) throw UsageError("{} N: a number, at least {}", word, least);
    (word == kProcesses ? start.ranks : start.restarts) = *count;
  }
  if (start.ranks > 0) std::exit(start_ranks(start));
  return join(resolve(own_environment()));
}

}  // namespace ringside::inline processes
