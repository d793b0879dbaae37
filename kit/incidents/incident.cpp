// A job of ranks that make the same calls step after step, up to the one where something goes wrong. A call
// completes where every rank makes the same one; where it does not, all that have come wait in it until their
// time is up. What else stands in the log (how many lines there are, who speaks, what the launcher says at
// the end) is drawn without regard to the cause.
#include "incident.h"

#include <algorithm>

#include <fmt/format.h>

#include "job_log.h"
#include "ringside/flight/words.h"

namespace ringside::inline kit {
namespace {

struct Call {
  Op op = Op::kAllReduce;
  int64_t elements = 0;
  bool operator==(const Call&) const = default;
};

// Gradients in buckets, the norm, and now and then an evaluation.
std::vector<Call> calls_of_step(int64_t step, const std::vector<int64_t>& buckets) {
  std::vector<Call> calls;
  for (const int64_t elements : buckets) calls.push_back({Op::kAllReduce, elements});
  calls.push_back({Op::kAllReduce, 1});
  if (step % 4 == 3) calls.push_back({Op::kBroadcast, 640});
  return calls;
}

constexpr size_t kMostVictims = 8;

class Job {
 public:
  Job(uint64_t seed, int level)
      : random_(seed, "incident", uint64_t(level)),
        level_(uint64_t(level)),
        ranks_(2 << (level_ + random_.below(2))),
        bad_(int(random_.below(uint64_t(ranks_)))),
        log_(random_, level_, ranks_, bad_) {
    for (uint64_t i = 0; i < 3 + random_.below(3); ++i)
      buckets_.push_back(1024 * int64_t(1 + random_.below(4000)) + int64_t(i));
  }

  Incident run() {
    static constexpr Cause kKinds[] = {Cause::kException, Cause::kOutOfMemory, Cause::kKilled,
                                       Cause::kCrash,     Cause::kGpuFault,    Cause::kOtherCall,
                                       Cause::kOtherSize, Cause::kAbsent,      Cause::kBusy,
                                       Cause::kTransport, Cause::kRendezvous,  Cause::kSetup};
    const Cause cause = kKinds[random_.below(std::size(kKinds))];
    made_.causes = {cause};
    made_.rank = bad_;
    there_ = cause == Cause::kRendezvous && happens(5) ? ranks_ / 2 : ranks_;
    log_.begin(there_, cause != Cause::kRendezvous && cause != Cause::kSetup);
    if (cause != Cause::kRendezvous && !happens(4)) steps_ = log_.steps();
    log_.fail();
    for (int64_t step = 0; step < steps_; ++step) done_ += int64_t(calls_of_step(step, buckets_).size());
    next_ = calls_of_step(steps_, buckets_);
    fail(cause);
    made_.answer = flight::upper_first(made_.answer);
    made_.log = log_.text();
    made_.ranks = ranks_;
    made_.version = dialect().version();
    return std::move(made_);
  }

 private:
  bool happens(uint64_t of_ten) { return log_.happens(of_ten); }
  const Dialect& dialect() const { return log_.dialect(); }

  void fail(Cause cause) {
    switch (cause) {
      case Cause::kRendezvous: return fail_to_meet();
      case Cause::kSetup: return set_up_wrongly();
      case Cause::kOtherCall:
      case Cause::kOtherSize: return call_otherwise(cause);
      case Cause::kAbsent: return stay_away();
      case Cause::kBusy: return come_late();
      case Cause::kTransport: return lose_the_network();
      default: return fail_by_itself(cause);
    }
  }

  int64_t number(size_t of_next) const { return done_ + int64_t(of_next) + 1; }
  LoggedCall logged(const Call& call, size_t of_next) const {
    return {call.op == Op::kBroadcast ? "BROADCAST" : "ALLREDUCE", number(of_next), call.elements,
            call.elements, ""};
  }
  std::string words(const Call& call, size_t of_next) const { return call_words(logged(call, of_next)); }

  // All but these wait in their call; then the launcher names the first that its watchdog has ended.
  template <typename CallOf>
  void time_out(const std::vector<int>& left_out, size_t at, const CallOf& call_of) {
    const int64_t last = number(0) + int64_t(next_.size()) - 1;
    int first = -1;
    for (const int rank : log_.in_any_order()) {
      if (std::ranges::count(left_out, rank) > 0) continue;
      if (first < 0) first = rank;
      log_.add(dialect().timeout(rank, logged(call_of(rank), at), last));
    }
    waiting_ = first;
  }
  void time_out_without(const std::vector<int>& left_out, size_t at) {
    time_out(left_out, at, [&](int) { return next_[at]; });
  }
  void end_of_a_waiting_one() {
    if (happens(2 * level_)) log_.add(dialect().end_of(waiting_, -6));
  }

  // Ranks that end because another has ended.
  std::vector<int> victims() {
    std::vector<int> ranks = log_.in_any_order();
    std::erase(ranks, bad_);
    ranks.resize(happens(3) ? 0 : std::min<size_t>(1 + random_.below(uint64_t(ranks_ / 2)), kMostVictims));
    return ranks;
  }
  void lose(const std::vector<int>& ranks) {
    for (const int rank : ranks) log_.say(rank, lost_peer_words(rank, random_));
  }

  void fail_to_meet() {
    made_.rank = -1;
    const bool taken = there_ == ranks_;
    made_.answer = taken ? "the port of rank 0 was taken, so that nobody could connect"
                         : "the ranks of one half of the hosts never came";
    const Words words = rendezvous_words(taken, random_);
    for (const int rank : log_.in_any_order())
      if (rank < there_) log_.say(rank, taken && rank == 0 ? port_taken_words() : words);
    if (happens(2 * level_)) log_.add(dialect().end_of(0, 1));
  }

