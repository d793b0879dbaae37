// Texts as `split` leaves them: padded on the left, in batches of like lengths, with class weights.
#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE(
    "padded on the left, of like lengths and with class weights, stages and tp have the emulation's bits") {
  Dataset data = tiny_data();
  const std::string plain =
      emulate(tiny_config(2, 0), data, SumOrder::kReduceThenAccumulate).parameters_sha256;
  data.padding.left = data.by_length = true;
  for (Sample& sample : data.train) sample.weight = sample.label == 1 ? 2.5f : 0.5f;
  for (const char* mesh : {"dp2", "dp2,tp2"}) {
    TrainerConfig config = tiny_config(mesh == std::string("dp2") ? 2 : 4, 0);
    config.mesh = mesh, config.evaluate_every = 1;
    config.model.hidden = 16, config.model.heads = 4, config.model.kv_heads = 2;
    const BitReference reference = reference_bits(config, data);
    for (const int stage : {0, 3}) {
      config.stage = stage;
      CHECK(check_bits(config, data, reference).result.parameters_sha256 != plain);
    }
  }
}

TEST_CASE("padding on the left changes a loss by rounding, like lengths and class weights change it") {
  Dataset data = tiny_data();
  const TrainerConfig config = tiny_config(1, 0);
  const auto loss = [&] { return emulate(config, data, SumOrder::kReduceThenAccumulate).loss.at(0); };
  const double right = loss();
  data.padding.left = true;
  CHECK(loss() == Approx(right).epsilon(1e-5));
  data.by_length = true;
  const double alike = loss();
  CHECK(alike != Approx(right).epsilon(1e-5));
  for (Sample& sample : data.train) sample.weight = 3;
  CHECK(loss() == Approx(3 * alike).epsilon(1e-5));
}
