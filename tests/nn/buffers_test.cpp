// Buffers: by name, taken from rank 0, booked as "buffers", part of the hash only where there are any.
#include "ringside/nn/parameters.h"

#include "catch.h"
#include "on_ranks.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a buffer has its name, its initial value and its handle") {
  const Buffers buffers({{"norm.running_mean", {3}, 0}, {"norm.running_var", {3}, 1}});
  CHECK((buffers.names() == std::vector<std::string>{"norm.running_mean", "norm.running_var"}));
  CHECK(buffers.tensors()[1].equal(at::ones({3})));
  buffers[Buffer{0}].fill_(5);
  CHECK(buffers.tensors()[0].equal(at::full({3}, 5.0)));
}

TEST_CASE("the memory hook counts buffers as buffers") {
  const MemoryHook memory(nullptr);
  const Buffers buffers({{"norm.running_mean", {300}, 0}});
  CHECK(memory.live(Category::kBuffers) >= 1200);
  CHECK(memory.live(Category::kBuffers) == memory.live_total());
}

TEST_CASE("every rank takes rank 0's values, and all leave one hash") {
  RecordedRun run(3);
  on_ranks(3, run.options, [&](ProcessGroup& group) {
    Buffers buffers(
        {{"norm.running_mean", {3}, 0.0 + group.rank()}, {"norm.running_var", {2}, 7.0 + group.rank()}});
    buffers.load(group);
    if (!buffers[Buffer{0}].equal(at::zeros({3})) || !buffers[Buffer{1}].equal(at::full({2}, 7.0)))
      throw std::runtime_error("not rank 0's values");
    buffers.note_hashes(*run.options.recorders[static_cast<size_t>(group.rank())], 4);
  });
  CHECK(run.bytes_sent(0) == 2 * 4 * (3 + 2));
  const Trace trace = run.store->snapshot();
  std::vector<std::string> first;
  for (int rank = 0; rank < 3; ++rank) {
    std::vector<std::string> hashes;
    for (const RowEvent& event : trace.find("test")->rows(rank)) {
      const auto row = row_as<TensorHash>(event);
      REQUIRE(row);
      CHECK(row->category == "buffers");
      CHECK(row->step == 4);
      hashes.push_back(row->tensor + " " + row->hash);
    }
    REQUIRE(hashes.size() == 2);
    CHECK(hashes[1].starts_with("norm.running_var "));
    if (rank == 0) first = hashes;
    CHECK(hashes == first);
  }
}

TEST_CASE("a tensor's name and its values count in a hash") {
  const auto hash_of = [](const std::string& name, double value) {
    Sha256 hash;
    add_to(hash, name, at::full({2}, value));
    return hash.hex();
  };
  CHECK(hash_of("mean", 1) == hash_of("mean", 1));
  CHECK(hash_of("mean", 1) != hash_of("mean", 2));
  CHECK(hash_of("mean", 1) != hash_of("mode", 1));
}
