// A training that is cut and goes on from its checkpoint has the bits of one that was not; on another mesh,
// stage or number of ranks it has what a direct import gives.
#include <fmt/format.h>

#include <map>

#include "catch.h"
#include "check_text.h"
#include "resumable.h"
#include "ringside/base/error.h"
#include "ringside/trace/training_rows.h"
#include "tiny_texts.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Everything that the ranks hold at the end, in hashes.
std::string state_of(const Audit& run) {
  const Trace trace = run.store->snapshot();
  std::string text;
  for (const RowEvent* event : trace.find("run")->rows_of(TensorHash::kTable)) {
    const TensorHash row = *row_as<TensorHash>(*event);
    if (row.category != "gradients")
      text += fmt::format("{} {} {} {}\n", event->rank, row.category, row.tensor, row.hash);
  }
  return text;
}

Audit cut_at(const TrainingConfig& config, const std::shared_ptr<const Task>& task, int64_t steps) {
  RunControl control;
  TrainerHooks hooks;
  hooks.control = &control;
  hooks.on_step = [&](int64_t step) {
    if (step + 1 == steps) control.cancel();
  };
  return audit(config, task, hooks);
}

void check_same(const Audit& parts, const Audit& whole) {
  CHECK(parts.ledger_problem() == "");
  CHECK(parts.result.ranks_agree);
  CHECK(parts.result.complete);
  CHECK(parts.result.parameters_sha256 == whole.result.parameters_sha256);
  CHECK(parts.result.own_buffers_sha256 == whole.result.own_buffers_sha256);
  CHECK(parts.result.evaluation_loss == whole.result.evaluation_loss);
  const int64_t first = parts.result.interruption.resumed_at;
  CHECK((parts.result.loss == std::vector(whole.result.loss.begin() + first, whole.result.loss.end())));
  const auto norms = std::span(whole.result.gradient_norm);  // none without clipping
  CHECK(std::ranges::equal(parts.result.gradient_norm,
                           norms.last(std::min(norms.size(), norms.size() - size_t(first)))));
}

// 6 steps at once, and 3 and 3.
void check_resumed(const TrainerConfig& config, const std::shared_ptr<const Task>& task) {
  INFO(describe(config));
  const TempFolder folder;
  const Audit whole = audit(config, task);
  const Audit first = cut_at(saved_in(config, folder, false), task, kCut);
  CHECK(first.ledger_problem() == "");
  CHECK(first.result.parameters_sha256 != whole.result.parameters_sha256);
  const Audit second = audit(saved_in(config, folder, true), task);
  CHECK(second.result.interruption.resumed_at == kCut);
  check_same(second, whole);
  CHECK((state_of(second) == state_of(whole)));
}
void check_resumed(const TrainerConfig& config, const Dataset& data) {
  check_resumed(config, classifier_task(config, data));
}

}  // namespace

// Stages 1 to 3 in bf16 are those of "every optimizer", the other stages of tp and pp those of dropout.
TEST_CASE("6 steps are 3 and 3 steps: stages 0 to 3 in fp32, tp and pp in bf16") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 1, 2, 3}) check_resumed(resumable(kPlain, stage), data);
  for (const int stage : {2, 3}) check_resumed(resumable(kTensor, stage, Precision::kBFloat16), data);
  check_resumed(resumable(kPipe, 1, Precision::kBFloat16), data);
}

TEST_CASE("6 steps are 3 and 3 steps: every optimizer") {
  const Dataset data = tiny_data();
  int stage = 0;
  for (const OptimizerSpec& spec : optimizer_specs()) {
    TrainerConfig config = resumable(kPlain, 0, Precision::kBFloat16, spec.name);
    config.model.layers = 1;
    if (make_optimizer(config.optimizer).can_be_cut()) config.stage = 1 + stage++ % 3;
    check_resumed(config, data);
  }
}

TEST_CASE(
    "6 steps are 3 and 3 steps: replicas, running statistics of each rank, a tied embedding over stages") {
  const Dataset data = tiny_data();
  TrainerConfig replicas = resumable({"dp4", 4}, 2);
  replicas.replicas = 2;
  check_resumed(replicas, data);
  TrainerConfig norm = resumable(kPlain, 1);
  norm.model.norm = NormKind::kBatch;
  check_resumed(norm, data);
  const TrainerConfig tied = resumable(kPipe, 1);
  check_resumed(tied, next_tokens(tied, true));
}

