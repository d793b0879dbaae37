#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "builder.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline pipeline {
namespace {

constexpr std::string_view kLetters = "FBIW";  // by StepPass::Kind

std::optional<StepPass> read_pass(std::string_view word) {
  const size_t letter = word.empty() ? std::string_view::npos : kLetters.find(word.front());
  if (letter == std::string_view::npos) return std::nullopt;
  const size_t dot = std::min(word.find('.'), word.size());
  const auto micro = read_number<int64_t>(word.substr(1, dot - 1));
  const auto chunk = dot == word.size() ? std::optional(0) : read_number<int>(word.substr(dot + 1));
  if (!micro || !chunk || *micro < 0 || *chunk < 0) return std::nullopt;
  return StepPass{static_cast<StepPass::Kind>(letter), *micro, *chunk};
}

// (stage) UsageError for what is no pass.
std::vector<StepSchedule> read_stages(const std::string& text) {
  std::vector<StepSchedule> stages;
  for (const std::string_view lane : split(text, "/")) {
    StepSchedule& passes = stages.emplace_back();
    for (const std::string_view word : split(lane, " \t\n")) {
      if (word.empty()) continue;
      const auto pass = read_pass(word);
      if (!pass)
        throw UsageError(
            "stage {}: {} is no pass; they are F, B, I or W with the number of a micro-batch, "
            "and the chunk behind a dot: F0, B12, F3.1",
            stages.size() - 1, as_typed(word));
      passes.push_back(*pass);
    }
  }
  return stages;
}

std::string in_list(const PipelineSchedule& schedule, int stage, const StepPass& pass) {
  return fmt::format("stage {}: {}", stage, text_of(pass, schedule.chunks));
}

void require_range(const PipelineSchedule& schedule, int stage, const StepPass& pass) {
  if (pass.micro < 0 || pass.micro >= schedule.micro_batches)
    throw UsageError("{} is of micro-batch {}, and there are 0 to {} (m={})", in_list(schedule, stage, pass),
                     pass.micro, schedule.micro_batches - 1, schedule.micro_batches);
  if (pass.chunk < 0 || pass.chunk >= schedule.chunks)
    throw UsageError("{} is of chunk {}, and there are 0 to {} (v={})", in_list(schedule, stage, pass),
                     pass.chunk, schedule.chunks - 1, schedule.chunks);
}

// Which kinds are there, as bits, of one micro-batch and chunk.
void require_kinds(const PipelineSchedule& schedule, int stage, int64_t micro, int chunk, unsigned kinds) {
  const auto has = [&](StepPass::Kind kind) { return (kinds >> kind & 1U) != 0; };
  const auto complain = [&](StepPass::Kind kind, const std::string& what) {
    throw UsageError(in_list(schedule, stage, {kind, micro, chunk}) + what);
  };
  if (!has(StepPass::kForward)) complain(StepPass::kForward, " is missing");
  const bool input = has(StepPass::kBackwardInput), weight = has(StepPass::kBackwardWeight);
  if (has(StepPass::kBackward) && (input || weight))
    complain(input ? StepPass::kBackwardInput : StepPass::kBackwardWeight,
             " is a half of a backward that is there whole, as B, too");
  if (has(StepPass::kBackward) || (input && weight)) return;
  if (!input && !weight) complain(StepPass::kBackward, " is missing (or I and W, its halves)");
  complain(input ? StepPass::kBackwardWeight : StepPass::kBackwardInput,
           fmt::format(" is missing, the other half of {}", input ? "I" : "W"));
}

void require_complete_stage(const PipelineSchedule& schedule, int stage) {
  const auto chunks = size_t(schedule.chunks);
  std::vector<unsigned> kinds(size_t(schedule.micro_batches) * chunks, 0);  // (micro, chunk)
  for (const StepPass& pass : schedule.of_stage[size_t(stage)]) {
    require_range(schedule, stage, pass);
    unsigned& seen = kinds[size_t(pass.micro) * chunks + size_t(pass.chunk)];
    if ((seen >> pass.kind & 1U) != 0) throw UsageError(in_list(schedule, stage, pass) + " is there twice");
    seen |= 1U << pass.kind;
  }
  for (size_t i = 0; i < kinds.size(); ++i)
    require_kinds(schedule, stage, int64_t(i / chunks), int(i % chunks), kinds[i]);
}

}  // namespace

std::string text_of(const StepPass& pass, int chunks) {
  const std::string text = kLetters[pass.kind] + std::to_string(pass.micro);
  return chunks == 1 && pass.chunk == 0 ? text : text + "." + std::to_string(pass.chunk);
}

std::string text_of(const PipelineSchedule& schedule) {
  std::string text;
  for (const StepSchedule& passes : schedule.of_stage) {
    if (!text.empty()) text += " / ";
    for (size_t i = 0; i < passes.size(); ++i)
      text += (i == 0 ? "" : " ") + text_of(passes[i], schedule.chunks);
  }
  return text;
}

TypedSizes sizes_of(const std::string& text) {
  if (text.find_first_of("/ ") == std::string::npos && !read_pass(text)) return {};  // a name
  TypedSizes sizes;
  for (const StepSchedule& passes : read_stages(text)) {
    ++sizes.stages;
    for (const StepPass& pass : passes) {
      sizes.micro_batches = std::max(sizes.micro_batches, pass.micro + 1);
      sizes.chunks = std::max(sizes.chunks, pass.chunk + 1);
    }
  }
  return sizes;
}

void require_complete(const PipelineSchedule& schedule) {
  if (std::ssize(schedule.of_stage) != schedule.stages)
    throw UsageError("the schedule has the passes of {} stages, and p={}: a stage stands behind each '/'",
                     schedule.of_stage.size(), schedule.stages);
  for (int stage = 0; stage < schedule.stages; ++stage) require_complete_stage(schedule, stage);
}

PipelineSchedule typed_schedule(const std::string& text, int p, int64_t m, int v, ChunkOrder order) {
  PipelineSchedule schedule{.name = "own",
                            .stages = p,
                            .micro_batches = m,
                            .chunks = v,
                            .order = order,
                            .of_stage = read_stages(text)};
  require_complete(schedule);
  return schedule;
}

}  // namespace ringside::inline pipeline
