// A job of ranks that make the same calls step after step, up to the one where something goes wrong. A call
// completes where every rank makes the same one; where it does not, all that have come wait in it until their
// time is up. What else stands in the log (how many lines there are, who speaks, what the launcher says at
// the end) is drawn without regard to the cause.
#include "ringside/autopsy/incident.h"

#include <algorithm>

#include <fmt/format.h>

#include "dialect.h"
#include "incident_words.h"
#include "ringside/flight/words.h"
#include "sides.h"

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

constexpr size_t kMostVictims = 8;

class Job {
 public:
  Job(uint64_t seed, int level)
      : random_(seed, "incident", static_cast<uint64_t>(level)), level_(static_cast<uint64_t>(level)) {
    made_.ranks = 2 << (level_ + random_.below(2));
    dialect_ = Dialect(random_);
    made_.version = dialect_.version();
    for (uint64_t i = 0; i < 3 + random_.below(3); ++i)
      buckets_.push_back(1024 * static_cast<int64_t>(1 + random_.below(4000)) + static_cast<int64_t>(i));
    bad_ = any_rank();
  }

  Incident run() {
    static constexpr Cause kKinds[] = {Cause::kException, Cause::kOutOfMemory, Cause::kKilled,
                                       Cause::kCrash,     Cause::kGpuFault,    Cause::kOtherCall,
                                       Cause::kOtherSize, Cause::kAbsent,      Cause::kBusy,
                                       Cause::kTransport, Cause::kRendezvous,  Cause::kSetup};
    const Cause cause = kKinds[random_.below(std::size(kKinds))];
    made_.causes = {cause};
    made_.rank = bad_;
    begin(cause);
    if (cause != Cause::kRendezvous && !happens(4)) steps();
    failed_ = true;
    next_ = calls_of_step(steps_, buckets_);
    fail(cause);
    made_.answer = flight::upper_first(made_.answer);
    for (const Said& said : log_) made_.log += dialect_.line(said);
    return std::move(made_);
  }

 private:
  bool happens(uint64_t of_ten) { return random_.below(10) < of_ten; }
  int any_rank() { return static_cast<int>(random_.below(static_cast<uint64_t>(made_.ranks))); }
  int other_rank() {
    const auto step = 1 + static_cast<int>(random_.below(static_cast<uint64_t>(made_.ranks - 1)));
    return (bad_ + step) % made_.ranks;
  }
  int any_of_those_there() {
    return static_cast<int>(
        random_.below(static_cast<uint64_t>(made_.is(Cause::kRendezvous) ? made_.ranks / 2 : made_.ranks)));
  }
  std::vector<int> in_any_order() {
    std::vector<int> ranks;
    for (const int64_t rank : permutation(made_.ranks, RandomStream(random_.next(), "order")))
      ranks.push_back(static_cast<int>(rank));
    return ranks;
  }

  // Lines of one rank; those of others come between them where a reader can tell them apart.
  void say(int rank, const Words& words) {
    for (const std::string& text : words) {
      if (level_ > 1 && dialect_.shows_rank() && happens(level_)) chat(1);
      log_.push_back({rank, text});
    }
  }
  void chat(uint64_t lines) {
    for (uint64_t i = 0; i < lines; ++i)
      log_.push_back({failed_ ? other_rank() : any_of_those_there(), chatter(random_)});
  }
  void add(Lines lines) { log_.insert(log_.end(), lines.begin(), lines.end()); }

  // Each rank says that it is there; where the ranks never meet, those of the first half.
  void begin(Cause cause) {
    chat(random_.below(4));
    const bool met = cause != Cause::kRendezvous && cause != Cause::kSetup;
    const uint64_t form = random_.below(met ? 3 : 2);
    for (const int rank : in_any_order()) {
      if (cause == Cause::kRendezvous && rank >= made_.ranks / 2) continue;
      const int local = rank % kRanksOfNode, node = rank / kRanksOfNode + 1;
      log_.push_back(
          {rank, form == 0 ? fmt::format("INFO rank {} of {} on node{}", rank, made_.ranks, node)
                 : form == 1
                     ? fmt::format("INFO GPU {} of node{}: {} samples are read here", local, node,
                                   48211 / made_.ranks)
                     : fmt::format("node{}:{}:{} [{}] NCCL INFO comm 0x7f rank {} nranks {} cudaDev "
                                   "{} - Init COMPLETE",
                                   node, 3468 + local, 3468 + local, local, rank, made_.ranks, local)});
    }
    chat(random_.below(4 * level_));
  }

