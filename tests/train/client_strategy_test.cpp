// A Strategy of a client, with what it sends: local SGD. Ranks update by their own gradients, and average
// parameters every k steps. McMahan et al. 2017, arXiv:1602.05629.
#include "catch.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/planner/buckets.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

class LocalSgd final : public Strategy {
 public:
  LocalSgd(const StrategySetup& setup, int64_t every) : Strategy(setup), every_(every) {}
  void arrived(size_t parameter) override { buckets_.arrived(parameter); }
  // step() divides by the samples of all ranks, this one has its share of them.
  void ready(BucketStorage& bucket) override { bucket.gradients.mul_(group_.size()); }
  void backward_ended() override {}
  void share() override {
    if ((step_ + 1) % every_ != 0) return;
    for (BucketStorage& bucket : buckets_.trainable())
      bucket.work = group_.all_reduce(view_of(weights(bucket)), {"parameters", bucket.name});
    wait_for_buckets("wait for parameters");
    for (BucketStorage& bucket : buckets_.trainable()) {
      weights(bucket).div_(group_.size());
      bucket.parameters.copy_(weights(bucket));
    }
  }

 private:
  static at::Tensor weights(const BucketStorage& bucket) {
    return bucket.master.defined() ? bucket.master : bucket.parameters;
  }
  const int64_t every_;
};

class LocalSgdEvery final : public StrategyOfClient {
 public:
  explicit LocalSgdEvery(int64_t steps) : every_(steps) {}
  std::unique_ptr<Strategy> make(const StrategySetup& setup) const override {
    return std::make_unique<LocalSgd>(setup, every_);
  }
  void predict(const Distribution& distribution, const std::vector<ParameterShape>& shapes, int64_t steps,
               RankRows& rows) const override {
    for (const Bucket& bucket : make_buckets(shapes, distribution, rows.data().size))
      if (bucket.trainable) rows.all_reduce("parameters", steps / every_, bucket.numel, Dtype::kFloat32);
  }

 private:
  const int64_t every_;
};

}  // namespace

TEST_CASE("local SGD: every byte, and with an average a step what data parallelism does") {
  const Dataset data = tiny_data();
  for (const char* mesh : {"dp3", "dp2,tp2"}) {
    TrainerConfig config = tiny_config(mesh[2] == '3' ? 3 : 4, 0);
    config.model.kv_heads = 2, config.model.hidden = 16;
    config.mesh = mesh;
    config.batch = 12;
    config.steps = 12;
    config.evaluate_every = 4;
    config.clip_norm = 0;
    config.optimizer.name = "sgd";
    config.learning_rate = 0.1;
    const Audit usual = check_settled(config, data);
    config.strategy = std::make_shared<LocalSgdEvery>(1);
    const Audit each = check_settled(config, data);
    for (size_t step = 0; step < usual.result.loss.size(); ++step)
      CHECK(each.result.loss[step] == Approx(usual.result.loss[step]).epsilon(1e-5));
    for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
      config.precision = precision;
      config.strategy = std::make_shared<LocalSgdEvery>(4);
      const Audit rare = check_settled(config, data);
      CHECK(rare.result.loss.back() < rare.result.loss.front());
      CHECK(rare.result.loss != each.result.loss);
    }
  }
}
