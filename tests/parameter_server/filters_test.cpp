// Filters: what they keep, what they lose, and the bytes that they save.
#include "ringside/parameter_server/filters.h"

#include <catch.h>

#include "fuzz.h"
#include "ringside/base/float_bits.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kIterations = 20;
constexpr uint64_t kKeyCount = 4000;

// Bytes between workers and servers, of a training in which each worker uses every second key.
int64_t bytes_sent(const Filters& filters, int64_t clocks = kIterations) {
  Cluster cluster = toy_cluster(2, 2, 0, kKeyCount);
  cluster.groups[0].filters = filters;
  SimulatedCluster simulated(cluster, {}, 1, [=](NodeId, uint32_t rank) {
    WorkerTask task = toy_task(rank, clocks, kKeyCount);
    task.keys = [rank](int64_t) {
      std::vector<uint64_t> keys;
      for (uint64_t key = rank % 2; key < kKeyCount; key += 2) keys.push_back(key);
      return keys;
    };
    return task;
  });
  int64_t bytes = 0;
  simulated.network().observe([&](const NetworkEvent& event) {
    const bool counts = event.from != kScheduler && event.to != kScheduler;
    if (event.kind == NetworkEvent::Kind::kSent && counts) bytes += static_cast<int64_t>(event.bytes->size());
  });
  REQUIRE(simulated.train(60 * kSecond));
  return bytes;
}

double saved(Filters filters, ValueForm form) {
  filters.pushed = filters.pulled = form;
  Filters none;
  none.pushed = none.pulled = form;
  return 1 - static_cast<double>(bytes_sent(filters)) / static_cast<double>(bytes_sent(none));
}

// The distance of the values to those of a training without filters, over the way that training went.
double distance(const Filters& filters, int64_t clocks) {
  Cluster cluster = toy_cluster(3, 2, 1, 200);
  const std::vector<float> right = synchronous_sgd(cluster.groups[0], 3, clocks);
  cluster.groups[0].filters = filters;
  SimulatedCluster simulated(cluster, {}, 1,
                             [=](NodeId, uint32_t rank) { return toy_task(rank, clocks, 200); });
  REQUIRE(simulated.train(60 * kSecond));
  const std::vector<float> values = simulated.values().value();
  double off = 0, way = 0;
  for (uint64_t key = 0; key < right.size(); ++key) {
    off += std::pow(values[key] - right[key], 2);
    way += std::pow(right[key] - toy_initial(key), 2);
  }
  return std::sqrt(off / way);
}

}  // namespace

TEST_CASE("filters: every fp16 number comes back; what lies between goes to the nearer, or the even") {
  int wrong = 0;
  for (uint32_t half = 0; half < 0x7bff; ++half) {
    const float value = half_to_float(static_cast<uint16_t>(half));
    const float next = half_to_float(static_cast<uint16_t>(half + 1)), middle = value + (next - value) / 2;
    wrong += float_to_half(value) != half;
    wrong += float_to_half(-value) != (half | 0x8000);
    wrong += float_to_half(middle) != half + half % 2;
    wrong += float_to_half(std::nextafter(middle, 0.0F)) != half;
    wrong += float_to_half(std::nextafter(middle, next)) != half + 1;
  }
  CHECK(wrong == 0);
  CHECK(half_to_float(0x3c00) == 1.0F);
  CHECK(half_to_float(0x7bff) == 65504.0F);
  CHECK(float_to_half(1e9F) == 0x7bff);
}

TEST_CASE("filters: int8 is off by half a step; what is kept back is pushed later") {
  RandomStream random(1, "int8");
  std::vector<float> values(1000);
  for (float& value : values) value = static_cast<float>(random.normal());
  ValueForm form = ValueForm::kInt8;
  const std::vector<float> again = decode_values(form, encode_values(form, values));
  float largest = 0, off = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(values[i]));
    off = std::max(off, std::abs(values[i] - again[i]));
  }
  CHECK(off <= largest / 127 * 0.5001F);
  CHECK(off > largest / 127 * 0.4F);
  values[7] = INFINITY;
  CHECK(decode_values(form, encode_values(form, values)) == values);
  CHECK(form == ValueForm::kFloat32);
  KeptBack kept;
  const Filters filters{.significant = 2, .top = 0.5};
  const auto pass = [&](std::vector<float> one) { return kept.pass(filters, {true, {}, one}, 100, 4); };
  const KeyedValues first = pass({1, 5, -3, 4});
  CHECK(first.keys == std::vector<uint64_t>{101, 103});
  CHECK(first.values == std::vector<float>{5, 4});
  const KeyedValues second = pass({1, 0, -1, 0});  // with what waits: 2, 0, -4, 0
  CHECK(second.keys == std::vector<uint64_t>{100, 102});
  CHECK(second.values == std::vector<float>{2, -4});
  CHECK(pass({1, 1, 1, 1}).values.empty());
}

