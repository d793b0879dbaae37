// The collectives over NCCL itself, on one GPU: a group of one rank, for NCCL takes one rank a GPU. Its
// values and the ends of its calls; that two ranks on one GPU are refused. With more GPUs:
// tests/nccl/nccl_test.cpp says what to hold.
#include <thread>

#include "catch.h"
#include "on_device.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/comm/observed_group.h"
#include "ringside/kernels/on_device.h"
#include "ringside/nccl/nccl.h"
#include "ringside/processes/join.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::shared_ptr<const NcclLibrary> nccl_of_gpu() {
  if (!has_device()) return nullptr;
  try {
    return load_nccl();
  } catch (const MissingError& error) {
    WARN(error.what());
    return nullptr;
  }
}

std::vector<float> drawn_values() {
  RandomStream random(1, "values on a GPU");
  std::vector<float> values(4097);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

}  // namespace

TEST_CASE("a group of one GPU has its own values back over NCCL, in both orders", "[nccl]") {
  const auto library = nccl_of_gpu();
  if (library == nullptr) return;
  WARN("NCCL " << nccl_version(*library) << " on " << kernels::device_name());
  static const kernels::OnDevice gpu;
  set_device_memory(&gpu);
  for (const std::string algorithm : {"", "ordered"}) {
    const auto own = nccl_collectives(library, make_memory_store(), {.algorithm = algorithm});
    const auto hub = hub_of_sockets(0, {-1}, "one GPU, NCCL", own);
    ObservedGroup group({.name = "gpu"}, {0}, 0, {}, hub->connect("gpu", {0}, 0));
    Twin<float> buffer(drawn_values()), other(buffer.cpu.size());
    const MutableView from{buffer.device(), std::ssize(buffer.cpu), Dtype::kFloat32, Device::kCuda};
    const MutableView to{other.device(), std::ssize(other.cpu), Dtype::kFloat32, Device::kCuda};
    other.cpu = buffer.cpu;
    group.all_reduce(from, {})->wait();
    CHECK(buffer.agrees());
    group.reduce_scatter(from, to, {})->wait();
    CHECK(other.agrees());
    group.broadcast(from, 0, {})->wait();
    group.all_gather(from, to, {})->wait();
    group.all_to_all(from, to, {})->wait();
    CHECK((buffer.agrees() && other.agrees()));
    // What the CPU's memory holds goes over the hub's channels.
    group.all_reduce({buffer.cpu.data(), std::ssize(buffer.cpu)}, {})->wait();
    CHECK(buffer.agrees());
  }
}

TEST_CASE("two ranks on one GPU are refused, and told why", "[nccl]") {
  const auto library = nccl_of_gpu();
  if (library == nullptr) return;
  const auto store = make_memory_store();
  std::vector<std::string> texts(2);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      try {
        nccl_collectives(library, store, {.rank = rank, .size = 2});
      } catch (const UsageError& error) {
        texts[static_cast<size_t>(rank)] = error.what();
      }
    });
  for (std::thread& rank : ranks) rank.join();
  for (const std::string& text : texts) CHECK_THAT(text, ContainsSubstring("NCCL takes one rank a GPU"));
}
