// Cycles of waits between processes: a rank that is blocked asks all others what they wait in. The last rank
// of a cycle to be blocked sees the whole of it, as all others are blocked when they answer.
//
// It asks twice: for few calls, which costs little where nothing is wrong, and then for as many as tell who
// did otherwise. On a thread of its own: a reader that waited to write would keep its peer from writing.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "channel_state.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"
#include "ringside/flight/report.h"

namespace ringside::inline comm {
namespace {

constexpr std::chrono::milliseconds kToAsk{1'000}, kToAnswer{500};
constexpr int64_t kFew = 0, kMany = 256;  // calls of a rank; few: those under way, and the last of each lane

// What one rank shows of one run.
struct Look {
  uint64_t run = 0;
  std::vector<uint64_t> groups;  // hashes; the one that it is blocked in comes first
  FlightDump dump;
};

std::string to_text(const Look& look) {
  const std::string dump = flight_json(look.dump);
  std::string text = fmt::format("{} {} {}", dump.size(), look.run, look.dump.blocked_in);
  for (const uint64_t hash : look.groups) text += ' ' + std::to_string(hash);
  return text + '\n' + dump;
}

// What is no look ends them: its sender is not believed.
std::vector<Look> read_looks(int rank, std::string_view text) try {
  std::vector<Look> looks;
  for (size_t line; (line = text.find('\n')) != text.npos;) {
    std::istringstream words{std::string(text.substr(0, line))};
    text.remove_prefix(line + 1);
    Look look;
    size_t bytes = 0;
    int64_t blocked_in = -1;
    if (!(words >> bytes >> look.run >> blocked_in) || bytes > text.size()) break;
    for (uint64_t hash = 0; words >> hash;) look.groups.push_back(hash);
    look.dump = parse_flight_dump(text.substr(0, bytes), "a look", rank);
    look.dump.blocked_in = blocked_in;
    if (look.dump.rank != rank) break;
    text.remove_prefix(bytes);
    looks.push_back(std::move(look));
  }
  return looks;
} catch (const Error&) {
  return {};
}

void keep_few(FlightDump& dump) {
  std::map<std::tuple<std::string, bool, Op, int>, int64_t> last;  // by lane
  const auto lane = [](const FlightEntry& entry) {
    return entry.is_p2p() ? std::tuple(entry.group, true, entry.op, entry.peer)
                          : std::tuple(entry.group, false, Op::kBarrier, -1);
  };
  for (const FlightEntry& entry : dump.entries) last[lane(entry)] = entry.record_id;
  std::erase_if(dump.entries, [&](const FlightEntry& entry) {
    return entry.state == CollectiveState::kCompleted && last.at(lane(entry)) != entry.record_id;
  });
}

class Looking {
 public:
  explicit Looking(ChannelState& state) : state_(state), looks_(state.looks) {}

  void serve(const std::stop_token& stop) {
    std::unique_lock lock(state_.mutex);
    while (!stop.stop_requested()) {
      const auto is_due = [this] {
        return !looks_.asked.empty() || is_answered() || (looks_.wanted && !waits());
      };
      if (waits())
        looks_.changed.wait_until(lock, stop, begun_ + kToAnswer, is_due);
      else
        looks_.changed.wait(lock, stop, is_due);
      if (!looks_.asked.empty())
        answer(lock);
      else if (is_answered())
        judge(lock);
      else if (looks_.wanted && !waits())
        ask(lock, kFew);
    }
  }

 private:
  // For answers to this rank's own question: until a rank that stands still has had its time.
  bool waits() const { return open_ && SteadyClock::now() < begun_ + kToAnswer; }
  bool is_answered() const {
    if (!open_) return false;
    for (int peer = 0; peer < std::ssize(state_.channels); ++peer)
      if (peer != state_.rank && !state_.lost[size_t(peer)] && !looks_.answers.contains(peer)) return false;
    return true;
  }

  std::vector<Look> own_looks(int64_t calls) const {
    std::vector<Look> all;
    for (const auto& [flight, run] : looks_.runs) {
      Look look{.run = run.id, .groups = {}, .dump = flight->look(kMany)};
      if (calls == kFew && look.dump.blocked_in < 0) continue;  // it is in no cycle
      if (calls == kFew) keep_few(look.dump);
      const auto blocked =
          std::ranges::find(look.dump.entries, look.dump.blocked_in, &FlightEntry::record_id);
      for (const FlightGroup& group : look.dump.groups) {
        look.groups.push_back(state_.newest_hash(run.prefix + group.name, group.ranks));
        if (blocked != look.dump.entries.end() && blocked->group == group.name)
          std::swap(look.groups.front(), look.groups.back());
      }
      all.push_back(std::move(look));
    }
    return all;
  }

  void answer(std::unique_lock<std::mutex>& lock) {
    const auto [peer, question] = *looks_.asked.begin();
    looks_.asked.erase(looks_.asked.begin());
    const std::vector<Look> own = own_looks(question.calls);
    lock.unlock();
    std::string text;
    for (const Look& look : own) text += to_text(look);
    if (text.size() > kMostWords) text.clear();
    state_.write(peer, {.kind = FrameKind::kLook, .seq = question.round}, text.data(), std::ssize(text),
                 SteadyClock::now() + kToAsk);
    lock.lock();
  }

  void ask(std::unique_lock<std::mutex>& lock, int64_t calls) {
    if (calls == kFew) looks_.wanted = false;
    looks_.answers.clear();
    const FrameHeader question{.kind = FrameKind::kAsk, .seq = ++looks_.round, .elements = calls};
    open_ = true, calls_ = calls, begun_ = SteadyClock::now();
    const std::vector<bool> lost = state_.lost;
    lock.unlock();
    for (int peer = 0; peer < std::ssize(lost); ++peer)
      if (peer != state_.rank && !lost[size_t(peer)])
        state_.write(peer, question, nullptr, 0, SteadyClock::now() + kToAsk);
    lock.lock();
  }

  void judge(std::unique_lock<std::mutex>& lock) {
    open_ = false;
    const std::map<int, std::string> answers = std::exchange(looks_.answers, {});
    std::vector<Look> own = own_looks(calls_);
    lock.unlock();
    std::vector<Look> theirs;
    for (const auto& [rank, text] : answers)
      for (Look& look : read_looks(rank, text)) theirs.push_back(std::move(look));
    std::set<int> answered;
    for (const auto& [rank, text] : answers) answered.insert(rank);
    bool again = false;
    for (const Look& look : own) again = judge(look, theirs, answered) || again;
    lock.lock();
    if (again) ask(lock, kMany);
  }

  // Whether a cycle has to be looked at closely. Who answers and shows nothing of this run has no call.
  bool judge(const Look& own, const std::vector<Look>& theirs, std::set<int> idle) {
    std::map<int, const Look*> run{{state_.rank, &own}};
    for (const Look& look : theirs)
      if (look.run == own.run) run.emplace(look.dump.rank, &look);
    std::vector<FlightDump> dumps;
    for (const auto& [rank, look] : run) {
      dumps.push_back(look->dump);
      idle.erase(rank);
    }
    for (const int rank : idle) dumps.emplace_back().rank = rank;
    const FlightReport report = find_live_cycle(dumps);
    if (report.cycle.empty()) return false;
    if (calls_ == kFew) return true;
    const std::vector<int>& ranks = report.suspects.empty() ? report.possible : report.suspects;
    break_all(run, {Failure::Kind::kMismatch, ranks, report.sentence});
    return false;
  }

  // Every rank is told of every group of the run, for it ends then: who learns of the cycle in one group must
  // not be blamed for that in another. The group that holds it up comes last.
  void break_all(const std::map<int, const Look*>& run, const Failure& failure) {
    const std::string packed = pack(failure);
    std::set<uint64_t> all;
    for (const auto& [rank, look] : run) all.insert(look->groups.begin(), look->groups.end());
    for (const auto& [rank, look] : run) {
      if (rank == state_.rank || look->groups.empty()) continue;
      const uint64_t last = look->groups.front();
      for (const uint64_t hash : all)
        if (hash != last) state_.tell({rank}, FrameKind::kBreak, hash, packed);
      state_.tell({rank}, FrameKind::kBreak, last, packed);
    }
    const std::lock_guard lock(state_.mutex);
    for (const uint64_t hash : run.at(state_.rank)->groups) state_.break_locked(state_.groups[hash], failure);
  }

  ChannelState& state_;
  ChannelLooks& looks_;
  bool open_ = false;  // a question of this rank's own has not been answered by all
  int64_t calls_ = kFew;
  TimePoint begun_{};
};

}  // namespace

void serve_looks(ChannelState& state, const std::stop_token& stop) { Looking(state).serve(stop); }

}  // namespace ringside::inline comm
