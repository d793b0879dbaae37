#include "checkpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "ringside/base/clock.h"
#include "ringside/base/random.h"
#include "ringside/checkpoint/file_system.h"
#include "ringside/comm/errors.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/planner/zero_plan.h"

namespace ringside::inline training {
namespace {

std::map<std::string, std::string> needs_of(const TrainingConfig& config, const Task& task) {
  const OptimizerConfig& optimizer = config.optimizer;
  std::string values;
  for (const auto& [name, value] : optimizer.values) values += fmt::format("{}={} ", name, value);
  for (const ParameterGroup& group : optimizer.groups) values += group.name + " ";
  std::map<std::string, std::string> needs = task.needs();
  needs.merge(std::map<std::string, std::string>{{"precision", std::string(to_string(config.precision))},
                                                 {"optimizer", optimizer.name},
                                                 {"optimizer values", values},
                                                 {"decay", std::string(to_string(optimizer.decay))},
                                                 {"seed", std::to_string(config.seed)},
                                                 {"batch", std::to_string(config.batch)},
                                                 {"accumulate", std::to_string(config.accumulate)},
                                                 {"samples", std::to_string(task.count(Split::kTrain))}});
  return needs;
}

Manifest about(const TrainingConfig& config, const RunGroups& groups, int64_t steps,
               const std::map<std::string, std::string>& needs) {
  Manifest about;
  about.step = steps;
  about.ranks = config.ranks;
  about.run = {{"mesh", groups.mesh.text()},
               {"stage", std::to_string(config.stage)},
               {"replicas", std::to_string(config.replicas)}};
  about.needs = needs;
  return about;
}

struct Word {  // of a rank, before the run goes on: kCheckpointBytes
  int64_t step = 0;
  uint64_t needs = 0;  // a mark of all that it needs
};
static_assert(sizeof(Word) == kCheckpointBytes);

FileSystem& disk_of(const CheckpointOptions& options) {
  return options.disk == nullptr ? disk() : *options.disk;
}

double ms_since(int64_t start_ns) { return double(now_ns() - start_ns) * 1e-6; }

uint64_t mark_of(const std::map<std::string, std::string>& needs) {
  std::string all;
  for (const auto& [key, value] : needs) all += key + "=" + value + "\n";
  return mix_seed(0, all);
}

}  // namespace

void check_checkpoints(const TrainingConfig& config, const Task& task) {
  const CheckpointOptions& options = config.checkpoint;
  if (options.every < 0 || options.keep < 0) throw UsageError("checkpoint: every and keep must be 0 or more");
  if (options.folder.empty()) {
    if (!options.best.empty())
      throw UsageError("checkpoint: the best is kept beside others: name their folder");
    if (options.resume) throw UsageError("checkpoint: resume needs the folder to resume from");
    return;
  }
  const int64_t together = task.steps_of_a_batch();
  if (config.steps % together != 0 || options.every % together != 0)
    throw UsageError(
        "checkpoint: steps={} and every={}: allowed are multiples of {}, for what this task keeps for so "
        "many steps is not saved",
        config.steps, options.every, together);
  prepare_folder(disk_of(options), options.folder);
  if (!options.best.empty()) prepare_folder(disk_of(options), options.best);
  if (!options.resume && !saved_steps(disk_of(options), options.folder).empty())
    throw CheckpointError(options.folder +
                          ": has checkpoints of another run: resume it, or take another folder");
}

RunCheckpoints::RunCheckpoints(const RankParts& rank)
    : rank_(rank), needs_(needs_of(rank.config, rank.task)) {}

int64_t RunCheckpoints::resume(EarlyStop& watch) {
  const CheckpointOptions& options = rank_.config.checkpoint;
  if (options.folder.empty() || !options.resume) return 0;
  Latest found = latest(disk_of(options), options.folder);
  if (!found.step && !found.refused.empty())
    throw CheckpointError("{}: none of {} checkpoints is whole; the newest: {}", options.folder,
                          found.refused.size(), found.refused.front());
  for (const std::string& why : found.refused) rank_.recorder.note("checkpoint refused: " + why);
  const int64_t step = smallest_of_all(found.step.value_or(0));
  if (step == 0) return 0;
  if (found.step != step) found.checkpoint.emplace(disk_of(options), options.folder, step);
  found.checkpoint->require(needs_);
  if (step > rank_.config.steps)
    throw CheckpointError("{}: {} steps were taken, and steps={} asks for fewer: steps={} or more",
                          options.folder, step, rank_.config.steps, step);
  load(*found.checkpoint);
  watch.restore(found.checkpoint->manifest().run);
  return saved_ = resumed_ = step;
}

int64_t RunCheckpoints::smallest_of_all(int64_t own) const {
  ProcessGroup& group = rank_.groups.all;
  const Word word{own, mark_of(needs_)};
  std::vector<Word> all(size_t(group.size()));
  group
      .all_gather({&word, kCheckpointBytes, Dtype::kUInt8},
                  {all.data(), group.size() * kCheckpointBytes, Dtype::kUInt8}, {kCheckpointTag, ""})
      ->wait();
  std::vector<int> without, differ;
  int64_t smallest = own;
  for (int place = 0; place < group.size(); ++place) {
    const Word& its = all[size_t(place)];
    smallest = std::min(smallest, its.step);
    if (its.step == 0) without.push_back(place);
    if (its.needs != all[0].needs) differ.push_back(place);
  }
  const std::string& folder = rank_.config.checkpoint.folder;
  if (!differ.empty())
    throw SharedError(ExitCode::kCheckpoint,
                      fmt::format("{}: ranks {} would go on with other settings than rank 0 "
                                  "(precision, optimizer, seed, batch, data): make them the same",
                                  folder, fmt::join(differ, ", ")));
  if (!without.empty() && std::ssize(without) < group.size())
    throw SharedError(ExitCode::kCheckpoint,
                      fmt::format("{}: ranks {} find no whole checkpoint there, others do: all need "
                                  "the same folder",
                                  folder, fmt::join(without, ", ")));
  return smallest;
}

void RunCheckpoints::load(const Checkpoint& checkpoint) {
  const SpanScope span(rank_.recorder, "load checkpoint", checkpoint.manifest().step);
  const StateOnDisk state(checkpoint);
  rank_.strategy.import_state([&](const StatePiece& piece) { fill(state, piece); });
  if (!leaves_out(rank_.config.checkpoint, LeftOut::kStatistics)) fill_buffers(state);
}

void RunCheckpoints::fill(const StateOnDisk& state, const StatePiece& piece) const {
  const CheckpointOptions& options = rank_.config.checkpoint;
  const bool is_master = piece.kind == kMasterState, is_moment = !is_master && piece.kind != kParameterState;
  if (is_moment && leaves_out(options, LeftOut::kMoments)) {
    piece.data.zero_();
    return;
  }
  state.fill(piece);
  if (is_master && leaves_out(options, LeftOut::kMasters)) piece.data.copy_(piece.data.to(at::kBFloat16));
}

void RunCheckpoints::fill_buffers(const StateOnDisk& state) const {
  const Buffers& buffers = rank_.model.buffers();
  for (size_t i = 0; i < buffers.names().size(); ++i) {
    const at::Tensor& tensor = buffers.tensors()[i];
    std::string kind = buffer_state(buffers.rank_local()[i] ? rank_.groups.data.rank() : 0);
    // On more ranks than before those that are new take the first one's.
    if (!state.has(buffers.names()[i], kind)) kind = buffer_state(0);
    state.fill({buffers.names()[i], kind, tensor.sizes().vec(), 0, tensor.numel(), tensor.view({-1})});
  }
}

StepNumbers RunCheckpoints::numbers(int64_t step) const {
  const auto seen = [&](LeftOut what) {
    return step - (leaves_out(rank_.config.checkpoint, what) ? resumed_ : 0);
  };
  return {seen(LeftOut::kSampler), seen(LeftOut::kRandomState), seen(LeftOut::kSchedule),
          seen(LeftOut::kStepCount)};
}

void RunCheckpoints::after_step(int64_t step, const EarlyStop& watch) {
  const CheckpointOptions& options = rank_.config.checkpoint;
  if (options.every > 0 && (step + 1) % options.every == 0) save_due(step + 1, watch);
}

void RunCheckpoints::at_the_end(int64_t steps, const EarlyStop& watch) {
  save_due(steps, watch);
  settle();
}

void RunCheckpoints::keep_best(int64_t steps, const EarlyStop& watch) {
  const std::string& folder = rank_.config.checkpoint.best;
  if (!folder.empty()) save(steps, {folder, 1, watch.state()});
}

void RunCheckpoints::save_due(int64_t steps, const EarlyStop& watch) {
  const CheckpointOptions& options = rank_.config.checkpoint;
  if (steps <= saved_ || options.folder.empty()) return;
  if (steps % rank_.task.steps_of_a_batch() != 0) return;  // an earlier one is there to go on from
  save(steps, {options.folder, options.keep, watch.state()});
  saved_ = steps;
}

void RunCheckpoints::save(int64_t steps, const Place& place) {
  const CheckpointOptions& options = rank_.config.checkpoint;
  const SpanScope span(rank_.recorder, "save checkpoint", steps - 1);
  const int64_t start = now_ns();
  settle();
  const auto pieces = [this](const auto& take) { for_each_piece(take); };
  CheckpointRow row{.step = steps};
  if (options.asynchronous) {
    copy_.take(pieces);
    row.copied = copy_.bytes(), row.held_up = ms_since(start);
    writing_ = std::async(std::launch::async, [this, row, place, start] { write_copy(row, place, start); });
    return;
  }
  const auto fill = [&](RankFile& file) {
    pieces([&](const StatePiece& piece) { pack(piece, std::bind_front(&RankFile::add, &file)); });
  };
  row.bytes = write(steps, place, fill, [this](const char* what) {
    rank_.groups.all.barrier({kCheckpointTag, what})->wait();
  });
  row.held_up = row.ms = ms_since(start);
  record_row(rank_.recorder, row);
}

// On the writing thread. It looks at its calls: what a rank waits in is its own thread's affair.
void RunCheckpoints::write_copy(CheckpointRow row, const Place& place, int64_t start_ns) const {
  ProcessGroup& writers = *rank_.groups.writers;
  const auto meet = [&](const char* what) {
    constexpr std::chrono::milliseconds kLook{1};
    const WorkPtr work = writers.barrier({kCheckpointTag, what});
    while (!work->done()) std::this_thread::sleep_for(kLook);
    work->wait();
  };
  try {
    row.bytes = write(
        row.step, place, [this](RankFile& file) { copy_.write_to(file); }, meet);
  } catch (...) {  // the others would wait for this one
    writers.abort(fmt::format("it has not written the checkpoint of step {}", row.step));
    throw;
  }
  row.ms = ms_since(start_ns);
  record_row(rank_.recorder, row);
}

int64_t RunCheckpoints::write(int64_t steps, const Place& place, const std::function<void(RankFile&)>& fill,
                              const Meet& meet) const {
  const CheckpointOptions& options = rank_.config.checkpoint;
  const int own = rank_.groups.all.rank();
  RankFile file(disk_of(options), place.folder, steps, own);
  fill(file);
  file.finish();
  meet("written");
  if (own == 0) {
    Manifest manifest = about(rank_.config, rank_.groups, steps, needs_);
    manifest.run.insert(place.watched.begin(), place.watched.end());
    publish(disk_of(options), place.folder, std::move(manifest), place.keep);
  }
  meet("published");
  return file.bytes();
}

void RunCheckpoints::settle() {
  if (writing_.valid()) writing_.get();
}

void RunCheckpoints::throw_own_error() {
  if (!writing_.valid() || writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  try {
    writing_.get();
  } catch (const PeerLostError&) {  // another rank's
  }
}

// What several ranks update alike, each under stage 0 and each group with replicas, they write in turns.
void RunCheckpoints::for_each_piece(const std::function<void(const StatePiece&)>& take) const {
  const RunGroups& groups = rank_.groups;
  const ProcessGroup* const alike = rank_.config.stage == 0 ? &groups.data : groups.between;
  int64_t turn = 0;
  rank_.strategy.export_state([&](const StatePiece& piece) {
    if (alike == nullptr || turn++ % alike->size() == alike->rank()) take(piece);
  });
  if (groups.model != nullptr && groups.model->rank() != 0) return;  // places have the same buffers
  const Buffers& buffers = rank_.model.buffers();
  for (size_t i = 0; i < buffers.names().size(); ++i) {
    const at::Tensor& tensor = buffers.tensors()[i];
    if (buffers.rank_local()[i] || groups.data.rank() == 0)
      take({buffers.names()[i], buffer_state(groups.data.rank()), tensor.sizes().vec(), 0, tensor.numel(),
            tensor.view({-1})});
  }
}

}  // namespace ringside::inline training
