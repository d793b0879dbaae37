// The store's side of the connections: one thread, which waits for none of them.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <list>
#include <map>
#include <set>
#include <thread>

#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/launch/store.h"
#include "ringside/launch/stream.h"
#include "store_frames.h"

namespace ringside::inline launch {
namespace {

constexpr std::chrono::seconds kToSayHello{5};  // a connection that has not said by then who it is ends
constexpr int kMostStrangers = 64;              // that have not said yet who they are; more wait unheard
constexpr size_t kReadBytes = 64 << 10;

}  // namespace

class StoreServer::Loop {
 public:
  Loop(RunName run, Descriptor listening, size_t most_stored)
      : run_(std::move(run)),
        listening_(std::move(listening)),
        wake_(::eventfd(0, EFD_CLOEXEC)),
        most_stored_(most_stored) {
    ::fcntl(listening_.number(), F_SETFL, O_NONBLOCK);
    thread_ = std::thread([this] { serve(); });
  }
  ~Loop() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t told = ::write(wake_.number(), &one, sizeof one);
    thread_.join();
  }
  int port() const { return port_of(listening_); }
  bool is_left() const { return there_ == 0; }
  void give_up(const std::string& why) {
    if (given_up_) return;
    why_ = why;
    given_up_ = true;
  }

 private:
  struct Visitor {
    Descriptor socket;
    TimePoint until = SteadyClock::now() + kToSayHello;
    std::string in = {}, out = {};
    size_t sent = 0;    // of out
    int rank = -1;      // of a member
    bool ends = false;  // once `out` is written
  };

  void serve() {
    set_thread_name("store");
    for (;;) {
      std::vector<pollfd> waits = {{wake_.number(), POLLIN, 0}};
      waits.push_back({hears_more() ? listening_.number() : -1, POLLIN, 0});
      for (const Visitor& one : visitors_)
        waits.push_back({one.socket.number(), static_cast<short>(one.out.empty() ? POLLIN : POLLOUT), 0});
      constexpr int kLookMs = 200;  // at who has not said hello
      ::poll(waits.data(), waits.size(), kLookMs);
      if (waits[0].revents != 0) return;
      auto wait = waits.begin() + 2;
      for (auto one = visitors_.begin(); one != visitors_.end(); ++wait) {
        const bool stays = attend(*one, wait->revents);
        one = stays ? std::next(one) : visitors_.erase(one);
      }
      if (waits[1].revents != 0) welcome();
      there_ = members_.size();
    }
  }

  bool hears_more() const { return std::ranges::count(visitors_, -1, &Visitor::rank) < kMostStrangers; }

  void welcome() {
    Descriptor socket(::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.open()) visitors_.push_back({std::move(socket)});
  }

  // False: the connection is over.
  bool attend(Visitor& visitor, short events) {
    const bool late = visitor.rank < 0 && SteadyClock::now() > visitor.until;
    const bool stays = !late && (events == 0 || (visitor.out.empty() ? hear(visitor) : speak(visitor)));
    if (!stays && members_.erase(visitor.rank) > 0) lost_.insert(visitor.rank);
    return stays;
  }