  // What is said while all is well, by one rank, a few, or all.
  void steps() {
    steps_ = 1 + static_cast<int64_t>(random_.below(10));
    const int64_t first = random_.below(2) == 0 ? 0 : 100 * static_cast<int64_t>(random_.below(90));
    const int one = any_rank(), every = made_.ranks <= 16 && happens(5) ? 1 : made_.ranks / 2;
    const double loss = 2 + random_.uniform();
    const bool long_form = happens(5), saves = level_ > 1 && dialect_.shows_rank() && bad_ != 0 && happens(5);
    for (int64_t step = 0; step < steps_; ++step) {
      for (const Call& call : calls_of_step(step, buckets_)) history_.push_back(call);
      for (int rank = one % every; rank < made_.ranks; rank += every)
        log_.push_back({rank, fmt::format(fmt::runtime(long_form ? "INFO step {} loss {:.3f} accuracy 0.{}"
                                                                 : "step={} loss={:.3f} tokens/s=48{}"),
                                          first + step,
                                          loss - 0.03 * static_cast<double>(step) + 0.05 * random_.uniform(),
                                          500 + random_.below(99))});
      if (saves && step == steps_ / 2)
        for (const std::string& text : checkpoint_words(first + step, random_)) log_.push_back({0, text});
      if (happens(2 * level_)) chat(1 + random_.below(level_));
    }
  }

  void fail(Cause cause) {
    switch (cause) {
      case Cause::kRendezvous:
        return fail_to_meet();
      case Cause::kSetup:
        return set_up_wrongly();
      case Cause::kOtherCall:
      case Cause::kOtherSize:
        return call_otherwise(cause);
      case Cause::kAbsent:
        return stay_away();
      case Cause::kBusy:
        return come_late();
      case Cause::kTransport:
        return lose_the_network();
      default:
        return fail_by_itself(cause);
    }
  }

  int64_t number(size_t of_next) const { return static_cast<int64_t>(history_.size() + of_next) + 1; }
  LoggedCall logged(const Call& call, size_t of_next) const {
    return {call.op == Op::kBroadcast ? "BROADCAST" : "ALLREDUCE", number(of_next), call.elements,
            call.elements, ""};
  }
  std::string words(const Call& call, size_t of_next) const { return call_words(logged(call, of_next)); }

  // All but these wait in their call; then the launcher names the first that its watchdog has ended.
  template <typename CallOf>
  void time_out(const std::vector<int>& left_out, size_t at, const CallOf& call_of) {
    const int64_t last = number(0) + static_cast<int64_t>(next_.size()) - 1;
    int first = -1;
    for (const int rank : in_any_order()) {
      if (std::ranges::count(left_out, rank) > 0) continue;
      if (first < 0) first = rank;
      add(dialect_.timeout(rank, logged(call_of(rank), at), last));
    }
    waiting_ = first;
  }
  void time_out_without(const std::vector<int>& left_out, size_t at) {
    time_out(left_out, at, [&](int) { return next_[at]; });
  }
  void end_of_a_waiting_one() {
    if (happens(2 * level_)) add(dialect_.end_of(waiting_, -6));
  }

  // Ranks that end because another has ended.
  std::vector<int> victims() {
    std::vector<int> ranks = in_any_order();
    std::erase(ranks, bad_);
    ranks.resize(happens(3) ? 0
                            : std::min<size_t>(1 + random_.below(static_cast<uint64_t>(made_.ranks / 2)),
                                               kMostVictims));
    return ranks;
  }
  void lose(const std::vector<int>& ranks) {
    for (const int rank : ranks) say(rank, lost_peer_words(rank, random_));
  }

  void fail_to_meet() {
    made_.rank = -1;
    made_.answer = "the ranks of one half of the hosts never came";
    const Words words = rendezvous_words(random_);
    for (const int rank : in_any_order())
      if (rank < made_.ranks / 2) say(rank, words);
    if (happens(2 * level_)) add(dialect_.end_of(0, 1));
  }

  void set_up_wrongly() {
    const Words words = setup_words(bad_, made_.ranks, random_);
    made_.rank = -1;
    made_.answer = "the job is set up wrongly: " + words.back().substr(0, words.back().find(" (size"));
    const bool before = level_ > 2 && happens(5);
    const std::vector<int> ended = victims();
    if (before) lose(ended);
    say(bad_, words);
    if (!before) lose(ended);
    if (happens(2 * level_)) add(dialect_.end_of(other_rank(), 1));
  }

