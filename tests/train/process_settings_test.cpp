// A training leaves the settings of its process as they were; while it runs, each rank has one thread.
#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <thread>

#include "catch.h"
#include "kept_memory.h"
#include "ringside/tensor/torch_adapter.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kThreads = 3;

// 0: the BLAS is not OpenBLAS.
int blas_threads() {
  auto* threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  return threads == nullptr ? 0 : threads();
}
void set_blas_threads(int count) {
  auto* set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(count);
}

struct Counts {
  int torch = at::get_num_threads(), blas = blas_threads();
  bool operator==(const Counts&) const = default;
};

Counts counts_of_a_new_thread() {
  Counts counts;
  std::thread([&] { counts = Counts(); }).join();
  return counts;
}

void train_tiny(TrainerHooks hooks = {}) {
  train(tiny_config(2, 1), tiny_data(), *TraceStore::create("test"), "run", hooks);
}

}  // namespace

TEST_CASE("each rank has one thread, and afterwards the process has as many as before") {
  const Counts at_first;
  at::set_num_threads(kThreads);
  set_blas_threads(kThreads);
  const Counts before;
  Counts within;
  TrainerHooks hooks;
  hooks.on_step = [&](int64_t) { within = Counts(); };
  SECTION("a training") { train_tiny(hooks); }
  SECTION("two at a time") {
    hooks.on_step = [&](int64_t) {
      std::thread([] { train_tiny(); }).join();
      within = Counts();
    };
    train_tiny(hooks);
  }
  SECTION("a training that ends with an error") {
    hooks.on_step = [&](int64_t) {
      within = Counts();
      throw InputError("planted");
    };
    CHECK_THROWS_AS(train_tiny(hooks), InputError);
  }
  SECTION("its emulation") {
    emulate(tiny_config(2, 0), tiny_data(), SumOrder::kAccumulateThenReduce,
            [&](int64_t, size_t, const std::string&, ConstView) { within = Counts(); });
  }
  CHECK(within.torch == 1);
  CHECK(within.blas == std::min(before.blas, 1));
  CHECK(before.torch == kThreads);
  CHECK(Counts() == before);
  CHECK(counts_of_a_new_thread() == before);
  at::set_num_threads(at_first.torch);
  set_blas_threads(at_first.blas);
}

TEST_CASE("a training does not change what malloc does with freed memory") {
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  mallopt(M_TOP_PAD, 0);
  train_tiny();
  CHECK(kept_memory() < kFreedMemory / 2);
}
