// The strongest evidence decides. A rank that left no dump is gone, whatever else went wrong; a wrong pairing
// in silence comes before all that follows from it; a disagreement before an absence; and a rank that waits
// in a cycle before one that is only waited for.
#include "verdict.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "judge.h"
#include "ringside/flight/words.h"
#include "waits.h"

namespace ringside::flight {
namespace {

std::string verb(const std::vector<int>& ranks, const char* of_one, const char* of_several) {
  return ranks.size() == 1 ? of_one : of_several;
}
// "rank 2 waits", "ranks 0 and 1 wait"
std::string ranks_do(const std::vector<int>& ranks, const char* of_one, const char* of_several) {
  return name_ranks(ranks) + " " + verb(ranks, of_one, of_several);
}

FlightEntry shown_by(const Calls& calls, const Call& call, int rank) {
  return calls.shown(rank, *call.by_rank.at(rank));
}
std::string described(const Calls& calls, const Call& call) {
  const int rank = judge(call).majority;
  return describe(rank, shown_by(calls, call, rank));
}
std::string named(const Calls& calls, const Call& call) {
  const int rank = judge(call).majority;
  return short_name(rank, shown_by(calls, call, rank));
}

class Decision {
 public:
  Decision(const Calls& calls, const Evidence& evidence, FlightReport& report)
      : calls_(calls), evidence_(evidence), report_(report) {}

  void decide() {
    if (by_gone() || by_lost()) return;
    if (by_mispaired() || by_disagreement() || by_cycle() || by_absence() || by_word()) return;
    if (evidence_.heads.empty()) return nothing_hangs();
    const Call& head = *evidence_.heads.front();
    if (head.missing.empty()) return hangs_inside(head);
    say(fmt::format("{} has not completed; too little is left to tell why.", described(calls_, head)));
  }

 private:
  bool by_gone() {
    const std::vector<int> here = dumped();
    const std::vector<int> gone = over_heads([&](const Call& head) { return without(head.missing, here); });
    if (gone.empty()) return false;
    const auto head = std::find_if(evidence_.heads.begin(), evidence_.heads.end(),
                                   [&](const Call* call) { return !common(call->missing, gone).empty(); });
    blame(gone, true);
    const bool one = common((*head)->missing, gone).size() == 1;
    say(fmt::format("{} gone and left no dump; {} for {} in {}.", upper_first(ranks_do(gone, "is", "are")),
                    ranks_do((*head)->waiting, "waits", "wait"), one ? "it" : "them",
                    described(calls_, **head)));
    return true;
  }

  // What the first group that broke said of the break.
  const FlightBreak* word() const {
    const FlightBreak* first = nullptr;
    int64_t time_ns = INT64_MAX;
    for (const auto& [rank, dump] : calls_.dumps) {
      if (!dump->broken || dump->time_ns >= time_ns) continue;
      first = &*dump->broken;
      time_ns = dump->time_ns;
    }
    return first;
  }

  // A rank that ended by an error of its own, or whose numbers were not finite, said so itself; where the
  // others were just then tells nothing.
  bool by_lost() {
    const FlightBreak* broken = word();
    if (broken == nullptr || (broken->kind != "peer_lost" && broken->kind != "not_finite")) return false;
    blame(broken->ranks, true);
    say(upper_first(broken->text) + ".");
    return true;
  }

  // Where the calls do not tell who: a rank that stopped inside a collective has called all it should.
  bool by_word() {
    const FlightBreak* broken = word();
    if (broken == nullptr || broken->ranks.empty()) return false;
    blame(broken->ranks, true);
    std::string text = upper_first(broken->text);
    if (!evidence_.heads.empty() && evidence_.heads.front()->missing.empty())
      text +=
          fmt::format(": all ranks entered {}, and {} not come out",
                      described(calls_, *evidence_.heads.front()), ranks_do(broken->ranks, "has", "have"));
    say(text + ".");
    return true;
  }

