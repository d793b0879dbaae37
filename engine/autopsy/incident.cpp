// A job of ranks that make the same calls step after step, up to the one where something goes wrong. A call
// completes where every rank makes the same one; where it does not, all that have come wait in it until their
// time is up.
#include "ringside/autopsy/incident.h"

#include <algorithm>

#include <fmt/format.h>

#include "dialect.h"
#include "ringside/base/random.h"
#include "ringside/base/units.h"
#include "ringside/flight/words.h"

namespace ringside {
namespace {

using namespace logs;

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

class Job {
 public:
  explicit Job(uint64_t seed) : random_(seed, "incident") {
    static constexpr int kRanks[] = {4, 8, 8, 16, 64};
    made_.ranks = kRanks[random_.below(std::size(kRanks))];
    dialect_ = Dialect(random_);
    made_.version = dialect_.version();
    for (uint64_t i = 0; i < 3 + random_.below(3); ++i)
      buckets_.push_back(1024 * static_cast<int64_t>(1 + random_.below(4000)) + static_cast<int64_t>(i));
    bad_ = static_cast<int>(random_.below(static_cast<uint64_t>(made_.ranks)));
  }

  Incident run() {
    static constexpr Cause kKinds[] = {Cause::kException, Cause::kOutOfMemory, Cause::kKilled,
                                       Cause::kCrash,     Cause::kGpuFault,    Cause::kOtherCall,
                                       Cause::kOtherSize, Cause::kAbsent,      Cause::kBusy,
                                       Cause::kTransport, Cause::kRendezvous,  Cause::kSetup};
    const Cause cause = kKinds[random_.below(std::size(kKinds))];
    made_.causes = {cause};
    if (cause == Cause::kRendezvous) return finish(dialect_.rendezvous(), -1, "not all hosts came");
    if (cause == Cause::kSetup) return setup();
    steps();
    switch (cause) {
      case Cause::kOtherCall:
      case Cause::kOtherSize:
        return other_call();
      case Cause::kAbsent:
        return waits_without("", fmt::format("rank {} never came", bad_));
      case Cause::kBusy:
        bad_ = 0;
        return waits_without(dialect_.line(0, "INFO Saving checkpoint to step-40"),
                             "rank 0 wrote a checkpoint");
      case Cause::kTransport:
        return transport();
      default:
        return own_failure();
    }
  }

 private:
  Incident finish(const std::string& text, int rank, std::string answer) {
    made_.log += text;
    made_.rank = rank;
    made_.answer = flight::upper_first(std::move(answer));
    return std::move(made_);
  }

  // What all ranks say while all is well.
  void steps() {
    steps_ = 3 + static_cast<int64_t>(random_.below(6));
    for (int64_t step = 0; step < steps_; ++step) {
      for (const Call& call : calls_of_step(step, buckets_)) history_.push_back(call);
      for (int rank = 0; rank < made_.ranks; ++rank)
        if (made_.ranks <= 16 || rank % 8 == 0 || rank == bad_)
          made_.log += dialect_.line(rank, fmt::format("INFO step {} loss {:.3f} accuracy {:.3f}", step,
                                                       3.0 - 0.1 * static_cast<double>(step), 0.5));
    }
    next_ = calls_of_step(steps_, buckets_);
  }

  int64_t number(size_t of_next) const { return static_cast<int64_t>(history_.size() + of_next) + 1; }

  LoggedCall logged(const Call& call, size_t of_next) const {
    return {call.op == Op::kBroadcast ? "BROADCAST" : "ALLREDUCE", number(of_next), call.elements,
            call.elements, ""};
  }

  // Timeouts of these ranks in the call that each of them is at.
  void time_out(const std::vector<std::pair<int, std::pair<Call, size_t>>>& waiting) {
    std::vector<std::pair<int, LoggedCall>> calls;
    for (const auto& [rank, at] : waiting) calls.emplace_back(rank, logged(at.first, at.second));
    made_.log += dialect_.timeouts(calls, number(0) + static_cast<int64_t>(next_.size()) - 1);
  }

  void time_out_without(int rank, size_t at) {
    std::vector<std::pair<int, std::pair<Call, size_t>>> waiting;
    for (int other = 0; other < made_.ranks; ++other)
      if (other != rank) waiting.emplace_back(other, std::pair(next_[at], at));
    time_out(waiting);
  }

  Incident waits_without(const std::string& line, std::string answer) {
    made_.log += line;
    time_out_without(bad_, random_.below(next_.size()));
    return finish("", bad_, std::move(answer));
  }

  Incident transport() {
    const bool warns = random_.below(2) == 0;
    if (warns) made_.log += dialect_.line(bad_, dialect_.network_error());
    time_out_without(-1, 0);
    return finish(
        "", -1, warns ? "the network failed, and NCCL says so" : "a link failed; every rank is in the call");
  }

  Incident setup() {
    const bool twice = random_.below(2) == 0;
    return finish(
        dialect_.line(
            bad_, twice
                      ? fmt::format("init.cc:497 NCCL WARN Duplicate GPU detected : rank {} and rank {} both "
                                    "on CUDA device 1000",
                                    bad_, (bad_ + 1) % made_.ranks)
                      : "include/shm.h:48 NCCL WARN Error while creating shared memory segment nccl-shm-1"),
        -1, twice ? "two ranks use one GPU" : "there is too little shared memory");
  }

  // The bad rank left one call out, or made one with another size. From there on its calls are compared with
  // those of the others until two differ.
  Incident other_call() {
    const bool skips = made_.is(Cause::kOtherCall);
    const size_t at = skips ? next_.size() - 2 : random_.below(buckets_.size());
    std::vector<Call> theirs = next_;
    if (skips)
      theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(at));
    else
      theirs[at].elements += 7;
    for (const Call& call : calls_of_step(steps_ + 1, buckets_))
      next_.push_back(call), theirs.push_back(call);
    size_t differs = 0;
    while (next_[differs] == theirs[differs]) ++differs;
    made_.causes = {next_[differs].op == theirs[differs].op ? Cause::kOtherSize : Cause::kOtherCall};
    std::vector<std::pair<int, std::pair<Call, size_t>>> waiting;
    for (int rank = 0; rank < made_.ranks; ++rank)
      waiting.emplace_back(rank, std::pair(rank == bad_ ? theirs[differs] : next_[differs], differs));
    if (random_.below(4) == 0)
      return finish(dialect_.fingerprint(bad_, logged(theirs[differs], differs), (bad_ + 1) % made_.ranks,
                                         logged(next_[differs], differs)),
                    bad_, fmt::format("rank {} made other calls", bad_));
    time_out(waiting);
    return finish("", bad_,
                  fmt::format("rank {} {} a call", bad_, skips ? "left out" : "had another size in"));
  }

  Incident own_failure() {
    made_.log += dialect_.failure(made_.causes.front(), bad_, random_);
    // Its launcher looks every 0.1 s; ranks of other hosts wait on until their time is up.
    made_.log += dialect_.end_of(made_.causes.front(), bad_);
    if (random_.below(2) == 0) time_out_without(bad_, 0);
    return finish("", bad_, fmt::format("rank {}: {}", bad_, to_string(made_.causes.front())));
  }

  RandomStream random_;
  Dialect dialect_;
  Incident made_;
  std::vector<int64_t> buckets_;
  std::vector<Call> history_, next_;
  int64_t steps_ = 0;
  int bad_ = 0;
};

}  // namespace

Incident make_incident(uint64_t seed) { return Job(seed).run(); }

}  // namespace ringside
