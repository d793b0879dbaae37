// The simulator with more workers than threads, and what it is calibrated with.
#include "ringside/parameter_server/scale.h"

#include <catch.h>

#include "ringside/base/error.h"

using namespace ringside;

namespace {

ScaleSetup small_setup() {
  static const auto samples =
      std::make_shared<const Samples>(power_law_samples({.samples = 2000, .keys = 1000, .fields = 10}));
  ScaleSetup setup{.samples = samples, .keys = 1000, .batch = 1000};
  setup.sample_s = 1e-3;
  setup.most_clocks = 6;
  setup.link = {"test", 10e-6, 1e9};
  setup.server = setup.worker = {.receive_ns = 5000, .send_ns = 5000, .byte_ns = 1};
  return setup;
}

double load_of(const ScaleResult& result, const std::string& resource) {
  for (const ResourceLoad& one : result.loads)
    if (one.resource == resource) return one.load;
  return -1;
}

}  // namespace

TEST_CASE("scale: more workers do more until a server is full; more servers then help", "[long]") {
  ScaleSetup setup = small_setup();
  const auto run = [&](uint32_t workers, uint32_t servers) {
    setup.workers = workers;
    setup.servers = servers;
    setup.ranges_per_server = 8 / servers;  // a worker sends one message a range, whoever holds it
    return simulate_scale(setup);
  };
  const ScaleResult ten = run(10, 1), hundred = run(100, 1), many = run(500, 1), more = run(500, 8);
  CHECK(ten.samples_per_s > 9000);  // 10 workers of 1000 samples a second each
  CHECK(ten.loads.front().resource == "worker computing");
  CHECK(hundred.samples_per_s > 3 * ten.samples_per_s);
  CHECK(many.samples_per_s < 2 * hundred.samples_per_s);
  CHECK(many.loads.front().resource == "server processor");
  CHECK(many.loads.front().load > 0.9);
  CHECK(more.samples_per_s > 2 * many.samples_per_s);
}

TEST_CASE("scale: a slow link saturates; BSP's loss is that of any number of servers", "[one_thread][long]") {
  ScaleSetup setup = small_setup();
  setup.workers = 100;
  setup.link.bytes_per_s = 2e5;
  const ScaleResult result = simulate_scale(setup);
  CHECK(result.loads.front().resource == "server link in");  // keys and values; out go values alone
  CHECK(result.loads.front().load > 0.5);
  CHECK(load_of(result, "server processor") < 0.1);
  ScaleSetup same = small_setup();
  same.target_loss = 0.6;
  same.workers = 10;
  const ScaleResult one = simulate_scale(same);
  same.servers = 4;
  const ScaleResult four = simulate_scale(same);
  CHECK(one.loss == four.loss);
  CHECK(one.seconds_to_loss > 0);
  same.workers = 100;
  CHECK(simulate_scale(same).seconds_to_loss < 0.5 * four.seconds_to_loss);
}

TEST_CASE("scale: with stragglers drawn at random staleness saves waiting", "[long]") {
  ScaleSetup setup = small_setup();
  setup.workers = 50;
  setup.straggling = 0.1;
  setup.most_clocks = 30;
  const ScaleResult bsp = simulate_scale(setup);
  setup.consistency = Consistency::kSsp;
  setup.staleness = 8;
  const ScaleResult ssp = simulate_scale(setup);
  CHECK(bsp.waiting > 0.5);
  CHECK(ssp.waiting < 0.4 * bsp.waiting);
  CHECK(ssp.samples_per_s > 1.5 * bsp.samples_per_s);
}

TEST_CASE("scale: what workers do and what they wait add up to their time", "[one_thread]") {
  ScaleSetup setup = small_setup();
  setup.straggling = 0.2;
  for (const int64_t clocks : {2, 4, 12}) {
    setup.most_clocks = clocks;
    const ScaleResult result = simulate_scale(setup);
    // 10 workers of 100 samples of 1 ms; an iteration takes 1.6 times as long on average, and once or four
    // times where all are counted.
    const double of_time = result.iterations_per_s * 0.1;
    CHECK(1 - result.waiting >= of_time * 0.999);
    CHECK(1 - result.waiting <= of_time * 4);
    CHECK(load_of(result, "worker computing") == 1 - result.waiting);
  }
  setup.straggling = 0;
  CHECK(simulate_scale(setup).waiting < 0.1);
  setup.target_loss = 0.9;  // that the first iteration has
  const ScaleResult early = simulate_scale(setup);
  CHECK(early.samples_per_s > 0);
  CHECK(early.seconds_to_loss < early.seconds);
  setup.cancelled = [] { return true; };
  CHECK_THROWS_AS(simulate_scale(setup), CancelledError);
}

TEST_CASE("scale: what cannot be is refused; a loss that is no number reaches no target", "[one_thread]") {
  ScaleSetup setup = small_setup();
  setup.workers = 1001;  // an iteration has 1000 samples
  CHECK_THROWS_AS(simulate_scale(setup), UsageError);
  setup = small_setup();
  setup.servers = 1001;
  CHECK_THROWS_AS(simulate_scale(setup), UsageError);
  ScaleSetup wild = small_setup();
  wild.learning_rate = 1e308;
  wild.target_loss = 0.5;
  const ScaleResult result = simulate_scale(wild);
  CHECK(std::isnan(result.loss));
  CHECK(result.seconds_to_loss == -1);
}
