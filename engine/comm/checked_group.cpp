#include "ringside/comm/checked_group.h"

#include <algorithm>

namespace ringside {

std::string to_string(const Fingerprint& fingerprint) {
  std::string text = fingerprint.group + " #" + std::to_string(fingerprint.seq) + " ";
  text += to_string(fingerprint.op);
  if (fingerprint.op == Op::kBarrier) return text;
  if (fingerprint.reduce_op == ReduceOp::kMax) text += " (max)";
  text += " of " + std::to_string(fingerprint.count) + " ";
  text += to_string(fingerprint.dtype);
  if (fingerprint.root >= 0) text += " from rank " + std::to_string(fingerprint.root);
  return text;
}

std::vector<int> disagreeing_ranks(const std::vector<Fingerprint>& by_rank) {
  const Fingerprint* majority = nullptr;
  int64_t votes = 0;
  for (const Fingerprint& candidate : by_rank) {
    const int64_t agreeing = std::count(by_rank.begin(), by_rank.end(), candidate);
    if (agreeing > votes) {
      majority = &candidate;
      votes = agreeing;
    }
  }
  std::vector<int> ranks;
  for (size_t rank = 0; rank < by_rank.size(); ++rank)
    if (by_rank[rank] != *majority) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

std::string name_ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += i == 0 ? " " : i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

std::string describe_disagreement(const std::vector<Fingerprint>& by_rank) {
  std::string text;
  for (size_t first = 0; first < by_rank.size(); ++first) {
    const auto here = by_rank.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(by_rank.begin(), here, *here) != here) continue;  // told with an earlier rank
    std::vector<int> agreeing;
    for (size_t rank = first; rank < by_rank.size(); ++rank)
      if (by_rank[rank] == *here) agreeing.push_back(static_cast<int>(rank));
    text += (text.empty() ? "" : "; ") + name_ranks(agreeing) +
            (agreeing.size() == 1 ? " calls " : " call ") + to_string(*here);
  }
  return text;
}

}  // namespace ringside