  // "rank 2 has all_reduce of 9 float32 where ranks 0, 1 and 3 have all_reduce of 8 float32"
  template <typename Words>
  std::string differences(const Call& call, const Judged& judged, Words words) {
    std::vector<int> agreeing;
    for (const auto& [rank, entry] : call.by_rank) agreeing.push_back(rank);
    agreeing = without(agreeing, judged.disagreeing);
    std::vector<std::pair<std::string, std::vector<int>>> kinds;
    for (const int rank : judged.disagreeing) {
      const std::string what = words(shown_by(calls_, call, rank));
      const auto same =
          std::find_if(kinds.begin(), kinds.end(), [&](auto& kind) { return kind.first == what; });
      same == kinds.end() ? kinds.push_back({what, {rank}}) : same->second.push_back(rank);
    }
    std::string text;
    for (const auto& [what, ranks] : kinds)
      text += (text.empty() ? "" : ", ") + ranks_do(ranks, "has", "have") + " " + what;
    return text + " where " + ranks_do(agreeing, "has", "have") + " " +
           words(shown_by(calls_, call, judged.majority));
  }

  bool by_mispaired() {
    if (evidence_.mispaired == nullptr) return false;
    const Call& call = *evidence_.mispaired;
    const Judged by_kind = judge(call);
    const bool same_kind = by_kind.disagreeing.empty();
    const Judged judged = same_kind ? judge_contents(call) : by_kind;
    const bool older = may_have_begun_earlier(call);
    if (!judged.tie) blame(judged.disagreeing, !older);
    std::string text = fmt::format("Calls are paired wrongly since {}, in silence: {}", named(calls_, call),
                                   differences(call, judged, same_kind ? contents : whole));
    if (judged.tie) text += "; as many on each side, so who is wrong cannot be told";
    if (older) text += "; it may have begun before what the rings still hold";
    say(text + ".");
    return true;
  }

  bool by_disagreement() {
    for (const Call* head : evidence_.heads) {
      const Judged judged = judge(*head);
      if (judged.disagreeing.empty()) continue;
      if (!judged.tie) blame(judged.disagreeing, true);
      std::string text =
          fmt::format("Ranks disagree on {}: {}", named(calls_, *head), differences(*head, judged, whole));
      if (judged.tie) text += "; as many on each side, so who is wrong cannot be told";
      say(text + ".");
      return true;
    }
    return false;
  }

  bool by_cycle() {
    const std::vector<Wait>& cycle = report_.cycle;
    if (cycle.empty()) return false;
    const auto fewer = [](const Wait& a, const Wait& b) { return a.from.size() < b.from.size(); };
    const auto odd = std::min_element(cycle.begin(), cycle.end(), fewer);
    const bool alone = std::count_if(cycle.begin(), cycle.end(),
                                     [&](const Wait& w) { return w.from.size() == odd->from.size(); }) == 1;
    if (alone) blame(odd->from, true);
    std::string text = upper_first(name_ranks(odd->from));
    for (size_t i = 0; i < cycle.size(); ++i) {
      const Wait& wait = cycle[(static_cast<size_t>(odd - cycle.begin()) + i) % cycle.size()];
      text += fmt::format("{} {} in {} #{} for {}", i == 0 ? "" : ", which", verb(wait.from, "waits", "wait"),
                          wait.group, wait.seq, name_ranks(wait.on));
    }
    text += alone ? fmt::format(": a cycle of waits, in which {}",
                                ranks_do(odd->from, "is alone", "are the fewest"))
                  : ": a cycle of waits with as many on each side, so who is wrong cannot be told";
    say(text + ".");
    return true;
  }

  // Who is waited for and waits for nothing, against who waits.
  bool by_absence() {
    const std::vector<int> somewhere = over_heads([](const Call& head) { return head.waiting; });
    const std::vector<int> waiting =
        over_heads([](const Call& head) { return head.missing.empty() ? std::vector<int>() : head.waiting; });
    const std::vector<int> absent =
        over_heads([&](const Call& head) { return without(head.missing, somewhere); });
    bool unsure = false;
    for (const Call* head : evidence_.heads) unsure = unsure || head->unsure;
    if (absent.empty()) return false;
    const auto head = std::find_if(evidence_.heads.begin(), evidence_.heads.end(),
                                   [&](const Call* call) { return !common(call->missing, absent).empty(); });
    const bool few = waiting.size() < absent.size();
    blame(few ? waiting : absent, waiting.size() > absent.size() && !unsure);
    say_absence(**head, absent, waiting.size() == absent.size(), few, unsure);
    return true;
  }

