// The collectives over NCCL, with the stand-in of this folder in the place of its library.
#include "ringside/nccl/nccl.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>

#include "catch.h"
#include "check_text.h"
#include "connected_ranks.h"
#include "library.h"
#include "on_wirings.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/comm/errors.h"
#if __has_include(<nccl.h>)
#include <nccl.h>
#endif

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

#ifdef NCCL_MAJOR
static_assert(sizeof(ncclUniqueId) == sizeof(nccl::UniqueId));
static_assert(ncclInt8 == +nccl::kInt8 && ncclInt32 == +nccl::kInt32);
static_assert(ncclUint8 == +nccl::kUint8 && ncclInt64 == +nccl::kInt64 && ncclFloat16 == +nccl::kFloat16);
static_assert(ncclFloat32 == +nccl::kFloat32 && ncclFloat64 == +nccl::kFloat64 &&
              ncclBfloat16 == +nccl::kBFloat16);
static_assert(ncclSum == +nccl::kSum && ncclMax == +nccl::kMax && ncclInProgress == +nccl::kInProgress);
static_assert(offsetof(ncclConfig_t, blocking) == offsetof(nccl::Config, blocking));
#endif

namespace {

using Wirings = std::vector<std::shared_ptr<Wiring>>;

std::string stand_in() {
  const char* const file = std::getenv("RINGSIDE_NCCL");
  if (file == nullptr) FAIL("RINGSIDE_NCCL names no stand-in for NCCL: ctest -R '^nccl$' does");
  return file;
}

Wirings over_nccl(int size, const std::string& algorithm = "ordered") {
  stand_in();
  const auto hubs = connect_ranks_over_nccl(size, algorithm);
  return {hubs.begin(), hubs.end()};
}
Wirings threads(int size) { return Wirings(static_cast<size_t>(size), make_thread_wiring({})); }

std::vector<int> all_of(const Wirings& wirings) { return all_ranks(static_cast<int>(wirings.size())); }

template <typename T>
std::vector<T> drawn(int rank, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  RandomStream random(static_cast<uint64_t>(rank), "values");
  for (T& value : values)
    if constexpr (std::is_same_v<T, uint16_t>)
      value = float_to_bf16(static_cast<float>(random.normal()));
    else
      value = static_cast<T>(random.normal());
  return values;
}

// Every word, one behind the other; what each rank then has.
template <typename T>
std::vector<std::vector<T>> results(const Wirings& wirings, Dtype dtype, int64_t count) {
  std::vector<std::vector<T>> all(wirings.size());
  on_wirings(wirings, all_of(wirings), {.name = "words"}, [&](ProcessGroup& group) {
    const int size = group.size(), rank = group.rank();
    const auto view = [&](std::vector<T>& values) {
      return MutableView{values.data(), std::ssize(values), dtype};
    };
    std::vector<T> sum = drawn<T>(rank, count), largest = sum, sent = sum, own = sum,
                   large = drawn<T>(rank, count * size);
    std::vector<T> scattered(own.size()), gathered(large.size()), turned(large.size()), from(own.size());
    group.all_reduce(view(sum), {})->wait();
    group.all_reduce(view(largest), {}, ReduceOp::kMax)->wait();
    group.reduce_scatter(view(large), view(scattered), {})->wait();
    group.all_gather(view(own), view(gathered), {})->wait();
    group.broadcast(view(sent), size - 1, {})->wait();
    group.all_to_all(view(large), view(turned), {})->wait();
    if (size > 1) {  // a receive that is asked for first holds up no collective
      const WorkPtr receives = group.recv(view(from), (rank + size - 1) % size, {});
      group.barrier({})->wait();
      const WorkPtr sends = group.send(view(own), (rank + 1) % size, {});
      wait_all({receives, sends});
    }
    auto& mine = all[static_cast<size_t>(rank)];
    for (const auto* part : {&sum, &largest, &scattered, &gathered, &sent, &turned, &from})
      mine.insert(mine.end(), part->begin(), part->end());
  });
  return all;
}

// The words that move and do not add, one behind the other: the bytes that each rank then has.
std::vector<std::vector<uint8_t>> moved(const Wirings& wirings, Dtype dtype, int64_t count) {
  std::vector<std::vector<uint8_t>> all(wirings.size());
  on_wirings(wirings, all_of(wirings), {.name = "moved"}, [&](ProcessGroup& group) {
    const int size = group.size(), rank = group.rank();
    const auto bytes = static_cast<size_t>(count * size_of(dtype));
    RandomStream random(static_cast<uint64_t>(rank), "bytes");
    std::vector<uint8_t> own(bytes), large(bytes * static_cast<size_t>(size)), gathered(large.size()),
        turned(large.size()), from(bytes);
    for (auto* part : {&own, &large})
      for (uint8_t& byte : *part) byte = static_cast<uint8_t>(random.below(256));
    std::vector<uint8_t> sent = own;
    const auto view = [&](std::vector<uint8_t>& part) {
      return MutableView{part.data(), std::ssize(part) / size_of(dtype), dtype};
    };
    group.broadcast(view(sent), size - 1, {})->wait();
    group.all_gather(view(own), view(gathered), {})->wait();
    group.all_to_all(view(large), view(turned), {})->wait();
    wait_all(
        {group.recv(view(from), (rank + size - 1) % size, {}), group.send(view(own), (rank + 1) % size, {})});
    auto& mine = all[static_cast<size_t>(rank)];
    for (const auto* part : {&sent, &gathered, &turned, &from})
      mine.insert(mine.end(), part->begin(), part->end());
  });
  return all;
}

void fault(int broken, int64_t call, int hanging) {
  void* const library = ::dlopen(stand_in().c_str(), RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  using Function = void (*)(int, int64_t, int);
  reinterpret_cast<Function>(::dlsym(library, "ringside_stand_in_fault"))(broken, call, hanging);
}

// How the calls of each rank end: the ranks that its error names; {-2} for a deadline, {-1} for none.
std::vector<std::vector<int>> ends(const Wirings& wirings, int calls) {
  std::vector<std::vector<int>> all(wirings.size(), {-1});
  on_wirings(wirings, all_of(wirings), {.name = "faults", .timeout = 400ms}, [&](ProcessGroup& group) {
    std::vector<float> values(100, 1);
    try {
      for (int call = 0; call < calls; ++call)
        group.all_reduce({values.data(), std::ssize(values)}, {})->wait();
    } catch (const PeerLostError& error) {
      all[static_cast<size_t>(group.rank())] = error.ranks();
    } catch (const TimeoutError&) {
      all[static_cast<size_t>(group.rank())] = {-2};
    }
  });
  return all;
}

}  // namespace

TEST_CASE("every word over NCCL, in the order of threads, has the bits of threads") {
  for (const int size : {1, 2, 3, 4})
    for (const int64_t count : {1, 5, 1000}) {
      CAPTURE(size, count);
      CHECK(results<float>(over_nccl(size), Dtype::kFloat32, count) ==
            results<float>(threads(size), Dtype::kFloat32, count));
      CHECK(results<uint16_t>(over_nccl(size), Dtype::kBFloat16, count) ==
            results<uint16_t>(threads(size), Dtype::kBFloat16, count));
      CHECK(results<double>(over_nccl(size), Dtype::kFloat64, count) ==
            results<double>(threads(size), Dtype::kFloat64, count));
    }
}

TEST_CASE("what is moved has all of its bytes over NCCL, of every type") {
  for (int type = 0; type <= static_cast<int>(Dtype::kBool); ++type)
    for (const int size : {2, 3}) {
      const auto dtype = static_cast<Dtype>(type);
      CAPTURE(to_string(dtype), size);
      CHECK(moved(over_nccl(size), dtype, 37) == moved(threads(size), dtype, 37));
    }
}

TEST_CASE("NCCL's own sums are near those in rank order, and not the same") {
  bool differs = false;
  for (const int size : {2, 3, 4}) {
    const auto own = results<float>(over_nccl(size, ""), Dtype::kFloat32, 1000);
    const auto ours = results<float>(threads(size), Dtype::kFloat32, 1000);
    for (size_t rank = 0; rank < own.size(); ++rank) {
      REQUIRE(own[rank].size() == ours[rank].size());
      for (size_t i = 0; i < own[rank].size(); ++i) {
        REQUIRE(std::abs(own[rank][i] - ours[rank][i]) <= 4e-6F);
        differs = differs || own[rank][i] != ours[rank][i];
      }
    }
  }
  CHECK(differs);
}

TEST_CASE("an error that NCCL finds by itself ends the call on all ranks, and names its rank") {
  fault(1, 2, -1);
  const auto wirings = over_nccl(3, "");
  CHECK(ends(wirings, 5) == std::vector<std::vector<int>>(3, {1}));
  fault(-1, 0, -1);
  CHECK(ends(over_nccl(3, ""), 5) == std::vector<std::vector<int>>(3, {-1}));
}

TEST_CASE("a communicator that is never ready ends at the deadline") {
  fault(-1, 0, 2);
  const TimePoint start = SteadyClock::now();
  CHECK(ends(over_nccl(3), 1) == std::vector<std::vector<int>>(3, {-2}));
  CHECK(SteadyClock::now() - start < 60s);
  fault(-1, 0, -1);
}

TEST_CASE("a rank that goes inside a call is named, and nobody waits longer than the deadline") {
  const auto wirings = over_nccl(3);
  std::vector<std::string> texts(3);
  on_wirings(wirings, all_of(wirings), {.name = "gone", .timeout = 10s}, [&](ProcessGroup& group) {
    std::vector<float> values(1000, 1);
    try {
      group.all_reduce({values.data(), std::ssize(values)}, {})->wait();
      if (group.rank() == 1) return group.abort("a reason");
      group.all_reduce({values.data(), std::ssize(values)}, {})->wait();
    } catch (const PeerLostError& error) {
      texts[static_cast<size_t>(group.rank())] = error.what();
    }
  });
  for (const int rank : {0, 2})
    CHECK_THAT(texts[static_cast<size_t>(rank)], ContainsSubstring("rank 1 aborted: a reason"));
}

TEST_CASE("what NCCL cannot do is refused with what to do") {
  const auto library = load_nccl();
  CHECK(nccl_version(*library) == "2.28.3");
  CHECK_THROWS_WITH(nccl_collectives(library, make_memory_store(), {.algorithm = "ring"}),
                    ContainsSubstring("algorithm=ring: over NCCL there are NCCL's own and ordered"));
  const auto store = make_memory_store();
  store->set("nccl/gpu/1", "somewhere else");
  CHECK_THROWS_AS(nccl_collectives(library, store, {.size = 3, .timeout = 20ms}), StoreTimeoutError);
  std::string own(256, '\0');
  REQUIRE(::gethostname(own.data(), own.size()) == 0);
  store->set("nccl/gpu/1", std::string(own.c_str()) + " stand-in:0");
  CHECK_THROWS_WITH(nccl_collectives(library, store, {.size = 2}),
                    ContainsSubstring("ranks 0 and 1 have one GPU"));
  const std::string file = stand_in();
  ::setenv("RINGSIDE_STAND_IN_VERSION", "20800", 1);
  CHECK_THROWS_WITH(load_nccl(), ContainsSubstring("version 2.8.0 is older than 2.14.0"));
  ::unsetenv("RINGSIDE_STAND_IN_VERSION");
  ::setenv("RINGSIDE_NCCL", "/nowhere/libnccl.so.2", 1);
  CHECK_THROWS_AS(load_nccl(), MissingError);
  ::setenv("RINGSIDE_NCCL", file.c_str(), 1);
}

TEST_CASE("a process keeps the GPU of its rank on this host, or the one that was chosen for it") {
  const auto after = [](const char* seen, int local_rank) {
    if (seen == nullptr)
      ::unsetenv("CUDA_VISIBLE_DEVICES");
    else
      ::setenv("CUDA_VISIBLE_DEVICES", seen, 1);
    see_one_gpu(local_rank);
    return std::string(std::getenv("CUDA_VISIBLE_DEVICES"));
  };
  CHECK(after(nullptr, 2) == "2");
  CHECK(after("", 1) == "");  // no GPU
  CHECK(after("4,6,7", 1) == "6");
  CHECK(after("5", 3) == "5");
  CHECK_THROWS_WITH(after("4,6", 2), ContainsSubstring("CUDA_VISIBLE_DEVICES=4,6 names 2 GPUs"));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}
