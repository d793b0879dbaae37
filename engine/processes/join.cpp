#include "ringside/processes/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "meet.h"
#include "ringside/base/text.h"
#include "ringside/launch/stream.h"
#include "ringside/nccl/nccl.h"
#include "shared_words.h"
#if RINGSIDE_HAS_GLOO
#include "ringside/gloo/gloo_hub.h"
#endif

namespace ringside::inline processes {
namespace {

constexpr const char *kGloo = "gloo", *kNccl = "nccl", *kNcclOrdered = "nccl_ordered";
constexpr int kClockRounds = 40;
// Of the others, before rank 0 ends the store.
constexpr std::chrono::milliseconds kToLeave{10'000}, kToFail{100}, kToHear{500};

// Parts under keys of their own, in order; rank 0 frees what it has read.
class LiveParts final : public ProcessWiring::Live {
 public:
  LiveParts(std::shared_ptr<TcpStore> store, int own, std::string name, int ranks)
      : store_(std::move(store)), own_(own), name_(std::move(name)), next_(size_t(ranks)) {}

  void post(const std::string& part) override {
    store_->set(key(own_), part);
    ++number(own_);
  }
  std::optional<std::string> next(int rank) override {
    std::optional<std::string> part = store_->look(rank, key(rank)).value;
    if (!part) return std::nullopt;
    store_->set(key(rank), "");
    ++number(rank);
    return part;
  }

 private:
  int& number(int rank) { return next_[size_t(rank)]; }
  std::string key(int rank) { return fmt::format("{}/{}/{}", name_, rank, number(rank)); }
  const std::shared_ptr<TcpStore> store_;
  const int own_;
  const std::string name_;
  std::vector<int> next_;  // (rank)
};

class StoreRanks final : public JoinedRanks {
 public:
  StoreRanks(const Launch& launch, TimePoint deadline, RunStore run)
      : own_(launch.rank.value),
        deadline_(deadline),
        server_(std::move(run.server)),
        store_(std::move(run.store)),
        words_(*store_, own_, launch.size.value),
        clocks_(size_t(launch.size.value)),
        watched_(launch.watched.value != 0) {
    try {
      wiring_ = wiring_for(launch);
      compare_clocks();
    } catch (const StoreTimeoutError& late) {  // the others hear it from here, before the store is gone
      store_.reset();
      if (server_) server_->give_up(late.what());
      if (server_) server_->wait_until_left(SteadyClock::now() + kToHear);
      throw;
    } catch (const StoreLostError& lost) {  // said before this rank is gone too, and blamed for it
      const int blamed = std::max(lost.rank, 0);
      if (wiring_) wiring_->abort(own_, {Failure::Kind::kPeerLost, {blamed}, lost.what()});
      throw;
    }
  }

  // The others may still read what was shared.
  ~StoreRanks() override {
    wiring_.reset();  // it may have the store too
    store_.reset();
    if (server_)
      server_->wait_until_left(SteadyClock::now() + (std::uncaught_exceptions() > 0 ? kToFail : kToLeave));
  }

  int rank() const override { return own_; }
  int size() const override { return int(clocks_.size()); }
  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override {
    return wiring_->connect(name, ranks, place);
  }
  bool reaches(Device device) const override { return wiring_->reaches(device); }
  void abort(int rank, const Failure& failure) override { wiring_->abort(rank, failure); }
  void look_for_cycle() override { wiring_->look_for_cycle(); }
  void show(const FlightRecorder& flight, const std::string& prefix) override {
    wiring_->show(flight, prefix);
  }
  void hide(const FlightRecorder& flight) override { wiring_->hide(flight); }

  ClockOffset clock(int rank) const override { return clocks_[size_t(rank)]; }
  int64_t clock_shift_ns(int rank) const override { return -clock(rank).offset_ns; }

  std::string sentence() const override {
    int64_t error = 0;
    for (const ClockOffset& clock : clocks_) error = std::max(error, clock.error_ns);
    return fmt::format("{} processes over {}; their clocks are aligned to rank 0's, within {:.2g} ms", size(),
                       carried_, double(error) * 1e-6);
  }

  std::unique_ptr<Live> live(const std::string& prefix) override {
    if (!watched_) return nullptr;
    const std::lock_guard lock(live_mutex_);
    return std::make_unique<LiveParts>(store_, own_, fmt::format("live/{}/{}", prefix, live_runs_[prefix]++),
                                       size());
  }

  Shared share(const std::string& own, TimePoint deadline) override {
    Shared all{.said = std::vector<std::string>(clocks_.size())};
    all.said[size_t(own_)] = own;
    const auto without_rank_0 = [&] {
      all.silent = {0}, all.late.clear();
      // The others are not gone: nothing is known of them.
      if (std::ranges::count(all.said, "") > 1) all.said.clear();
    };
    try {
      words_.tell_and_hear(all, deadline);
      store_->answer_by(TimePoint::max());
    } catch (const StoreLostError&) {  // rank 0 is gone, and what the others said with it
      without_rank_0();
    } catch (const StoreTimeoutError&) {  // or out of reach
      without_rank_0();
    } catch (const StoreRefusedError&) {  // it has no room even for a few bytes
      store_->answer_by(TimePoint::max());
      return {};
    }
    return all;
  }

 private:
  std::shared_ptr<ProcessWiring> wiring_for(const Launch& launch) {
    const std::string& transport = launch.transport.value;
    if (transport == kGloo) return over_gloo(launch);
    if (transport == kNccl || transport == kNcclOrdered) return over_nccl(launch);
    return over_sockets(launch);
  }

  std::shared_ptr<ProcessWiring> over_sockets(const Launch& launch,
                                              const std::shared_ptr<OwnCollectives>& own = nullptr) {
    const std::vector<int> sockets = connect_all(launch, *store_, deadline_);
    const auto here = std::ranges::count_if(sockets, is_on_host);
    carried_ = here == 0 ? "TCP" : here + 1 == std::ssize(sockets) ? "Unix sockets" : "Unix sockets and TCP";
    if (own) carried_ += ", NCCL for tensors of GPUs";
    return hub_of_sockets(own_, sockets, "ranks as processes, " + carried_, own);
  }

  std::shared_ptr<ProcessWiring> over_nccl(const Launch& launch) {
    see_one_gpu(launch.local_rank.value);
    const std::string algorithm = launch.transport.value == kNcclOrdered ? "ordered" : "";
    return over_sockets(launch, nccl_collectives(load_nccl(), store_,
                                                 {.rank = own_,
                                                  .size = size(),
                                                  .algorithm = algorithm,
                                                  .timeout = deadline_ - SteadyClock::now()}));
  }

#if RINGSIDE_HAS_GLOO
  std::shared_ptr<ProcessWiring> over_gloo(const Launch& launch) {
    return connect_over_gloo(store_, {.rank = own_,
                                      .size = size(),
                                      .address = store_->own_address(),
                                      .interface = launch.network.value,
                                      .timeout = deadline_ - SteadyClock::now()});
  }
#else
  static std::shared_ptr<ProcessWiring> over_gloo(const Launch&) { return nullptr; }
#endif

  // Each measures its distance to rank 0, where the store is, and tells the others.
  void compare_clocks() {
    const ClockOffset own = own_ == 0 ? ClockOffset{} : store_->measure_clock(kClockRounds, deadline_);
    store_->set(fmt::format("clock/{}", own_), fmt::format("{} {}", own.offset_ns, own.error_ns));
    for (int rank = 0; rank < size(); ++rank) {
      const std::string text = store_->get(fmt::format("clock/{}", rank), deadline_);
      const size_t blank = text.find(' ');
      const auto offset = read_number<int64_t>(text.substr(0, blank)),
                 error = read_number<int64_t>(text.substr(std::min(text.size(), blank + 1)));
      if (!offset || !error) throw StoreRefusedError("rank {}: its clock is '{}'", rank, as_typed(text));
      // theirs + its offset = rank 0's = ours + own offset
      clocks_[size_t(rank)] = {own.offset_ns - *offset, rank == own_ ? 0 : own.error_ns + *error};
    }
  }

  const int own_;
  const TimePoint deadline_;
  const std::unique_ptr<StoreServer> server_;  // of rank 0
  std::shared_ptr<TcpStore> store_;
  SharedWords words_;
  std::vector<ClockOffset> clocks_;  // (rank)
  const bool watched_;
  std::mutex live_mutex_;
  std::map<std::string, int> live_runs_;  // by prefix
  std::string carried_ = "Gloo";
  std::shared_ptr<ProcessWiring> wiring_;
};

}  // namespace

std::vector<std::string> transports() {
  std::vector<std::string> all = {"sockets", kNccl, kNcclOrdered};
  if (RINGSIDE_HAS_GLOO) all.insert(all.begin() + 1, kGloo);
  return all;
}

std::shared_ptr<JoinedRanks> join(const Launch& launch, std::chrono::nanoseconds timeout) {
  const std::vector<std::string> known = transports();
  const std::string& wanted = launch.transport.value;
  if (std::ranges::find(known, wanted) == known.end())
    throw UsageError("{}={}: this build has {}", launch.transport.from, as_typed(wanted),
                     fmt::join(known, ", "));
  if (launch.size.value == 1) return nullptr;
  if (!launch.network.value.empty()) address_of_interface(launch.network.value);  // before anybody waits
  const TimePoint deadline = SteadyClock::now() + timeout;
  return std::make_shared<StoreRanks>(launch, deadline, meet(launch, deadline));
}

}  // namespace ringside::inline processes
