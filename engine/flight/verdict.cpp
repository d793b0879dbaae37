// Whom the evidence points at, and the sentence that says so. The strongest evidence decides. A rank that
// left no dump is gone, whatever else went wrong; a wrong pairing in silence comes before all that follows
// from it; a disagreement before an absence; and a rank that waits in a cycle before one that is only waited
// for. analysis.h says who votes.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "analysis.h"
#include "ringside/flight/words.h"

namespace ringside::inline flight {
namespace {

std::string one_of(const Ranks& ranks) {
  return fmt::format("; as many on each side, so who is wrong cannot be told: one of {}", name_ranks(ranks));
}
std::string verb(const Ranks& ranks, const char* of_one, const char* of_several) {
  return ranks.size() == 1 ? of_one : of_several;
}
// "rank 2 waits", "ranks 0 and 1 wait"
std::string ranks_do(const Ranks& ranks, const char* of_one, const char* of_several) {
  return name_ranks(ranks) + " " + verb(ranks, of_one, of_several);
}

// Each by_... returns whether its evidence was there; it has then written the verdict.
class Decision {
 public:
  Decision(const Calls& calls, const Evidence& evidence, FlightReport& report)
      : calls_(calls), heads_(evidence.heads), evidence_(evidence), report_(report) {
    for (const auto& [rank, dump] : calls.dumps) {
      if (!dump->broken || (broken_ != nullptr && dump->time_ns >= broken_ns_)) continue;
      broken_ = &*dump->broken;
      broken_ns_ = dump->time_ns;
    }
  }

  bool decide() {
    if (by_gone() || by_lost() || by_mispaired() || by_disagreement() || by_cycle() || by_absence() ||
        by_reported_cause())
      return true;
    if (heads_.empty()) return nothing_hangs();
    const Call& head = *heads_.front();
    if (head.missing.empty()) return hangs_inside(head);
    return say({}, "too little is left to tell why {} has not completed", described(head));
  }

 private:
  struct Blame {
    Ranks suspects{};
    Grounds grounds = Grounds::kNone;
    Ranks possible{};      // one of them, where there are no suspects
    std::string reason{};  // of a tie: what decides it, or that nothing does
  };

  template <typename... Args>
  bool say(Blame blame, fmt::format_string<Args...> sentence, Args&&... args) {
    report_.suspects = std::move(blame.suspects);
    report_.possible = std::move(blame.possible);
    report_.grounds = blame.grounds;
    report_.sentence = upper_first(fmt::format(sentence, std::forward<Args>(args)...)) + ".";
    return true;
  }

  bool by_gone() {
    const Ranks gone = over_heads([&](const Call& head) { return without(head.missing, calls_.dumped); });
    if (gone.empty()) return false;
    const Call& head = head_without(gone);
    return say({gone, Grounds::kKnown}, "{} gone and left no dump; {} for {} in {}",
               ranks_do(gone, "is", "are"), ranks_do(head.waiting, "waits", "wait"),
               common(head.missing, gone).size() == 1 ? "it" : "them", described(head));
  }

  // A rank that ended by an error of its own, or whose numbers were not finite, said so itself. Where the
  // others were at that moment tells nothing.
  bool by_lost() {
    if (broken_ == nullptr || (broken_->kind != "peer_lost" && broken_->kind != "not_finite")) return false;
    return say({broken_->ranks, Grounds::kKnown}, "{}", broken_->text);
  }

  bool by_mispaired() {
    if (evidence_.mispaired == nullptr) return false;
    const Call& call = *evidence_.mispaired;
    Agreement agreement = agreement_in_kind(call);
    const bool same_kind = agreement.disagreeing.empty();
    if (same_kind) agreement = agreement_in_contents(call);
    const bool older = may_have_begun_earlier(call);
    Blame blame = blame_of(call, agreement);
    if (older) blame.grounds = Grounds::kNone;
    return say(blame, "calls are paired wrongly since {}, in silence: {}{}{}", named(call),
               differences(call, agreement, same_kind ? contents : with_contents), blame.reason,
               older ? "; it may have begun before what the rings still hold" : "");
  }

  bool by_disagreement() {
    for (const Call* head : heads_) {
      const Agreement agreement = agreement_in_kind(*head);
      if (agreement.disagreeing.empty()) continue;
      const Blame blame = blame_of(*head, agreement);
      return say(blame, "ranks disagree on {}: {}{}", named(*head),
                 differences(*head, agreement, with_contents), blame.reason);
    }
    return false;
  }

