// Trainings with device=cuda. Over the stand-in for a GPU (stand_in_device.h) they end with the CPU's bits:
// its kernels have them, and LibTorch computes on the CPU. On a GPU see demos/gpu.
#include "ringside/base/error.h"
#include "ringside/device/kernels.h"
#include "stand_in_device.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Of all that the device may not change: bits, losses, what is sent, memory.
void check_as_on_the_cpu(TrainerConfig config, const Dataset& data) {
  INFO(describe(config));
  set_device_kernels(nullptr);  // or the stand-in would be asked for all views
  config.device = Device::kCpu;
  const Audit cpu = audit(config, data);
  config.device = tested_device();
  const Audit device = audit(config, data);
  CHECK(device.result.parameters_sha256 == cpu.result.parameters_sha256);
  CHECK(device.result.loss == cpu.result.loss);
  CHECK(device.result.gradient_norm == cpu.result.gradient_norm);
  CHECK(device.ledger_problem() == "");
  REQUIRE(device.ledger.size() == cpu.ledger.size());
  for (size_t i = 0; i < cpu.ledger.size(); ++i)
    if (cpu.ledger[i].predicted) CHECK(device.ledger[i].counted == cpu.ledger[i].counted);
}

}  // namespace

TEST_CASE("a training on the device has the bits and bytes of the CPU's, at every stage", "[.device]") {
  REQUIRE(tested_device() == Device::kCuda);
  const Dataset data = tiny_data();
  for (const int ranks : {1, 2, 3, 4})
    for (const int stage : {0, 1, 2, 3}) {
      TrainerConfig config = tiny_config(ranks, stage);
      config.evaluate_every = 0;
      config.hash_state = true;
      if (ranks == 3) config.precision = Precision::kBFloat16;
      if (ranks == 2) config.model.norm = NormKind::kLayer;
      if (ranks == 4) config.optimizer.name = stage % 2 == 0 ? "lion" : "sgd", config.overlap = false;
      check_as_on_the_cpu(config, data);
      if (ranks < 3 || stage > 1) continue;
      config.mesh = ranks == 4 ? "dp2,pp2" : "pp3";
      config.model.layers = 3, config.accumulate = 4, config.pipeline = stage == 0 ? "1f1b" : "zb_h1";
      check_as_on_the_cpu(config, data);
    }
}

TEST_CASE("a training on the device has the bits of one process that emulates it there", "[.device][.gpu]") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 2);
  config.device = tested_device();
  check_bits(config, data, reference_bits(config, data));
  struct Pipelined {
    const char *mesh, *schedule;
    int chunks;
  };
  for (const Pipelined& one : {Pipelined{"dp2,pp2", "1f1b", 1},
                               {"pp4", "zb_h1", 1},
                               {"pp2,tp2", "interleaved", 2},
                               {"dp2,pp2", "zb_v", 2}}) {
    config = tiny_config(4, 1);
    config.device = tested_device();
    config.model.layers = 4, config.model.kv_heads = 2, config.accumulate = 4;
    config.mesh = one.mesh, config.pipeline = one.schedule, config.chunks = one.chunks;
    check_bits(config, data, reference_bits(config, data));
  }
}

TEST_CASE("bf16 trainings on the device have the same bits at every stage", "[.device][.gpu]") {
  const Dataset data = tiny_data();
  std::string first;
  for (const int stage : {0, 1, 2, 3}) {
    TrainerConfig config = tiny_config(3, stage);
    config.device = tested_device();
    config.precision = Precision::kBFloat16;
    const std::string hash = check_settled(config, data).result.parameters_sha256;
    CHECK(hash == (first.empty() ? first = hash : first));
  }
}

TEST_CASE("what has no kernel is refused on the device, and what has one is named", "[.device][.gpu]") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(2, 0);
  config.device = tested_device();
  config.optimizer.name = "adagrad";
  CHECK_THROWS_WITH(audit(config, data), ContainsSubstring("those of adam, adamw, lion, sgd"));
  config.optimizer.name = "adamw";
  config.model.norm = NormKind::kBatch;
  CHECK_THROWS_WITH(audit(config, data), ContainsSubstring("those of rms and layer"));
}

TEST_CASE(
    "without a library for GPUs device=cuda ends with the code of what is missing, and says what to "
    "install") {
  if (tested_device() == Device::kCuda) return;
  TrainerConfig config = tiny_config(2, 0);
  config.device = Device::kCuda;
  try {
    audit(config, tiny_data());
    FAIL("it trained");
  } catch (const MissingError& error) {
    CHECK(error.code() == ExitCode::kMissing);
    CHECK_THAT(error.what(), ContainsSubstring("device=cuda"));
  }
}
