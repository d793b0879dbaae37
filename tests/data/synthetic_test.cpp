#include "byte_classifier.h"
#include "catch.h"
#include "ringside/data/dataset.h"

namespace ringside {

TEST_CASE("synthetic data has the sizes asked for", "[data]") {
  DataOptions options;
  const Dataset dataset = make_synthetic(options);
  CHECK(dataset.classes.size() == 4);
  CHECK(dataset.train.size() == 512);
  CHECK(dataset.test.size() == 101);
  CHECK(dataset.majority_accuracy() == Approx(26.0 / 101.0));
  CHECK(dataset.sha256 == dataset_sha256(dataset));
  for (const Sample& sample : dataset.test) {
    CHECK(sample.tokens.size() >= 33);
    CHECK(sample.tokens.size() <= 64);
    CHECK(sample.tokens.back() == kEndToken);
  }
}

TEST_CASE("synthetic data follows from the seed alone", "[data]") {
  DataOptions options;
  options.seed = 3;
  const Dataset dataset = make_synthetic(options);
  CHECK(make_synthetic(options).sha256 == dataset.sha256);
  CHECK(dataset.train[0].tokens != dataset.test[0].tokens);

  DataOptions shorter = options;
  shorter.synthetic_train = 10;
  CHECK(make_synthetic(shorter).train[9].tokens == dataset.train[9].tokens);

  options.seed = 4;
  CHECK(make_synthetic(options).sha256 != dataset.sha256);
}

TEST_CASE("synthetic classes can be told apart by their letters", "[data]") {
  for (const int64_t classes : {2, 4, 32}) {
    DataOptions options;
    options.synthetic_classes = classes;
    CHECK(byte_classifier_accuracy(make_synthetic(options)) > 0.95);
  }
}

TEST_CASE("a token above two bytes is hashed otherwise than the tokens that its bytes spell") {
  Dataset one, two;
  one.train = {{.tokens = {0x10000}}};
  two.train = {{.tokens = {0xffff}}};
  CHECK(dataset_sha256(one) != dataset_sha256(two));
  two.train = {{.tokens = {-1}}};
  CHECK(dataset_sha256(one) != dataset_sha256(two));
  one.train = {{.tokens = {1 << 24}}};
  two.train = {{.tokens = {1 << 25}}};
  CHECK(dataset_sha256(one) != dataset_sha256(two));
  one.train = {{.tokens = {0x10000 + 5, 7}}};
  two.train = {{.tokens = {5, 7}}};
  CHECK(dataset_sha256(one) != dataset_sha256(two));
}

TEST_CASE("the hash covers classes, labels, tokens and the split", "[data]") {
  const Dataset dataset = make_synthetic(DataOptions{});
  Dataset other = dataset;
  other.classes[1] = "renamed";
  CHECK(dataset_sha256(other) != dataset.sha256);
  other = dataset;
  other.train[5].label ^= 1;
  CHECK(dataset_sha256(other) != dataset.sha256);
  other = dataset;
  other.test[100].tokens[0] ^= 1;
  CHECK(dataset_sha256(other) != dataset.sha256);
  for (const int bit : {8, 15, 16, 23, 30}) {  // of a token, beyond those of a byte tokenizer too
    other = dataset;
    other.train[5].tokens[0] ^= 1 << bit;
    CHECK(dataset_sha256(other) != dataset.sha256);
  }
  other = dataset;
  other.test.insert(other.test.begin(), other.train.back());
  other.train.pop_back();
  CHECK(dataset_sha256(other) != dataset.sha256);
  other = dataset;
  other.notes.emplace_back("a note is no data");
  other.description.clear();
  CHECK(dataset_sha256(other) == dataset.sha256);
}

}  // namespace ringside