TEST_CASE("filters: what rounding took is in the next push; zstd's bytes are bounded") {
  KeptBack kept;
  const Filters filters{.pushed = ValueForm::kInt8};
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += kept.pass(filters, {true, {}, {127.0F, 0.3F}}, 0, 2).values[1];
  CHECK(std::abs(sum - 300) <= 1);
  const Bytes plain(5000, 7);
  const Bytes packed = pack_bytes(plain);
  CHECK(packed.size() < 100);
  CHECK(unpack_bytes(packed, plain.size()) == plain);
  CHECK_THROWS_AS(unpack_bytes(packed, plain.size() - 1), FrameError);
  CHECK_THROWS_AS(unpack_bytes(packed, plain.size() + 1), FrameError);
  CHECK_THROWS_AS(unpack_bytes(packed, size_t{1} << 30), FrameError);
  CHECK_THROWS_AS(unpack_bytes({1, 2, 3}, 10), FrameError);
}

TEST_CASE("filters: a server keeps 4,096 lists of keys, and forgets the oldest") {
  KnownLists lists;
  const auto known = [&](uint64_t key) {
    Block signature = block_of_keys(false, {key});
    signature.key_form = KeyForm::kSignature, signature.keys.clear();
    return lists.keys_of(signature, true).has_value();
  };
  for (uint64_t key = 0; key <= 4096; ++key) lists.keys_of(block_of_keys(false, {key}), true);
  CHECK(lists.size() == 4096);
  CHECK((!known(0) && known(1) && known(4096)));
}

TEST_CASE("fuzz: packed values that were changed are refused, or have their length", "[one_thread]") {
  RandomStream random(1, "packed values");
  int refused = 0, wrong = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes plain = random_bytes(random, 2000);
    for (uint8_t& byte : plain) byte %= 4;
    const Bytes packed = mutate(pack_bytes(plain), random);
    try {
      wrong += unpack_bytes(packed, plain.size()).size() != plain.size();
    } catch (const FrameError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
  CHECK(wrong == 0);
}

TEST_CASE("filters: unknown lists are asked for; key caching saves 45 to 67 %, trainings stay close",
          "[one_thread][long]") {
  KnownLists lists;
  Block list = block_of_keys(false, {3, 5, 8}), signature = list;
  signature.key_form = KeyForm::kSignature;
  signature.keys.clear();
  CHECK(!lists.keys_of(signature, true));
  CHECK(lists.keys_of(list, true) == list.keys);
  CHECK(lists.keys_of(signature, true) == list.keys);
  Block wrong = block_of_keys(false, {3, 5, 9});
  wrong.signature = 1234;
  CHECK_THROWS_AS(lists.keys_of(wrong, true), FrameError);
  const Filters caching{.key_caching = true};
  CHECK(saved(caching, ValueForm::kFloat64) > 0.45);
  CHECK(saved(caching, ValueForm::kFloat32) > 0.60);
  CHECK(saved(caching, ValueForm::kFloat32) < 0.67);  // keys are two thirds of what is sent
  const auto part = [](bool known, ValueForm form) {
    const Filters filters{.key_caching = known, .pushed = form, .pulled = form};
    return static_cast<double>(bytes_sent(filters)) / static_cast<double>(bytes_sent({.key_caching = known}));
  };
  CHECK(part(false, ValueForm::kFloat16) > 0.80);
  CHECK(part(true, ValueForm::kFloat16) < 0.60);
  CHECK(part(true, ValueForm::kInt8) < 0.40);
  CHECK(distance({}, 40) == 0);
  CHECK(distance({.key_caching = true, .zstd = true}, 40) == 0);
  CHECK(distance({.pushed = ValueForm::kFloat16}, 40) < 1e-3);
  CHECK(distance({.pushed = ValueForm::kInt8, .pulled = ValueForm::kFloat16}, 40) < 0.01);
  CHECK(distance({.top = 0.25}, 40) < 0.2);
  CHECK(distance({.significant = 0.5}, 40) < 0.2);
}