  void set_up_wrongly() {
    const Words words = setup_words(bad_, ranks_, random_);
    made_.rank = -1;
    made_.answer = "the job is set up wrongly: " + words.back().substr(0, words.back().find(" (size"));
    const bool before = level_ > 2 && happens(5);
    std::vector<int> ended = victims();
    if (before) lose(ended);
    log_.say(bad_, words);
    if (!before) lose(ended);
    if (happens(2 * level_)) log_.add(dialect().end_of(log_.other_rank(), 1));
    ended.push_back(bad_);
    if (happens(4)) time_out_without(ended, 0);
  }

  void stay_away() {
    const size_t at = random_.below(next_.size());
    made_.answer = fmt::format("rank {} did not come to {}", bad_, words(next_[at], at));
    if (bad_ != 0 && happens(1))
      return log_.say(
          0, {"Traceback (most recent call last):",
              fmt::format("RuntimeError: [Rank 0]: Ranks {} failed to pass monitoredBarrier in 600000 ms",
                          bad_)});
    time_out_without({bad_}, at);
    if (happens(1))
      log_.say(waiting_,
               {"[E ProcessGroupNCCL.cpp:1937] To our best knowledge, the lagging/dead/mismatched ranks that "
                "caused the desync are:",
                fmt::format(
                    "             [{}] finished collective #{}, but didn't join collective #{} (count from "
                    "1)",
                    bad_, number(at) - 1, number(at))});
    else if (dialect().shows_rank() && happens(3))
      log_.say(bad_, stack_words(random_));
    end_of_a_waiting_one();
  }

  void come_late() {
    if (happens(5)) bad_ = made_.rank = 0;
    const Words words = late_words(random_);
    made_.answer = fmt::format("rank {} was late: {}", bad_, words.front());
    log_.say(bad_, words);
    if (happens(level_)) log_.chat(1);
    time_out_without({bad_}, 0);
    end_of_a_waiting_one();
  }

  void lose_the_network() {
    const bool warns = happens(5);
    if (warns) log_.say(bad_, network_words(random_));
    made_.rank = -1;
    made_.answer =
        warns ? "the network failed, and NCCL says so" : "a link failed; every rank is in the call";
    time_out_without({}, 0);
    end_of_a_waiting_one();
  }

  // The bad rank leaves a call out, makes one more, or makes one with another size. From there on its calls
  // are compared with those of the others until two differ.
  void call_otherwise(Cause cause) {
    const bool size = cause == Cause::kOtherSize, more = happens(8);
    std::vector<Call> theirs = next_;
    const auto at = theirs.begin() + std::ptrdiff_t(random_.below(buckets_.size()));
    if (size)
      at->elements += 1 + int64_t(random_.below(4096));
    else if (more)
      theirs.insert(at, {Op::kBroadcast, 1 + int64_t(random_.below(64))});
    else
      theirs.erase(theirs.end() - (steps_ % 4 == 3 ? 2 : 1));
    for (const Call& call : calls_of_step(steps_ + 1, buckets_))
      next_.push_back(call), theirs.push_back(call);
    size_t differs = 0;
    while (next_[differs] == theirs[differs]) ++differs;
    made_.causes = {next_[differs].op == theirs[differs].op ? Cause::kOtherSize : Cause::kOtherCall};
    made_.answer = fmt::format("rank {} {}, so that it is in {} while the others are in {}", bad_,
                               size   ? "has another size"
                               : more ? "made one call more"
                                      : "left a call out",
                               words(theirs[differs], differs), words(next_[differs], differs));
    if (happens(2))
      return log_.say(bad_, {dialect().fingerprint(bad_, logged(theirs[differs], differs), log_.other_rank(),
                                                   logged(next_[differs], differs))});
    time_out({}, differs, [&](int rank) { return rank == bad_ ? theirs[differs] : next_[differs]; });
    end_of_a_waiting_one();
  }

  void fail_by_itself(Cause cause) {
    const Words words = own_words(cause, dialect().minor(), random_);
    std::string last = words.empty() ? "" : cause == Cause::kCrash ? words.front() : words.back();
    last.erase(last.find_last_not_of('.') + 1);
    made_.answer = last.empty() ? fmt::format("rank {} ended by {}", bad_,
                                              cause == Cause::kKilled ? "SIGKILL" : "SIGSEGV")
                                : fmt::format("rank {}: {}", bad_, last);
    std::vector<int> ended = victims();
    const bool before = level_ > 2 && happens(5);  // what they say of it stands before it in the file
    if (before) lose(ended);
    log_.say(bad_, words);
    if (!before) lose(ended);
    ended.push_back(bad_);
    const bool silent = words.empty() || !dialect().shows_rank();
    if (silent || happens(11 - level_))
      log_.add(dialect().end_of(bad_, cause == Cause::kKilled ? -9 : cause == Cause::kCrash ? -11 : 1));
    if (happens(4)) time_out_without(ended, 0);  // of other hosts, until their time is up
  }

  RandomStream random_;
  const uint64_t level_;
  const int ranks_;
  int bad_;
  JobLog log_;
  Incident made_;
  std::vector<int64_t> buckets_;
  std::vector<Call> next_;
  int64_t steps_ = 0, done_ = 0;  // done_: calls of these steps
  int waiting_ = -1;
  int there_ = 0;  // ranks that come at all: the first ones
};

}  // namespace

Incident make_incident(uint64_t seed, int level) {
  return Job(seed, std::clamp(level, 1, kHardestIncident)).run();
}

}  // namespace ringside::inline kit