  Blame blame_of(const Call& call, const Agreement& agreement) const {
    if (const auto left_out = message_left_out(calls_, call)) {
      FlightEntry entry = *left_out->message;  // as it should have called it
      entry.op = entry.op == Op::kSend ? Op::kRecv : Op::kSend;
      std::swap(entry.elements_in, entry.elements_out);
      return {.suspects = {left_out->rank},
              .grounds = Grounds::kHabit,
              .reason = fmt::format("; rank {} left out a {}, and from there on the two agree one call apart",
                                    left_out->rank, with_contents(entry))};
    }
    if (!agreement.tie) return {agreement.disagreeing, Grounds::kMajority};
    return {.possible = call.callers(), .reason = one_of(call.callers())};
  }

  bool by_cycle() {
    if (evidence_.cycle.empty()) return false;
    const std::vector<Side> sides = possible_sides(calls_, evidence_);
    if (sides.size() > 1) {
      const Blame blame = blame_one_of(sides);
      return say(blame, "{}: a cycle of waits{}", cycle_in_words(sides.front()), blame.reason);
    }
    const Ranks& odd = sides.front().ranks;
    return say({odd, Grounds::kMajority}, "{}: a cycle of waits, in which {}", cycle_in_words(sides.front()),
               ranks_do(odd, "is alone", "are the fewest"));
  }

  // "Rank 3 waits in dp #45 for ranks 0, 1 and 2, which wait in default #10 for rank 3". Each call with those
  // alone whom the call before it misses.
  std::string cycle_in_words(const Side& first) const {
    std::vector<const Call*> cycle = evidence_.cycle;
    std::ranges::rotate(cycle, std::ranges::find(cycle, first.in));
    Ranks waiting = first.ranks;
    std::string text = name_ranks(waiting);
    for (size_t i = 0; i < cycle.size(); ++i) {
      const Call& call = *cycle[i];
      const Ranks awaited = common(cycle[(i + 1) % cycle.size()]->waiting, call.missing);
      text += fmt::format("{} {} in {} #{} for {}", i == 0 ? "" : ", which", verb(waiting, "waits", "wait"),
                          calls_.name_of(call.lane), call.seq, name_ranks(awaited));
      waiting = awaited;
    }
    return text;
  }

  // Of sides that have as many ranks each.
  Blame blame_one_of(const std::vector<Side>& sides) const {
    std::set<int> all;
    for (const Side& side : sides) all.insert(side.ranks.begin(), side.ranks.end());
    const Ranks ranks(all.begin(), all.end());
    const OddSide odd = odd_side(calls_, sides);
    if (odd.side == nullptr) return {.possible = ranks, .reason = one_of(ranks)};
    const Ranks& suspects = odd.side->ranks;
    return {.suspects = suspects,
            .grounds = Grounds::kHabit,
            .reason = fmt::format("; {} left out a call of {} {}, and {} went on as before",
                                  name_ranks(suspects), calls_.name_of(odd.side->missed->lane), odd.which,
                                  name_ranks(without(ranks, suspects)))};
  }

  // Those who are waited for and wait for nothing, against those who wait for them. The fewer are suspected.
  bool by_absence() {
    const Ranks somewhere = over_heads([](const Call& head) { return head.waiting; });
    const Ranks absent = over_heads([&](const Call& head) { return without(head.missing, somewhere); });
    if (absent.empty()) return false;
    const Ranks waiting = over_heads(
        [&](const Call& head) { return common(head.missing, absent).empty() ? Ranks() : head.waiting; });
    const bool unsure = std::ranges::any_of(heads_, [](const Call* head) { return head->unsure; });
    const bool few = waiting.size()<absent.size(), outvoted = waiting.size()> absent.size();
    const Call& head = head_without(absent);
    const Ranks here = common(head.missing, absent);
    const std::string callers = name_ranks(head.waiting), others = name_ranks(here);
    std::string text = fmt::format("{} in {} for {}, which never called it and {} for nothing",
                                   ranks_do(head.waiting, "waits", "wait"), described(head), others,
                                   verb(here, "waits", "wait"));
    if (few) text += fmt::format(": {} called once more than the others, or those have all stopped", callers);
    if (!few && !outvoted)
      text += fmt::format("; as many on each side, so {} may be late, or {} called once too often", others,
                          callers);
    if (unsure) text += "; a ring has forgotten all of that group, so it may have been called long ago";
    return say({few ? waiting : absent, outvoted && !unsure ? Grounds::kMajority : Grounds::kNone}, "{}",
               text);
  }

  // Asked where the calls do not tell who: a rank that stopped inside a collective has called all it should.
  bool by_reported_cause() {
    if (broken_ == nullptr || broken_->ranks.empty()) return false;
    if (heads_.empty() || !heads_.front()->missing.empty())
      return say({broken_->ranks, Grounds::kKnown}, "{}", broken_->text);
    return say({broken_->ranks, Grounds::kKnown}, "{}: all ranks entered {}, and {} not come out",
               broken_->text, described(*heads_.front()), ranks_do(broken_->ranks, "has", "have"));
  }

