// How well classes are told apart, from the counts of a confusion matrix. Of class c, with n(l, a) samples of
// label l that were answered a:
//
//   precision = n(c, c) / sum_l n(l, c)     recall = n(c, c) / sum_a n(c, a)
//   F1 = 2 n(c, c) / (sum_l n(l, c) + sum_a n(c, a))
//   macro-F1 = mean of F1 over the classes that are a label or an answer
//
// A ratio of nothing is 0. So scikit-learn's precision_recall_fscore_support(zero_division=0) has them.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside::inline data {

class Confusion {
 public:
  static constexpr int64_t kMost = 4096;  // classes: a matrix of 128 MiB

  Confusion() = default;
  // UsageError for more than kMost.
  explicit Confusion(int64_t classes);

  int64_t classes() const { return classes_; }
  void add(int64_t label, int64_t answer, int64_t times = 1);  // InvariantError where there is no such class
  int64_t at(int64_t label, int64_t answer) const;
  int64_t samples() const;
  double accuracy() const;
  double macro_f1() const;

  struct OfClass {
    int64_t labelled = 0, answered = 0, right = 0;
    double precision() const { return answered == 0 ? 0 : double(right) / double(answered); }
    double recall() const { return labelled == 0 ? 0 : double(right) / double(labelled); }
    double f1() const { return right == 0 ? 0 : 2 * double(right) / double(labelled + answered); }
  };
  OfClass of(int64_t label) const;
  bool operator==(const Confusion&) const = default;

 private:
  int64_t classes_ = 0;
  std::vector<int64_t> counts_;  // (C, C): label, answer
};

// Groups without names, as a clustering finds them, each named by a class, no two by the same one, so that
// most tokens are right (clustering accuracy). Every way to name them is tried.
struct GroupNames {
  double accuracy = 0;         // of the tokens, those whose class is the name of their group
  std::vector<int64_t> names;  // (groups, or classes where these are more); beyond the classes: of no class
};
// A group and a class a token, from 0. UsageError for more than 8 of either, or where they are not as many.
GroupNames name_groups(const std::vector<int64_t>& groups, const std::vector<int64_t>& classes);
// The mean over pictures, each of which has names of its own. (pictures, tokens); UsageError as above, and
// where there is none.
double mean_accuracy(const std::vector<std::vector<int64_t>>& groups,
                     const std::vector<std::vector<int64_t>>& classes);

}  // namespace ringside::inline data
