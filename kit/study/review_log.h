// Every review of a card, as it happened: what is due, forgotten or known is replayed from this file alone,
// so that another scheduler can replay it too.
//
// DATA/reviews.jsonl, a line an entry, none of which is ever changed:
//
//   {"kind":"ringside reviews","version":1}
//   {"id":"5f..","card":"drill/zero_state","at":1764165309123,"rating":3,"ms":8200,"scheduler":"fsrs-6"}
//   {"id":"a0..","at":1764165311000,"undo":"5f.."}
//
//   at      UTC, ms since 1970          rating  1 again, 2 hard, 3 good, 4 easy      ms  it took to answer
//   error   where the answer was wrong in a known way: its name
//
// append() returns once the line is on the disk (one write under a lock, then fdatasync). A line counts when
// it ends. What a killed program left of one is dropped by the next reader, and removed by the next writer,
// which says so: nobody was told that it was kept. An id that stands twice counts once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fsrs.h"

namespace ringside::inline kit {

struct ReviewEntry {
  std::string id = {};  // set by append()
  std::string card = {};
  int64_t at = 0, ms = 0;
  Rating rating = Rating::kAgain;
  std::string error = {};
};

class ReviewLog {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 20, kMostLine = 4096, kMostCard = 200;

  // An empty folder: nothing is kept. Nothing is read or written yet.
  explicit ReviewLog(const std::filesystem::path& data_folder);

  // What stands, oldest first: without what was undone. InputError naming the file: it cannot be read, is too
  // large, not a log of reviews, or of a newer Ringside. A damaged line is skipped, and note() says so.
  std::vector<ReviewEntry> read();
  // Its id, once it is on the disk. InputError naming the file and the system's reason: then it is not kept.
  std::string append(ReviewEntry entry);
  void undo(const std::string& id, int64_t at);
  // Before anything is asked. InputError with what to do where nothing could be kept.
  void check_that_it_keeps();
  // Those, of another log, whose ids are not here yet: how many.
  size_t add_missing(const std::vector<ReviewEntry>& entries);

  const std::filesystem::path& file() const { return file_; }
  const std::string& note() const { return note_; }  // for the learner; "": all is well

 private:
  void add_text(const std::string& lines);

  std::filesystem::path file_;
  std::string note_;
};

// Keeps a judgement, unless that is there already: a second failure in a row, a pass of a card that is not
// due. The card's memory then. InputError as append().
CardMemory keep_judged(ReviewLog& log, const ReviewEntry& entry);

// The memory of each card that was reviewed. Fuzz is drawn from the card's name and how often it was
// reviewed, so that two replays agree.
std::map<std::string, CardMemory> replay(const std::vector<ReviewEntry>& entries, const FsrsOptions& options);
CardMemory next_memory(const FsrsOptions& options, const CardMemory& card, const ReviewEntry& entry);

}  // namespace ringside::inline kit