TEST_CASE("6 steps are 3 and 3 steps: dropout, on any mesh, recomputed, saved beside the steps") {
  const Dataset data = tiny_data();
  for (const Where& where : {kPlain, kTensor, kPipe})
    for (const bool beside : {false, true}) {
      TrainerConfig config = resumable(where, beside ? 1 : 0);
      config.model.dropout = 0.2;
      config.recompute = !beside && where.mesh != kPipe.mesh;
      config.sequence = beside && where.mesh == kTensor.mesh;
      config.checkpoint.asynchronous = beside;
      check_resumed(config, data);
    }
}

TEST_CASE("dropout has the bits of one process, at every stage and mesh") {
  const Dataset data = tiny_data();
  TrainerConfig config = resumable(kPlain, 0);
  config.model.dropout = 0.2, config.accumulate = 1;
  for (const Where& where : {kPlain, kTensor})
    for (const int stage : {0, 1, 2, 3}) {
      config.mesh = where.mesh, config.ranks = where.ranks, config.stage = stage;
      check_bits(config, data, reference_bits(config, data));
    }
}

TEST_CASE("what a resumed run leaves out, and nothing else, is other than it would have been") {
  const Dataset data = tiny_data();
  TrainerConfig config = resumable(kPlain, 1, Precision::kBFloat16);
  config.model.norm = NormKind::kBatch, config.model.dropout = 0.2;
  const auto task = classifier_task(config, data);
  const Audit whole = audit(config, task);
  const TempFolder folder;
  cut_at(saved_in(config, folder, false), task, kCut);
  double first_rate = 0;
  const auto resumed = [&](std::vector<LeftOut> left_out) {
    const TempFolder copy;
    std::filesystem::copy(folder.path, copy.path, std::filesystem::copy_options::recursive);
    TrainerConfig again = saved_in(config, copy, true);
    again.checkpoint.left_out = std::move(left_out);
    TrainerHooks hooks;
    hooks.on_metrics = [&](const StepMetrics& of) {
      if (of.step == kCut) first_rate = of.learning_rate;
    };
    Audit run = audit(again, task, hooks);
    CHECK(run.ledger_problem() == "");
    return run;
  };
  check_same(resumed({}), whole);
  const double first_loss = whole.result.loss[kCut];
  for (const LeftOut what : {LeftOut::kSampler, LeftOut::kRandomState, LeftOut::kMoments, LeftOut::kStepCount,
                             LeftOut::kSchedule, LeftOut::kMasters}) {
    INFO("left out: " << static_cast<int>(what));
    const Audit run = resumed({what});
    CHECK(run.result.parameters_sha256 != whole.result.parameters_sha256);
    const bool at_once = what == LeftOut::kSampler || what == LeftOut::kRandomState;
    CHECK((run.result.loss[0] != first_loss) == at_once);
    CHECK(first_rate == config.learning_rate_at(what == LeftOut::kSchedule ? 0 : kCut));
  }
  // No gradient reads them: the same training, and other evaluations.
  const Audit run = resumed({LeftOut::kStatistics});
  CHECK(run.result.parameters_sha256 == whole.result.parameters_sha256);
  CHECK(run.result.own_buffers_sha256 != whole.result.own_buffers_sha256);
  CHECK(run.result.evaluation_loss != whole.result.evaluation_loss);
}

TEST_CASE(
    "a run that no shape tells from another model's, or that asks for fewer steps, is refused by name") {
  const Dataset data = tiny_data();
  const TempFolder folder;
  const TrainerConfig config = saved_in(resumable(kPlain, 1), folder, true);
  audit(config, data);
  const auto refused = [](const TrainerConfig& other, const Dataset& with) {
    return message_of<Error>([&] { audit(other, with); });
  };
  TrainerConfig other = config;
  other.model.heads = other.model.kv_heads = 3;
  CHECK(lacks(refused(other, data), {"saved with heads=2, this run has heads=3"}) == "");
  other = config, other.model.norm_eps = 1e-3;
  CHECK(lacks(refused(other, data), {"norm=pre rms, eps 1e-06", "eps 0.001"}) == "");
  other = config, other.steps = kAllSteps - 1;
  CHECK(lacks(refused(other, data), {"6 steps were taken", "steps=5", "steps=6 or more"}) == "");
  Dataset renamed = data;
  renamed.classes[0] = "another", renamed.sha256 = dataset_sha256(renamed);
  CHECK(lacks(refused(config, renamed), {"saved with data=" + data.sha256.substr(0, 16)}) == "");
  CHECK(audit(config, data).result.interruption.resumed_at == kAllSteps);
}

