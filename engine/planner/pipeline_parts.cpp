#include "ringside/planner/pipeline_parts.h"

#include <numeric>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/pipeline/check.h"
#include "ringside/planner/run_mesh.h"

namespace ringside::inline planner {
namespace {

std::vector<int64_t> typed_layers(int64_t layers, int parts, const std::string& typed) {
  std::vector<int64_t> each;
  for (const std::string_view word : split(typed, ",")) {
    const auto count = read_number<int64_t>(word);
    if (!count || *count < 1 || *count > layers)
      throw UsageError(
          "part_layers={}: numbers of layers from 1 to {} are expected, with commas between them",
          as_typed(typed), layers);
    each.push_back(*count);
  }
  const int64_t sum = std::accumulate(each.begin(), each.end(), int64_t{0});
  if (std::ssize(each) != parts || sum != layers)
    throw UsageError("part_layers={}: {} parts with {} layers together; the model has {} parts and {} layers",
                     typed, each.size(), sum, parts, layers);
  return each;
}

std::vector<int64_t> even_layers(int64_t layers, int parts) {
  if (layers < parts)
    throw UsageError(
        "{} layers over {} parts of a pipeline: each needs one at least; allowed are at most {} "
        "parts, stages times chunks",
        layers, parts, layers);
  std::vector<int64_t> each(static_cast<size_t>(parts), layers / parts);
  for (int64_t part = 0; part < layers % parts; ++part) ++each[size_t(part)];
  return each;
}

void check_stage(const Distribution& d, int stages) {
  if (stages > 1 && d.stage >= 2)
    throw UsageError(
        "stage={} with pp{}: {} after each of the step's {} micro-batches, {} times the bytes; allowed are "
        "stages 0 and 1",
        d.stage, stages,
        d.stage == 2 ? "gradients would be reduced" : "parameters would be gathered and gradients reduced",
        d.accumulate, d.accumulate);
}

void predict_pipeline(const ClassifierConfig& model, const Distribution& distribution, const InCopy& in,
                      const ForwardedBlocks& blocks, RankRows& rows) {
  if (in.pp.size == 1) return;
  const int stage = in.pp.place;
  const PipelineSchedule schedule = schedule_of_run(distribution, in.pp.size);
  int64_t forward = 0, backward = 0;  // boundaries over which this stage sends
  for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
    const int part = schedule.part_of(stage, chunk);
    if (part + 1 < schedule.parts() && schedule.stage_of(part + 1) != stage) ++forward;
    if (part > 0 && schedule.stage_of(part - 1) != stage) ++backward;
  }
  const auto send = [&](const char* tag, const std::vector<TokenBlock>& sent, int64_t boundaries) {
    LedgerRow& row = rows.traffic(tag, Op::kSend);
    for (const TokenBlock& block : sent)
      *row.predicted += boundaries * elements_of_place(block, model, distribution, in.tp) *
                        size_of(dtype_of(distribution.precision));
  };
  send(kActivationsTag, blocks.trained, forward), send(kActivationsTag, blocks.held_out, forward);
  send(kActivationGradientsTag, blocks.trained, backward);
}

}  // namespace

std::vector<UnitRange> units_of_parts(int64_t layers, int parts, const std::string& part_layers) {
  const std::vector<int64_t> each =
      part_layers.empty() ? even_layers(layers, parts) : typed_layers(layers, parts, part_layers);
  std::vector<UnitRange> ranges;
  int next = 1;
  for (const int64_t count : each) {
    ranges.push_back({next, next + int(count)});
    next = ranges.back().end;
  }
  ranges.front().begin = 0, ++ranges.back().end;
  return ranges;
}

PipelineSchedule schedule_of_run(const Distribution& d, int stages) {
  if (stages == 1) {
    if (d.chunks != 1) throw UsageError("chunks={}: without pp in the mesh there is one", d.chunks);
    PipelineSchedule schedule;
    schedule.name = "one stage", schedule.micro_batches = d.accumulate;
    schedule.of_stage = {one_after_another(d.accumulate)};
    return schedule;
  }
  check_stage(d, stages);
  PipelineSchedule schedule = schedule_of(d.pipeline, stages, d.accumulate, int(d.chunks));
  if (const auto hang = find_hang(schedule, SendMode::kAsync))
    throw UsageError("pipeline={}: it would hang: {}", as_typed(d.pipeline), hang->sentence);
  return schedule;
}

void place_on_stages(ClassifierConfig& model, const Distribution& distribution, const Mesh& mesh) {
  const int stages = mesh.size(kPipeline);
  if (stages == 1) return;
  const PipelineSchedule schedule = schedule_of_run(distribution, stages);
  const std::vector<UnitRange> parts =
      units_of_parts(model.layers, schedule.parts(), distribution.part_layers);
  for (int part = 0; part < schedule.parts(); ++part)
    for (int unit = parts[size_t(part)].begin; unit < parts[size_t(part)].end; ++unit)
      model.stage_of_unit.push_back(schedule.stage_of(part));
}

void predict_copy(const ClassifierConfig& model, const Distribution& distribution, const InCopy& in,
                  const ForwardedBlocks& blocks, RankRows& rows) {
  predict_tensor_parallel(model, distribution, in.tp, in.pp.place, blocks.trained, blocks.held_out, rows);
  predict_pipeline(model, distribution, in, blocks, rows);
}

}  // namespace ringside::inline planner
