// A case is investigated, not read: looks are counted, and the truth waits for an answer.
#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::nccl_panel {

bool Investigation::looked(const std::string& at) const {
  return std::find(looks.begin(), looks.end(), at) != looks.end();
}

void Investigation::look(const std::string& at) {
  if (!looked(at)) looks.push_back(at);
}

void Investigation::answer(const SectionView& section) {
  const bool rank_right = rank == number_in(section, nccl_lesson::kCulprit);
  const bool cause_right = by_rank ? rank_right : cause == attribute(section, nccl_lesson::kCause);
  ++tries;
  verdict = rank_right && cause_right ? Verdict::kRight
            : rank_right              ? Verdict::kOnlyRank
            : cause_right             ? Verdict::kOnlyCause
                                      : Verdict::kWrong;
  right = right || verdict == Verdict::kRight;
}

std::string cause_words(const std::string& cause) {
  if (cause == "late_gather") return tr("gathers hidden states, comes late");
  if (cause == "one_batch_more") return tr("has one batch more");
  if (cause == "evaluates_alone") return tr("evaluates, nobody else does");
  if (cause == "killed") return tr("is gone");
  if (cause == "stuck_loader") return tr("waits for its data");
  return cause;
}

std::string looks_words(size_t looks) {
  return looks == 0 ? tr("no look") : looks == 1 ? tr("1 look") : tr("{} looks", looks);
}

std::string solved_words(const Investigation& opened) {
  const std::string looks = looks_words(opened.looks.size());
  if (!opened.right) return tr("shown after {}", looks);
  return opened.tries > 1 ? tr("solved with {}, at try {}", looks, opened.tries)
                          : tr("solved with {}", looks);
}

}  // namespace ringside::nccl_panel
