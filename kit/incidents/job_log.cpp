#include "job_log.h"

#include <fmt/format.h>

namespace ringside::inline kit {

JobLog::JobLog(RandomStream& random, uint64_t level, int ranks, int bad)
    : random_(random), level_(level), ranks_(ranks), bad_(bad), dialect_(random), there_(ranks) {}

std::string JobLog::text() const {
  std::string text;
  for (const Said& said : lines_) text += dialect_.line(said);
  return text;
}

int JobLog::other_rank() {
  const auto step = 1 + int(random_.below(uint64_t(ranks_ - 1)));
  return (bad_ + step) % ranks_;
}

std::vector<int> JobLog::in_any_order() {
  std::vector<int> ranks;
  for (const int64_t rank : permutation(ranks_, RandomStream(random_.next(), "order")))
    ranks.push_back(int(rank));
  return ranks;
}

void JobLog::say(int rank, const Words& words) {
  for (const std::string& text : words) {
    if (level_ > 1 && dialect_.shows_rank() && happens(level_)) chat(1);
    lines_.push_back({rank, text});
  }
}

void JobLog::chat(uint64_t lines) {
  for (uint64_t i = 0; i < lines; ++i) {
    const int rank = failed_ ? other_rank() : int(random_.below(uint64_t(there_)));
    lines_.push_back({rank, chatter(random_)});
  }
}

void JobLog::begin(int there, bool met) {
  there_ = there;
  chat(random_.below(4));
  const uint64_t form = random_.below(met ? 3 : 2);
  for (const int rank : in_any_order()) {
    if (rank >= there) continue;
    const int local = rank % kRanksOfNode, node = rank / kRanksOfNode + 1;
    lines_.push_back(
        {rank, form == 0   ? fmt::format("INFO rank {} of {} on node{}", rank, ranks_, node)
               : form == 1 ? fmt::format("INFO GPU {} of node{}: {} samples are read here", local, node,
                                         48211 / ranks_)
                           : fmt::format("node{}:{}:{} [{}] NCCL INFO comm 0x7f rank {} nranks {} cudaDev {} "
                                         "- Init COMPLETE",
                                         node, 3468 + local, 3468 + local, local, rank, ranks_, local)});
  }
  chat(random_.below(4 * level_));
}

// One rank speaks, a few, or all.
int64_t JobLog::steps() {
  const int64_t count = 1 + int64_t(random_.below(10));
  const int64_t first = random_.below(2) == 0 ? 0 : 100 * int64_t(random_.below(90));
  const int one = any_rank(), every = ranks_ <= 16 && happens(5) ? 1 : ranks_ / 2;
  const double loss = 2 + random_.uniform();
  const bool long_form = happens(5), saves = level_ > 1 && dialect_.shows_rank() && bad_ != 0 && happens(5);
  for (int64_t step = 0; step < count; ++step) {
    for (int rank = one % every; rank < ranks_; rank += every)
      lines_.push_back({rank, fmt::format(fmt::runtime(long_form ? "INFO step {} loss {:.3f} accuracy 0.{}"
                                                                 : "step={} loss={:.3f} tokens/s=48{}"),
                                          first + step, loss - 0.03 * double(step) + 0.05 * random_.uniform(),
                                          500 + random_.below(99))});
    if (saves && step == count / 2)
      for (const std::string& text : checkpoint_words(first + step, random_)) lines_.push_back({0, text});
    if (happens(2 * level_)) chat(1 + random_.below(level_));
  }
  return count;
}

}  // namespace ringside::inline kit
