// Cards as they are asked, one after the other, wherever that is: which comes next, what was answered, its
// rating, and one step back. A rating is on the disk once rate() returns.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session_plan.h"

namespace ringside::inline kit {

// Those of the bank, and behind the mistakes the questions of the first built lesson of these topics that was
// not asked about yet: the only lesson that is loaded.
std::vector<Card> session_cards(const StudyRecord& record, const std::vector<ReviewEntry>& log,
                                const std::vector<std::string>& topics);

class ReviewSession {
 public:
  struct Setup {
    std::vector<Card> cards = {};           // in their order
    std::vector<ReviewEntry> entries = {};  // the log so far
    FsrsOptions fsrs = {};
    std::optional<uint64_t> seed = {};  // a placement: drills drawn from it, each asked once
  };
  // `log` and `record` outlive it. Times are UTC ms.
  ReviewSession(ReviewLog& log, const StudyRecord& record, Setup setup, int64_t now);

  bool over() const { return !asked_; }  // all were asked; what follows is of the one that is asked now
  const Card& card() const { return card_; }
  const AskedCard& asked() const { return *asked_; }
  int times_seen() const;
  size_t left() const { return queue_.size() + (over() ? 0 : 1); }

  // "": it was judged. Else what is wrong with it, and it is asked still.
  std::string answer(const std::string& line, int64_t now);
  void show(int64_t now);                       // the answer, without having said one
  bool shown() const { return shown_at_ > 0; }  // answered, or shown
  const std::optional<Judgement>& judgement() const { return judgement_; }  // none: nothing was judged
  Rating proposed() const;

  struct Rated {
    int64_t again_in = 0;  // ms
    int lapses = 0;
    bool leech = false;
    std::string lesson = {};
  };
  // Of the card that is shown; goes on to the next one. InputError where it cannot be kept.
  Rated rate(Rating rating, int64_t now);
  // The last rating is taken back and its card asked again, then this one. False: there is none.
  bool undo(int64_t now);

  int reviewed() const { return reviewed_; }
  int recalled() const { return recalled_; }

 private:
  void advance(int64_t now);
  struct Last {
    Card card;
    CardMemory before;
    ReviewEntry entry;
  };
  ReviewLog& log_;
  const StudyRecord& record_;
  Setup setup_;
  Memories memories_;
  std::map<std::string, int> times_;  // asked in this session, of those that come again
  std::deque<Card> queue_;
  Card card_;
  std::optional<AskedCard> asked_;
  std::optional<Judgement> judgement_;
  int64_t asked_at_ = 0, shown_at_ = 0;
  std::optional<Last> last_;
  int reviewed_ = 0, recalled_ = 0;
};

}  // namespace ringside::inline kit