TEST_CASE("a rank that is killed: the next run goes on from the last checkpoint, the same bits") {
  const Dataset data = tiny_data();
  const TrainerConfig config = resumable(kPlain, 2);
  const auto task = classifier_task(config, data);
  const Audit whole = audit(config, task);
  for (const int64_t killed : {kCut - 2, kCut - 1, kCut, kAllSteps - 1}) {
    INFO("killed in step " << killed);
    const TempFolder folder;
    TrainerHooks hooks;
    hooks.on_step = [&](int64_t step) {
      if (step == killed) throw InputError("killed");
    };
    CHECK(message_of<Error>([&] { audit(saved_in(config, folder, true), task, hooks); }) != "no error");
    const Audit again = audit(saved_in(config, folder, true), task);
    CHECK(again.result.interruption.resumed_at == (killed + 1) / kCut * kCut);
    check_same(again, whole);
  }
}

TEST_CASE("a run goes on under another stage with the bits of one that did not change") {
  const Dataset data = tiny_data();
  TrainerConfig config = resumable({"dp3", 3}, 0);
  config.accumulate = 1;  // else stages 2 and 3 add up in another order
  const auto task = classifier_task(config, data);
  const Audit whole = audit(config, task);
  for (const auto& [from, to] : {std::pair{0, 3}, {3, 1}, {1, 2}, {2, 0}}) {
    INFO("stage " << from << " into " << to);
    const TempFolder folder;
    TrainerConfig before = config, after = config;
    before.stage = from, after.stage = to;
    cut_at(saved_in(before, folder, false), task, kCut);
    check_same(audit(saved_in(after, folder, true), task), whole);
  }
}

namespace {

// Two checkpoints, of steps 3 and 6.
void fill(const TempFolder& folder, const TrainerConfig& config, const Dataset& data) {
  audit(saved_in(config, folder, false), data);
}

std::string resume_error(const TempFolder& folder, const TrainerConfig& config, const Dataset& data,
                         bool resume = true) {
  return message_of<Error>([&] { audit(saved_in(config, folder, resume), data); });
}

void flip_a_byte(const TempFolder& folder, const std::string& file) {
  std::string bytes = folder.read(file);
  bytes[bytes.size() / 2] ^= 1;
  folder.write(file, bytes);
}

}  // namespace

TEST_CASE("what a run cannot resume from is named; a torn checkpoint is passed over for the one before") {
  const Dataset data = tiny_data();
  const TempFolder folder;
  const TrainerConfig config = resumable(kPlain, 1);
  fill(folder, config, data);
  CHECK(lacks(resume_error(folder, config, data, false), {"has checkpoints of another run"}) == "");
  const auto refused = [&](const std::string& what, const std::function<void(TrainerConfig&)>& change) {
    TrainerConfig other = config;
    change(other);
    CHECK(lacks(resume_error(folder, other, data), {what}) == "");
  };
  refused("precision=fp32, this run has precision=bf16",
          [](TrainerConfig& other) { other.precision = Precision::kBFloat16; });
  refused("optimizer=adamw, this run has optimizer=sgd",
          [](TrainerConfig& other) { other.optimizer.name = "sgd"; });
  refused("this run has optimizer values=",
          [](TrainerConfig& other) { other.optimizer.values["beta1"] = 0.8; });
  refused("seed=7, this run has seed=8", [](TrainerConfig& other) { other.seed = 8; });
  refused("batch=5, this run has batch=6", [](TrainerConfig& other) { other.batch = 6; });
  refused("another model", [](TrainerConfig& other) { other.model.intermediate = 16; });
  refused("another model", [](TrainerConfig& other) { other.model.layers = 3; });

  flip_a_byte(folder, "run/step-000006/rank-1.bin");
  const Audit again = audit(saved_in(config, folder, true), data);
  CHECK(again.result.interruption.resumed_at == kCut);
  CHECK(again.ledger_problem() == "");
  CHECK(resume_error(folder, config, data) == "no error");  // the torn one was replaced
  flip_a_byte(folder, "run/step-000006/manifest.json");
  flip_a_byte(folder, "run/step-000003/rank-0.bin");
  CHECK(lacks(resume_error(folder, config, data), {"none of 2 checkpoints is whole", "step-000006"}) == "");
}

TEST_CASE("a checkpoint takes each element once, though all ranks of stage 0 have it") {
  const Dataset data = tiny_data();
  std::map<int, std::uintmax_t> bytes;
  for (const int stage : {0, 3}) {
    const TempFolder folder;
    fill(folder, resumable(kPlain, stage), data);
    for (int rank = 0; rank < 2; ++rank)
      bytes[stage] +=
          std::filesystem::file_size(folder.path / fmt::format("run/step-000006/rank-{}.bin", rank));
  }
  CHECK(bytes[0] == bytes[3]);
}
