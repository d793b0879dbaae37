// The log of an incident's job while all is well, and how lines come into it. All of it is drawn: who speaks,
// how often, and of what.
#pragma once

#include <string>
#include <vector>

#include "dialect.h"
#include "incident_words.h"

namespace ringside::inline kit {

class JobLog {
 public:
  // ranks: of the job; bad: the one that will fail, which speaks as the others do until then.
  JobLog(RandomStream& random, uint64_t level, int ranks, int bad);

  const Dialect& dialect() const { return dialect_; }
  std::string text() const;

  // Each of the first `there` ranks says that it is there; met: a communicator could be opened.
  void begin(int there, bool met);
  int64_t steps();  // how many
  // From here on the bad rank says only what say() has it say.
  void fail() { failed_ = true; }

  // Lines of one rank; those of others come between them where a reader can tell them apart.
  void say(int rank, const Words& words);
  void chat(uint64_t lines);
  void add(const Lines& lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }

  bool happens(uint64_t of_ten) { return random_.below(10) < of_ten; }
  int any_rank() { return int(random_.below(uint64_t(ranks_))); }
  int other_rank();  // than the bad one
  std::vector<int> in_any_order();

 private:
  RandomStream& random_;
  const uint64_t level_;
  const int ranks_, bad_;
  const Dialect dialect_;
  Lines lines_;
  int there_ = 0;
  bool failed_ = false;
};

}  // namespace ringside::inline kit
