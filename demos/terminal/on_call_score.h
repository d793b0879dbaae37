// What somebody answered on call: the table by kind of cause, the level, and what of it is kept.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kept_file.h"
#include "review_log.h"
#include "ringside/autopsy/diagnosis.h"

namespace ringside {

struct OnCallAnswer {
  Cause cause = Cause::kNothing;  // the right one
  std::optional<Cause> said;      // none: it was skipped
  bool right = false;             // cause and rank
  int looks = 0;
};

// The level goes up with two right answers in a row, and down with each that is not. DATA/on_call.json keeps
// it; cards of causes that were missed go into DATA/reviews.jsonl ("call/absent").
class OnCallScore {
 public:
  // level: 0 goes on where the last session ended. An empty folder: nothing is kept.
  OnCallScore(const std::filesystem::path& data_folder, int level);

  // rated: the incident has a level. True where the level changes. InputError where a card cannot be kept.
  bool add(const OnCallAnswer& answer, bool rated);

  int level() const { return level_; }
  size_t asked() const { return answers_.size(); }
  size_t right() const;
  double looks_of_right() const;  // mean
  // A row a kind: asked, right, looks, how often it ever was right, and what was said instead.
  std::string table(int width) const;
  const std::set<Cause>& missed() const { return missed_; }
  bool kept() const { return file_.kept(); }
  const std::string& message() const { return file_.message(); }  // "": all is well

 private:
  struct Ever {
    int64_t asked = 0, right = 0;
  };
  void keep(const OnCallAnswer& answer);
  void keep_card(const OnCallAnswer& answer);
  std::string ever(Cause cause) const;

  KeptFile file_;
  ReviewLog reviews_;
  int level_ = 1, in_a_row_ = 0;
  std::vector<OnCallAnswer> answers_;
  std::set<Cause> missed_;
  std::map<Cause, Ever> kinds_;  // of all sessions, where they are kept; those that were asked in this one
};

}  // namespace ringside
