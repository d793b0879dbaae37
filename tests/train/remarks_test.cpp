// What a training says that cannot go well, or that does not do what was meant.
#include "catch.h"
#include "check_text.h"
#include "ringside/comm/errors.h"
#include "ringside/nn/classifier.h"
#include "ringside/trace/training_rows.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Remark = TrainingRemark;

// A classifier whose rank 1 does something else to its logits in step 1.
class OddInStep1 final : public Model {
 public:
  using Change = std::function<at::Tensor(const at::Tensor& logits, ParameterSet& parameters)>;
  OddInStep1(const TrainerConfig& config, int rank, Change change)
      : model_(config.model, config.max_tokens), rank_(rank), change_(std::move(change)) {}
  ParameterSet& parameters() override { return model_.parameters(); }
  Buffers& buffers() override { return model_.buffers(); }
  ModelOutput forward(const Batch& batch, const Context& context) override {
    ModelOutput output = model_.forward(batch, context);
    if (rank_ == 1 && step_++ == 1) output.logits = change_(output.logits, model_.parameters());
    return output;
  }

 private:
  Classifier model_;
  int rank_, step_ = 0;
  Change change_;
};

TrainerConfig odd_config(int stage, OddInStep1::Change change) {
  TrainerConfig config = tiny_config(2, stage);
  config.make_model = [config, change](int rank) {
    return std::make_unique<OddInStep1>(config, rank, change);
  };
  return config;
}

// Adds 0, and NaN to the gradient of one parameter.
OddInStep1::Change nan_gradient(const std::string& name) {
  return [name](const at::Tensor& logits, ParameterSet& parameters) {
    return logits + (parameters[name].sum() * 0).sqrt();
  };
}

struct Said {
  std::vector<Remark> remarks;
  std::string error;

  std::vector<Remark> about(const std::string& what) const {
    std::vector<Remark> found;
    std::copy_if(remarks.begin(), remarks.end(), std::back_inserter(found),
                 [&](const Remark& remark) { return remark.about == what; });
    return found;
  }
};

Said say(const TrainerConfig& config) {
  const auto store = TraceStore::create("test");
  Said said;
  try {
    train(config, tiny_data(), *store, "run");
  } catch (const Error& error) {
    said.error = error.what();
  }
  const Trace trace = store->snapshot();
  if (const SectionView* section = trace.find("run")) said.remarks = rows_as<Remark>(*section);
  return said;
}

}  // namespace

TEST_CASE("a training that goes well says nothing") {
  for (const int stage : {0, 1, 2, 3}) CHECK(say(tiny_config(2, stage)).remarks.empty());
}

TEST_CASE("with a learning rate of 0 nothing changes, and it says so") {
  TrainerConfig config = tiny_config(2, 1);
  config.learning_rate = 0;
  const Said said = say(config);
  REQUIRE(said.remarks.size() == 1);
  CHECK(said.remarks[0].text == "The learning rate is 0: no step changes a parameter.");
  for (const double refused : {-0.1, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    config.learning_rate = refused;
    CHECK(lacks(say(config).error, {"learning_rate=", "allowed is 0 or more"}) == "");
  }
}

TEST_CASE("frozen parameters are counted, and the first is named") {
  for (const int stage : {0, 3}) {
    TrainerConfig config = tiny_config(2, stage);
    config.model.freeze_embedding = true;
    const Said said = say(config);
    REQUIRE(said.remarks.size() == 1);
    CHECK(said.remarks[0].parameter == "model.embed_tokens.weight");
    CHECK(lacks(said.remarks[0].text, {"1 of ", "is frozen, 3,108 of ", "no update"}) == "");
  }
}

TEST_CASE("a parameter that backward does not reach is named, with rank and step") {
  const auto bias_only = [](const at::Tensor& logits, ParameterSet& parameters) {
    return logits.detach() + parameters["score.bias"];
  };
  for (const int stage : {0, 1}) {
    const Said said = say(odd_config(stage, bias_only));
    CHECK(said.error == "");
    const std::vector<Remark> missing = said.about(Remark::kNoGradient);
    CHECK(missing.size() == declare_classifier(tiny_config(2, stage).model).shapes().size() - 1);
    REQUIRE(!missing.empty());
    CHECK(missing.size() == said.remarks.size());
    CHECK(missing[0].step == 1);
    CHECK(missing[0].text.starts_with(
        "In step 1 backward gave rank 1 no gradient for model.embed_tokens.weight: it counts as zero"));
  }
}

TEST_CASE("a rank without elements is named, with the bucket that is too small") {
  TrainerConfig config = tiny_config(8, 2);  // the last parameter has 3 elements
  config.bucket_elements = 1;
  const std::vector<Remark> empty = say(config).about(Remark::kEmptyShard);
  REQUIRE(empty.size() == 5);  // ranks 3 to 7
  CHECK(lacks(empty[0].text,
              {"Rank 3 owns no element of 1 of ", "with score.bias, has 3 elements for 8 ranks"}) == "");
  config.stage = 0;
  CHECK(say(config).remarks.empty());
}

TEST_CASE("the first gradient that is not finite is named, with step, rank and the loss until then") {
  for (const int stage : {0, 2}) {
    TrainerConfig config = odd_config(stage, nan_gradient("model.norm.weight"));
    const Said said = say(config);
    CHECK(lacks(said.error, {"rank 1's own input is not finite",
                             "In step 1 rank 1's gradient of model.norm.weight is not finite, "
                             "before any other; the loss was 1.",
                             " in step 0."}) == "");
    REQUIRE(said.remarks.size() == 1);
    CHECK(said.remarks[0].parameter == "model.norm.weight");
    config.check = false;
    const Said silent = say(config);
    CHECK(silent.remarks.empty());
    CHECK(lacks(silent.error, {"step 1: the loss is 1.", "gradient norm nan", "the loss was 1.", " in step 0",
                               "check=on looks"}) == "");
  }
}

TEST_CASE("a loss that is not finite is named before the gradients that follow from it") {
  const Said said = say(odd_config(1, [](const at::Tensor& logits, ParameterSet&) { return logits / 0; }));
  CHECK(lacks(said.error, {"In step 1 rank 1's loss is nan, before any other"}) == "");
}

TEST_CASE("a loss that rises is told with its figures, before it leaves the finite numbers") {
  TrainerConfig config = tiny_config(2, 1);
  config.learning_rate = 30;
  config.steps = 12;
  const Said said = say(config);
  const std::vector<Remark> diverged = said.about(Remark::kLoss);
  REQUIRE(diverged.size() == 1);
  CHECK(lacks(diverged[0].text, {"The loss is more than twice as high as at first: the loss was ", " and 1.",
                                 " in step 0.", "take a lower learning rate than 30"}) == "");
}