  void stay_away() {
    const size_t at = random_.below(next_.size());
    made_.answer = fmt::format("rank {} did not come to {}", bad_, words(next_[at], at));
    if (bad_ != 0 && happens(1))
      return say(0,
                 {"Traceback (most recent call last):",
                  fmt::format("RuntimeError: [Rank 0]: Ranks {} failed to pass monitoredBarrier in 600000 ms",
                              bad_)});
    time_out_without({bad_}, at);
    if (happens(1))
      say(waiting_,
          {"[E ProcessGroupNCCL.cpp:1937] To our best knowledge, the lagging/dead/mismatched ranks that "
           "caused the desync are:",
           fmt::format(
               "             [{}] finished collective #{}, but didn't join collective #{} (count from "
               "1)",
               bad_, number(at) - 1, number(at))});
    else if (dialect_.shows_rank() && happens(3))
      say(bad_, stack_words(random_));
    end_of_a_waiting_one();
  }

  void come_late() {
    if (happens(5)) bad_ = made_.rank = 0;
    const Words words = late_words(random_);
    made_.answer = fmt::format("rank {} was late: {}", bad_, words.front());
    say(bad_, words);
    if (happens(level_)) chat(1);
    time_out_without({bad_}, 0);
    end_of_a_waiting_one();
  }

  void lose_the_network() {
    const bool warns = happens(5);
    if (warns) say(bad_, network_words(random_));
    made_.rank = -1;
    made_.answer =
        warns ? "the network failed, and NCCL says so" : "a link failed; every rank is in the call";
    time_out_without({}, 0);
    end_of_a_waiting_one();
  }

  // The bad rank leaves a call out, makes one more, or makes one with another size. From there on its calls
  // are compared with those of the others until two differ.
  void call_otherwise(Cause cause) {
    const bool size = cause == Cause::kOtherSize, more = happens(5);
    std::vector<Call> theirs = next_;
    const auto at = theirs.begin() + static_cast<std::ptrdiff_t>(random_.below(buckets_.size()));
    if (size)
      at->elements += 1 + static_cast<int64_t>(random_.below(4096));
    else if (more)
      theirs.insert(at, {Op::kBroadcast, 1 + static_cast<int64_t>(random_.below(64))});
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
      return say(bad_, {dialect_.fingerprint(bad_, logged(theirs[differs], differs), other_rank(),
                                             logged(next_[differs], differs))});
    time_out({}, differs, [&](int rank) { return rank == bad_ ? theirs[differs] : next_[differs]; });
    end_of_a_waiting_one();
  }

  void fail_by_itself(Cause cause) {
    const Words words = own_words(cause, dialect_.minor(), random_);
    std::string last = words.empty() ? "" : cause == Cause::kCrash ? words.front() : words.back();
    last.erase(last.find_last_not_of('.') + 1);
    made_.answer = last.empty() ? fmt::format("rank {} ended by {}", bad_,
                                              cause == Cause::kKilled ? "SIGKILL" : "SIGSEGV")
                                : fmt::format("rank {}: {}", bad_, last);
    std::vector<int> ended = victims();
    const bool before = level_ > 2 && happens(5);  // what they say of it stands before it in the file
    if (before) lose(ended);
    say(bad_, words);
    if (!before) lose(ended);
    ended.push_back(bad_);
    const bool silent = words.empty() || !dialect_.shows_rank();
    if (silent || happens(11 - level_))
      add(dialect_.end_of(bad_, cause == Cause::kKilled ? -9 : cause == Cause::kCrash ? -11 : 1));
    if (happens(4)) time_out_without(ended, 0);  // of other hosts, until their time is up
  }

  RandomStream random_;
  const uint64_t level_;
  Dialect dialect_;
  Incident made_;
  Lines log_;
  std::vector<int64_t> buckets_;
  std::vector<Call> history_, next_;
  int64_t steps_ = 0;
  int bad_ = 0, waiting_ = -1;
  bool failed_ = false;
};

}  // namespace

Incident make_incident(uint64_t seed, int level) {
  return Job(seed, std::clamp(level, 1, kHardestIncident)).run();
}

}  // namespace ringside
