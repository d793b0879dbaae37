#include "ringside/launch/ranks.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <random>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/launch/launcher.h"
#include "ringside/launch/stream.h"

namespace ringside::inline launch {
namespace {

constexpr int kEnded = int(ExitCode::kPeerLost);
constexpr int kSignals = 128;  // an exit code above it is a signal

// Rank 0 is in our group and has what the terminal sends; what somebody sends us alone is handed on.
std::atomic<int> handed_on{0}, asked_to_end{0};
void on_signal(int number, siginfo_t* info, void*) {
  asked_to_end.fetch_add(1);
  if (info->si_code != SI_KERNEL) handed_on = number;
}

class SignalScope {
 public:
  SignalScope() {
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < 2; ++i) ::sigaction(kNumbers[i], &action, &before_[i]);
  }
  ~SignalScope() {
    for (size_t i = 0; i < 2; ++i) ::sigaction(kNumbers[i], &before_[i], nullptr);
  }

 private:
  static constexpr int kNumbers[2] = {SIGINT, SIGTERM};
  struct sigaction before_[2];
};

TimePoint in_seconds(double seconds) {
  return SteadyClock::now() +
         std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

class StartedRanks {
 public:
  explicit StartedRanks(const RanksToStart& start)
      : start_(start),
        listening_(listen_at("127.0.0.1", 0)),
        launcher_([this](size_t rank, const std::string& line) {
          if (start_.heard) start_.heard(int(rank), line);
        }) {
    const std::string run = new_run_id();
    for (int rank = 0; rank < start.ranks; ++rank) {
      launcher_.start(fmt::format("rank {}", rank), start.command, setting_of(rank, run));
      launcher_.let_go(size_t(rank));
    }
    codes_.assign(size_t(start.ranks), -1);
    listening_.close();
  }

  int wait() {
    constexpr int64_t kLookNs = 20'000'000;
    while (!launcher_.watch(now_ns() + kLookNs, [this] { return note_ends(); })) {
      if (const int number = handed_on.exchange(0)) launcher_.signal(0, number == SIGTERM ? SIGINT : number);
      const bool over = SteadyClock::now() > last_;
      if (over || asked_to_end > 1 || rest_stands_still()) end_rest(over);
    }
    launcher_.watch(now_ns(), [] { return true; });  // takes what they wrote last
    return outcome();
  }

 private:
  ProcessSetting setting_of(int rank, const std::string& run) const {
    ProcessSetting setting = setting_of_rank(rank, start_.ranks, port_of(listening_), run);
    if (start_.watched) setting.environment["RINGSIDE_WATCHED"] = "1";
    setting.terminal = rank == 0;
    if (rank != 0) return setting;
    setting.environment["RINGSIDE_STORE_SOCKET"] = std::to_string(kGivenDescriptor);
    setting.descriptor = listening_.number();
    return setting;
  }

  // True once all have ended.
  bool note_ends() {
    bool all = true;
    for (size_t rank = 0; rank < codes_.size(); ++rank) {
      if (codes_[rank] < 0 && !launcher_.runs(rank)) ended(rank, launcher_.exit_code(rank));
      all = all && codes_[rank] >= 0;
    }
    return all;
  }

  void ended(size_t rank, int code) {
    codes_[rank] = code;
    const bool was_ended = std::ranges::count(ended_here_, rank) > 0;
    if (code != 0 && !was_ended) failed_.push_back(rank);
    if (code != 0 || rank == 0) last_ = std::min(last_, in_seconds(start_.to_follow));
  }

  // A process that a signal has stopped does not end by itself.
  bool rest_stands_still() const {
    if (failed_.empty() && codes_[0] < 0) return false;
    for (size_t rank = 0; rank < codes_.size(); ++rank)
      if (codes_[rank] < 0 && !launcher_.stands_still(rank)) return false;
    return true;
  }

  void end_rest(bool late) {
    for (size_t rank = 0; rank < codes_.size(); ++rank) {
      if (codes_[rank] >= 0) continue;
      ended_here_.push_back(rank);
      launcher_.kill(rank);
    }
    timed_out_ = late && failed_.empty() && codes_[0] != 0;
    last_ = TimePoint::max();
  }

  // Whose failure is no echo of another's: by a signal, else with a code that is no lost peer's, else first.
  size_t culprit() const {
    const size_t one = first_culprit();
    return std::ranges::count(failed_, 0) > 0 && codes_[0] == codes_[one] ? 0 : one;
  }
  size_t first_culprit() const {
    for (const size_t rank : failed_)
      if (codes_[rank] > kSignals && codes_[rank] != int(ExitCode::kInterrupted)) return rank;
    for (const size_t rank : failed_)
      if (codes_[rank] != kEnded) return rank;
    return failed_.front();
  }

  int outcome() {
    if (start_.killed >= 0) return outcome_of_killed();
    for (const size_t rank : ended_here_)
      say(fmt::format("rank {} did not end by itself and was ended", rank));
    if (timed_out_)
      throw Error(ExitCode::kTimeout,
                  fmt::format("not over after {} s: all ranks were ended", start_.seconds));
    if (failed_.empty()) return ended_here_.empty() ? 0 : kEnded;
    const size_t rank = culprit();
    const int code = codes_[rank];
    if (code == int(ExitCode::kInterrupted)) return code;
    say_of(rank);
    return code > kSignals ? kEnded : code;
  }

  int outcome_of_killed() const {
    const auto killed = size_t(start_.killed);
    for (const size_t rank : failed_)
      if (rank != killed) {
        say_of(rank);
        return codes_[rank] > kSignals ? kEnded : codes_[rank];
      }
    if (codes_[killed] > kSignals) return 0;
    say_of(killed);
    return int(ExitCode::kCheckFailed);
  }

  static void say(const std::string& text) { std::cerr << "ringside: " << text << '\n'; }
  void say_of(size_t rank) const {
    const int code = codes_[rank];
    if (rank == 0 && code <= kSignals) return;  // it has said so itself
    const std::string words = launcher_.last_words(rank);
    say(fmt::format("rank {} (process {}) {} {}", rank, launcher_.process_id(rank),
                    code > kSignals ? "was ended by signal" : "ended with exit code",
                    code > kSignals ? code - kSignals : code));
    if (!words.empty()) std::cerr << words << '\n';
  }

  const RanksToStart& start_;
  Descriptor listening_;
  Launcher launcher_;
  std::vector<int> codes_;  // (rank) exit code, or -1
  std::vector<size_t> failed_, ended_here_;
  TimePoint last_ = start_.seconds > 0 ? in_seconds(start_.seconds) : TimePoint::max();
  bool timed_out_ = false;
};

}  // namespace

ProcessSetting setting_of_rank(int rank, int ranks, int port, const std::string& run) {
  return {.environment = {{"RANK", std::to_string(rank)},
                          {"WORLD_SIZE", std::to_string(ranks)},
                          {"LOCAL_RANK", std::to_string(rank)},
                          {"LOCAL_WORLD_SIZE", std::to_string(ranks)},
                          {"MASTER_ADDR", "127.0.0.1"},
                          {"MASTER_PORT", std::to_string(port)},
                          {"RINGSIDE_RUN_ID", run},
                          {"RINGSIDE_STORE_SOCKET", ""},
                          {"TORCHELASTIC_RUN_ID", ""},
                          {"TORCHELASTIC_RESTART_COUNT", ""},
                          {"TORCHELASTIC_USE_AGENT_STORE", ""},
                          {"TORCHELASTIC_ERROR_FILE", ""}}};
}

std::string new_run_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

int start_ranks(const RanksToStart& start) {
  const SignalScope signals;
  handed_on = asked_to_end = 0;
  std::cout.flush();
  for (int restart = 0;; ++restart) {
    const int code = StartedRanks(start).wait();
    const bool is_lost = code == kEnded || code == int(ExitCode::kTimeout);
    if (!is_lost || restart == start.restarts || asked_to_end > 0) return code;
    std::cerr << fmt::format("ringside: all ranks are started anew, {} of {} times\n", restart + 1,
                             start.restarts);
  }
}

}  // namespace ringside::inline launch