  bool hear(Visitor& visitor) {
    char block[kReadBytes];
    const ssize_t count = ::recv(visitor.socket.number(), block, sizeof block, 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    visitor.in.append(block, size_t(count));
    // One question at a time: who does not read its answers is not asked for more.
    while (visitor.out.empty() && !visitor.ends) {
      StoreFrame frame;
      size_t used = 0;
      const StoreBytes found = parse_store_frame(visitor.in, frame, used);
      if (found == StoreBytes::kMore) return true;
      if (found == StoreBytes::kForeign) return false;
      if (found == StoreBytes::kOther)
        refuse(visitor, fmt::format("its protocol is of version {}, and this store's of version {}",
                                    frame.version, kStoreVersion));
      else if (!answer(visitor, frame))
        return false;
      visitor.in.erase(0, used);
      if (!speak(visitor)) return false;
    }
    return !visitor.ends || !visitor.out.empty();
  }

  bool speak(Visitor& visitor) {
    const size_t left = visitor.out.size() - visitor.sent;
    const ssize_t sent =
        ::send(visitor.socket.number(), visitor.out.data() + visitor.sent, left, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    visitor.sent += size_t(sent);
    if (visitor.sent < visitor.out.size()) return true;
    visitor.out.clear();
    visitor.sent = 0;
    return !visitor.ends;
  }

  static void say(Visitor& visitor, const StoreFrame& frame) { visitor.out += pack(frame); }
  static void refuse(Visitor& visitor, const std::string& why) {
    say(visitor, {.word = StoreWord::kRefused, .value = why});
    visitor.ends = true;
  }

  // False: this is no member's word.
  bool answer(Visitor& visitor, StoreFrame& frame) {
    if (visitor.rank < 0) return frame.word == StoreWord::kHello && admit(visitor, frame.value);
    switch (frame.word) {
      case StoreWord::kSet: keep(visitor, frame); return true;
      case StoreWord::kGet: look_up(visitor, frame.key, int(frame.number)); return true;
      case StoreWord::kTime: say(visitor, {.word = StoreWord::kDone, .number = now_ns()}); return true;
      case StoreWord::kBye:
        members_.erase(visitor.rank);
        left_.insert(visitor.rank);
        return false;
      default: return false;
    }
  }

  bool admit(Visitor& visitor, const std::string& hello) {
    const std::optional<Member> member = unpack_member(hello);
    if (!member) return false;
    const std::string why = why_not(*member);
    if (!why.empty()) {
      refuse(visitor, why);
      return true;
    }
    visitor.rank = member->rank;
    members_.insert(member->rank);
    there_ = members_.size();
    left_.erase(member->rank);
    say(visitor, {.word = StoreWord::kDone});
    return true;
  }

  std::string why_not(const Member& member) const {
    const RunName& run = member.run;
    if (run.run_id != run_.run_id)
      return fmt::format("it belongs to run '{}', and here is run '{}'", as_typed(run.run_id), run_.run_id);
    if (run.size != run_.size)
      return fmt::format("it is one of {} ranks, and here is a run of {}", run.size, run_.size);
    if (run.restart != run_.restart)
      return fmt::format("it was started as restart {}, and here is restart {}", run.restart, run_.restart);
    if (member.rank >= run_.size) return fmt::format("ranks are 0 to {}", run_.size - 1);
    if (members_.contains(member.rank)) return "that rank is there already";
    if (lost_.contains(member.rank)) return "that rank was there, and was lost";
    return "";
  }

  void keep(Visitor& visitor, StoreFrame& frame) {
    std::string& value = values_[frame.key];
    stored_ += frame.value.size();
    stored_ -= value.size();
    if (stored_ > most_stored_) {  // its member stays: there may be room later
      stored_ -= frame.value.size();
      values_.erase(frame.key);
      say(visitor, {.word = StoreWord::kRefused,
                    .value = fmt::format("{} has no room in {} bytes", as_typed(frame.key), most_stored_)});
      return;
    }
    value = std::move(frame.value);
    say(visitor, {.word = StoreWord::kDone});
  }

  // setter: the rank that is waited for; -1: every rank is needed.
  void look_up(Visitor& visitor, const std::string& key, int setter) {
    const auto found = values_.find(key);
    if (found != values_.end())
      say(visitor, {.word = StoreWord::kValue, .value = found->second});
    else if (setter >= 0 && (lost_.contains(setter) || left_.contains(setter)))
      say(visitor, {.word = StoreWord::kLost, .number = setter});
    else if (setter < 0 && !lost_.empty())
      say(visitor, {.word = StoreWord::kLost, .number = *lost_.begin()});
    else if (given_up_)
      say(visitor, {.word = StoreWord::kGivenUp, .value = why_});
    else
      say(visitor, {.word = StoreWord::kNone});
  }

  const RunName run_;
  const Descriptor listening_, wake_;
  const size_t most_stored_;
  std::list<Visitor> visitors_;
  std::set<int> members_, lost_, left_;  // ranks that are there, are gone without a word, and with one
  std::map<std::string, std::string> values_;
  size_t stored_ = 0;
  std::atomic<size_t> there_{0};  // members_
  std::string why_;               // written once, before
  std::atomic<bool> given_up_{false};
  std::thread thread_;  // last: starts when everything else stands
};

StoreServer::StoreServer(RunName run, const std::string& address, int port, size_t most_stored)
    : StoreServer(std::move(run), listen_at(address, port), most_stored) {}
StoreServer::StoreServer(RunName run, Descriptor listening, size_t most_stored)
    : loop_(std::make_unique<Loop>(std::move(run), std::move(listening), most_stored)) {}
StoreServer::~StoreServer() = default;

int StoreServer::port() const { return loop_->port(); }
void StoreServer::give_up(const std::string& why) { loop_->give_up(why); }

bool StoreServer::wait_until_left(TimePoint deadline) const {
  constexpr std::chrono::milliseconds kPause{2};
  while (!loop_->is_left()) {
    if (SteadyClock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace ringside::inline launch