  bool hangs_inside(const Call& call) {
    Ranks behind;
    for (const int rank : call.waiting)
      if (call.by_rank.at(rank)->state == CollectiveState::kScheduled) behind.push_back(rank);
    if (behind.empty() || behind.size() == call.by_rank.size())
      return say({}, "all ranks are in {} and agree: it is still running, or it hangs inside",
                 described(call));
    return say({behind, Grounds::kNone},
               "all ranks are in {} and agree, but {} not started it: what {} queued before holds {} up",
               described(call), ranks_do(behind, "has", "have"), verb(behind, "it", "they"),
               verb(behind, "it", "them"));
  }

  bool nothing_hangs() {
    if (calls_.dumps.empty()) return say({}, "there are no dumps");
    if (const Call* call = overdue())
      return say({call->waiting, Grounds::kNone}, "{} not come out of {}, which the others have completed",
                 ranks_do(call->waiting, "has", "have"), described(*call));
    const Ranks gone = without(calls_.ranks, calls_.dumped);
    return say({gone, Grounds::kNone},
               "every collective that was begun is complete or about to be; nothing hangs{}",
               gone.empty() ? "" : fmt::format(". {} left no dump", upper_first(name_ranks(gone))));
  }

  // A call that has completed on some ranks, and whose time is up on another.
  const Call* overdue() const {
    for (const Call* call : evidence_.settling)
      for (const int rank : call->waiting) {
        const FlightEntry& entry = *call->by_rank.at(rank);
        const int64_t waited_ms = (calls_.latest_ns - entry.time_created_ns) / 1'000'000;
        if (entry.retired || (entry.timeout_ms > 0 && waited_ms >= entry.timeout_ms)) return call;
      }
    return nullptr;
  }

  // Whether older calls of its lane, of which some ring has lost its record, may have been paired wrongly
  // too.
  bool may_have_begun_earlier(const Call& call) const {
    return std::ranges::any_of(call.by_rank,
                               [&](auto& of) { return calls_.dumps.at(of.first)->forgotten > 0; }) &&
           std::ranges::none_of(calls_.calls, [&](const Call& other) {
             return other.lane == call.lane && other.seq < call.seq &&
                    other.by_rank.size() == call.by_rank.size();
           });
  }

  // "rank 2 has all_reduce of 9 float32 where ranks 0, 1 and 3 have all_reduce of 8 float32"
  std::string differences(const Call& call, const Agreement& agreement,
                          std::string (*words)(const FlightEntry&)) {
    const auto words_of = [&](int rank) { return words(calls_.shown(rank, *call.by_rank.at(rank))); };
    RanksByText kinds;
    for (const int rank : agreement.disagreeing) add_alike(kinds, words_of(rank), rank);
    std::string text;
    for (const auto& [what, ranks] : kinds)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ranks_do(ranks, "has", "have"), what);
    const Ranks agreeing = without(call.callers(), agreement.disagreeing);
    return fmt::format("{} where {} {}", text, ranks_do(agreeing, "has", "have"),
                       words_of(agreement.majority));
  }

  // What `ranks_of` finds in any of the heads.
  template <typename RanksOf>
  Ranks over_heads(RanksOf ranks_of) const {
    std::set<int> all;
    for (const Call* head : heads_) {
      const Ranks ranks = ranks_of(*head);
      all.insert(ranks.begin(), ranks.end());
    }
    return {all.begin(), all.end()};
  }
  // The first head that misses one of `ranks`; there is one.
  const Call& head_without(const Ranks& ranks) const {
    return **std::ranges::find_if(heads_,
                                  [&](const Call* head) { return !common(head->missing, ranks).empty(); });
  }

  // As the majority called it: "dp #41 all_reduce of 8 float32 (gradients, bucket 3)"; "dp #41"
  std::string described(const Call& call) const { return in_words(call, describe); }
  std::string named(const Call& call) const { return in_words(call, short_name); }
  std::string in_words(const Call& call, std::string (*words)(int, const FlightEntry&)) const {
    const int rank = agreement_in_kind(call).majority;
    return words(rank, calls_.shown(rank, *call.by_rank.at(rank)));
  }

  const Calls& calls_;
  const std::vector<const Call*>& heads_;
  const Evidence& evidence_;
  FlightReport& report_;
  const FlightBreak* broken_ = nullptr;  // what the first group that broke said; null: none did
  int64_t broken_ns_ = 0;
};

}  // namespace

void decide(const Calls& calls, const Evidence& evidence, FlightReport& report) {
  Decision(calls, evidence, report).decide();
}

}  // namespace ringside::inline flight
