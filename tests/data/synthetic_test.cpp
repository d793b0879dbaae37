#include <time.h>

#include "byte_classifier.h"
#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "ringside/data/sampler.h"
namespace ringside {

TEST_CASE("synthetic data has its sizes, follows from the seed, and can be told apart by letters", "[data]") {
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
  DataOptions other;
  other.seed = 3;
  const Dataset again = make_synthetic(other);
  CHECK(make_synthetic(other).sha256 == again.sha256);
  CHECK(again.train[0].tokens != again.test[0].tokens);
  DataOptions shorter = other;
  shorter.synthetic_train = 10;
  CHECK(make_synthetic(shorter).train[9].tokens == again.train[9].tokens);
  other.seed = 4;
  CHECK(make_synthetic(other).sha256 != again.sha256);
  for (const int64_t classes : {2, 4, 32}) {
    DataOptions several;
    several.synthetic_classes = classes;
    CHECK(byte_classifier_accuracy(make_synthetic(several)) > 0.95);
  }
}

TEST_CASE("sequences of a length all have it, and end", "[data]") {
  const Dataset dataset = sequences_of(12);
  CHECK(dataset.sha256 == dataset_sha256(dataset));
  for (const auto* samples : {&dataset.train, &dataset.test})
    for (const Sample& sample : *samples)
      CHECK((sample.tokens.size() == 12 && sample.tokens.back() == kEndToken &&
             sample.tokens.front() < kEndToken));
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

TEST_CASE("tokenize takes any byte, ends every sequence and cuts at max_tokens", "[data]") {
  CHECK(tokenize("", 4) == std::vector<int32_t>{kEndToken});
  CHECK(tokenize("ab", 4) == std::vector<int32_t>{'a', 'b', kEndToken});
  CHECK(tokenize("abc", 4) == std::vector<int32_t>{'a', 'b', 'c', kEndToken});
  CHECK(tokenize("abcd", 4) == std::vector<int32_t>{'a', 'b', 'c', kEndToken});
  CHECK(tokenize("abcd", 1) == std::vector<int32_t>{kEndToken});
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  const std::vector<int32_t> tokens = tokenize(bytes, 1000);
  REQUIRE(tokens.size() == 257);
  for (int32_t byte = 0; byte < 256; ++byte) CHECK(tokens[static_cast<size_t>(byte)] == byte);
}

namespace {

// What all ranks together see in a micro-step, in rank order.
std::vector<int64_t> global_indices(Sampler& sampler, int64_t step, int64_t micro, int ranks) {
  std::vector<int64_t> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<int64_t> own = sampler.indices(step, micro, rank, ranks);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// The first `count` samples of the stream as one rank sees it.
std::vector<int64_t> stream_of(Sampler sampler, int64_t accumulate, int64_t count) {
  std::vector<int64_t> stream;
  for (int64_t k = 0; static_cast<int64_t>(stream.size()) < count; ++k) {
    const std::vector<int64_t> micro = sampler.indices(k / accumulate, k % accumulate, 0, 1);
    stream.insert(stream.end(), micro.begin(), micro.end());
  }
  stream.resize(static_cast<size_t>(count));
  return stream;
}

double cpu_seconds() {  // of this thread
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<int64_t> first_integers(int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST_CASE("rank_slice tiles the items, and any number of ranks sees the same global order", "[data]") {
  for (const int64_t count : {0, 1, 2, 7, 8, 101})
    for (int ranks = 1; ranks <= 9; ++ranks) {
      int64_t end = 0;
      int64_t previous = count;
      for (int rank = 0; rank < ranks; ++rank) {
        const Slice slice = rank_slice(count, rank, ranks);
        CHECK(slice.begin == end);
        CHECK(slice.size() <= previous);
        CHECK(slice.size() >= count / ranks);
        CHECK(slice.size() <= count / ranks + 1);
        previous = slice.size();
        end = slice.end;
      }
      CHECK(end == count);
    }
  CHECK_THROWS_AS(rank_slice(8, 2, 2), InvariantError);
  CHECK_THROWS_AS(rank_slice(8, -1, 2), InvariantError);
  for (const int64_t batch : {3, 8, 16}) {
    Sampler sampler(37, batch, 2, 7);
    for (int64_t k = 0; k < 12; ++k) {
      const std::vector<int64_t> alone = sampler.indices(k / 2, k % 2, 0, 1);
      REQUIRE(static_cast<int64_t>(alone.size()) == batch);
      for (int ranks = 2; ranks <= 8; ++ranks) CHECK(global_indices(sampler, k / 2, k % 2, ranks) == alone);
    }
  }
}

TEST_CASE("each sample comes exactly once an epoch, in an order of the seed and the epoch", "[data]") {
  for (const int64_t samples : {1, 5, 16, 37}) {  // smaller than, equal to and larger than the batch
    Sampler sampler(samples, 16, 3, 7);
    const std::vector<int64_t> stream = stream_of(sampler, 3, 4 * samples);
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
      const auto begin = stream.begin() + epoch * samples;
      std::vector<int64_t> seen(begin, begin + samples);
      std::sort(seen.begin(), seen.end());
      CHECK(seen == first_integers(samples));
    }
  }
  const std::vector<int64_t> stream = stream_of(Sampler(64, 16, 1, 7), 1, 128);
  CHECK(stream == stream_of(Sampler(64, 16, 1, 7), 1, 128));
  CHECK(stream == stream_of(Sampler(64, 16, 4, 7), 4, 128));
  CHECK(stream != stream_of(Sampler(64, 16, 1, 8), 1, 128));
  CHECK(std::vector<int64_t>(stream.begin(), stream.begin() + 64) !=
        std::vector<int64_t>(stream.begin() + 64, stream.end()));
}

TEST_CASE("an epoch's permutation is its own, made once; a rank without a part gets nothing", "[data]") {
  Sampler sampler(1'000'000, 4, 1, 7);
  const double start = cpu_seconds();
  sampler.indices(0, 0, 0, 1);
  const double first = cpu_seconds() - start;
  for (int64_t step = 1; step <= 40; ++step) sampler.indices(step, 0, 0, 1);
  CHECK(cpu_seconds() - start < 2 * first);
  Sampler jumping(10, 4, 1, 7);  // step 2 has the end of the first epoch and the begin of the second
  std::vector<std::vector<int64_t>> forward, backward;
  for (int64_t step = 0; step < 6; ++step) forward.push_back(jumping.indices(step, 0, 0, 1));
  for (int64_t step = 5; step >= 0; --step) backward.push_back(jumping.indices(step, 0, 0, 1));
  CHECK(std::equal(forward.begin(), forward.end(), backward.rbegin(), backward.rend()));
  Sampler small(10, 2, 1, 7);
  CHECK(small.indices(0, 0, 1, 4).size() == 1);
  CHECK(small.indices(0, 0, 3, 4).empty());
  CHECK_THROWS_AS(Sampler(0, 2, 1, 7), InvariantError);
  CHECK_THROWS_AS(small.indices(0, 1, 0, 1), InvariantError);
}

}  // namespace ringside