  void say_absence(const Call& head, const std::vector<int>& absent, bool equal, bool few, bool unsure) {
    const std::vector<int> here = common(head.missing, absent);
    std::string text = fmt::format("{} in {} for {}, which never called it and {} for nothing",
                                   upper_first(ranks_do(head.waiting, "waits", "wait")),
                                   described(calls_, head), name_ranks(here), verb(here, "waits", "wait"));
    if (few)
      text += fmt::format(": {} called once more than the others, or those have all stopped",
                          name_ranks(head.waiting));
    if (equal)
      text += fmt::format("; as many on each side, so {} may be late, or {} called once too often",
                          name_ranks(here), name_ranks(head.waiting));
    if (unsure) text += "; a ring has forgotten all of that group, so it may have been called long ago";
    say(text + ".");
  }

  // All are in it and agree.
  void hangs_inside(const Call& call) {
    const std::string start = fmt::format("All ranks are in {} and agree", described(calls_, call));
    std::vector<int> behind;
    for (const int rank : call.waiting)
      if (call.by_rank.at(rank)->state == CollectiveState::kScheduled) behind.push_back(rank);
    if (behind.empty() || behind.size() == call.by_rank.size())
      return say(start + ": it is still running, or it hangs inside.");
    blame(behind, false);
    say(fmt::format("{}, but {} not started it: what it queued before holds it up.", start,
                    ranks_do(behind, "has", "have")));
  }

  // The others are out of it, and the time of those that are not is up.
  const Call* overdue() const {
    for (const Call* call : evidence_.settling)
      for (const int rank : call->waiting) {
        const FlightEntry& entry = *call->by_rank.at(rank);
        const int64_t waited_ms = (calls_.latest_ns - entry.time_created_ns) / 1'000'000;
        if (entry.retired || (entry.timeout_ms > 0 && waited_ms >= entry.timeout_ms)) return call;
      }
    return nullptr;
  }

  void nothing_hangs() {
    if (calls_.dumps.empty()) return say("There are no dumps.");
    if (const Call* call = overdue()) {
      blame(call->waiting, false);
      return say(fmt::format("{} not come out of {}, which the others have completed.",
                             upper_first(ranks_do(call->waiting, "has", "have")), described(calls_, *call)));
    }
    std::string text = "Every collective that was begun is complete or about to be; nothing hangs.";
    const std::vector<int> gone = without(calls_.ranks, dumped());
    if (!gone.empty()) text += " " + upper_first(name_ranks(gone)) + " left no dump.";
    blame(gone, false);
    say(text);
  }

  // The pairing is in the first call that all rings still hold, and at least one ring has lost older ones.
  bool may_have_begun_earlier(const Call& call) const {
    bool forgot = false;
    for (const auto& [rank, entry] : call.by_rank) forgot = forgot || calls_.dumps.at(rank)->forgotten > 0;
    if (!forgot) return false;
    return std::none_of(calls_.calls.begin(), calls_.calls.end(), [&](const Call& other) {
      return other.lane == call.lane && other.seq < call.seq && other.by_rank.size() == call.by_rank.size();
    });
  }

  std::vector<int> dumped() const {
    std::vector<int> ranks;
    for (const auto& [rank, dump] : calls_.dumps) ranks.push_back(rank);
    return ranks;
  }
  // What `ranks_of` finds in any of the causes; ascending.
  template <typename RanksOf>
  std::vector<int> over_heads(RanksOf ranks_of) const {
    std::set<int> all;
    for (const Call* head : evidence_.heads) {
      const std::vector<int> ranks = ranks_of(*head);
      all.insert(ranks.begin(), ranks.end());
    }
    return {all.begin(), all.end()};
  }

  static std::string whole(const FlightEntry& entry) {
    const std::string carries = contents(entry);
    return what_it_is(entry) + (carries.empty() ? "" : " (" + carries + ")");
  }
  void blame(std::vector<int> ranks, bool certain) {
    report_.suspects = std::move(ranks);
    report_.certain = certain;
  }
  void say(std::string sentence) { report_.sentence = std::move(sentence); }

  const Calls& calls_;
  const Evidence& evidence_;
  FlightReport& report_;
};

}  // namespace

void decide(const Calls& calls, const Evidence& evidence, FlightReport& report) {
  Decision(calls, evidence, report).decide();
}

}  // namespace ringside::flight
