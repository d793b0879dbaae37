#include "ringside/data/class_metrics.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {

// scikit-learn 1.2: precision_recall_fscore_support([0,0,1,1,1,2,3], [0,1,1,1,3,0,3], zero_division=0).
Confusion example() {
  Confusion counts(5);  // nobody has or answers class 4
  const int labels[] = {0, 0, 1, 1, 1, 2, 3}, answers[] = {0, 1, 1, 1, 3, 0, 3};
  for (int i = 0; i < 7; ++i) counts.add(labels[i], answers[i]);
  return counts;
}

}  // namespace

TEST_CASE("Precision, recall and F1 of each class, accuracy and macro-F1") {
  const Confusion counts = example();
  CHECK(counts.samples() == 7);
  CHECK(counts.accuracy() == Approx(4.0 / 7));
  const double precision[] = {1. / 2, 2. / 3, 0, 1. / 2, 0}, recall[] = {1. / 2, 2. / 3, 0, 1, 0};
  const double f1[] = {1. / 2, 2. / 3, 0, 2. / 3, 0};
  for (int c = 0; c < 5; ++c) {
    INFO("class " << c);
    CHECK(counts.of(c).precision() == Approx(precision[c]));
    CHECK(counts.of(c).recall() == Approx(recall[c]));
    CHECK(counts.of(c).f1() == Approx(f1[c]));
  }
  CHECK(counts.of(1).labelled == 3);
  CHECK(counts.of(1).answered == 3);
  CHECK(counts.macro_f1() == Approx((1. / 2 + 2. / 3 + 0 + 2. / 3) / 4));  // class 4 is neither
}

TEST_CASE("No sample, too many classes, no such class") {
  CHECK(Confusion(3).accuracy() == 0);
  CHECK(Confusion(3).macro_f1() == 0);
  CHECK(lacks(message_of<UsageError>([] { Confusion(Confusion::kMost + 1); }), {"4097", "4096"}) == "");
  Confusion counts(2);
  CHECK_THROWS_AS(counts.add(0, 2), InvariantError);
  CHECK_THROWS_AS(counts.add(-1, 0), InvariantError);
}

TEST_CASE("Groups are named by a class each, whatever they are called") {
  CHECK(name_groups({2, 2, 0, 1}, {0, 0, 1, 3}).accuracy == 1);
  CHECK(name_groups({0, 0, 0, 0}, {0, 1, 1, 2}).accuracy == 0.5);
  CHECK(name_groups({0, 1, 2, 3, 4}, {0, 0, 1, 2, 3}).accuracy == 0.8);  // a fifth group gets no class
  CHECK(name_groups({2, 2, 0}, {3, 3, 1}).names[2] == 3);
  CHECK_THROWS_AS(name_groups({}, {}), UsageError);
  CHECK_THROWS_AS(name_groups({0, 1}, {0}), UsageError);
  CHECK_THROWS_AS(name_groups({8}, {0}), UsageError);
  CHECK(mean_accuracy({{0, 1}, {0, 0}}, {{1, 0}, {0, 1}}) == 0.75);  // names of its own each
  CHECK_THROWS_AS(mean_accuracy({}, {}), UsageError);
  CHECK_THROWS_AS(mean_accuracy({{0}, {0}}, {{0}}), UsageError);
}
