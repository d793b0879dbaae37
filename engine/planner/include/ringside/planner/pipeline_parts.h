// A model cut over "pp", the stages of a pipeline: p stages with v parts of the model each, a part some
// neighbouring units. The first has the embedding, the last the head. Huang et al. 2019, GPipe,
// arXiv:1811.06965; v > 1: Narayanan et al. 2021, arXiv:2104.04473, section 2.2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ringside/base/mesh.h"
#include "ringside/pipeline/schedule.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/distribution.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/planner/run_rows.h"
#include "ringside/planner/tensor_parallel_rows.h"

namespace ringside::inline planner {

// Units of each part, in forward order: 0 is the embedding, 1 to L the layers, L+1 the head. part_layers:
// "3,5", or "" for parts as even as they can be, where the last ones have less. UsageError for another number
// of parts or layers, and for a part without a layer.
std::vector<UnitRange> units_of_parts(int64_t layers, int parts, const std::string& part_layers);

// Of a run over so many stages; over one each micro-batch is gone through after another. UsageError where the
// schedule does not take the sizes or would hang, or the stage of ZeRO makes no sense with it.
PipelineSchedule schedule_of_run(const Distribution& distribution, int stages);

// Fills in model.stage_of_unit where the mesh has pp.
void place_on_stages(ClassifierConfig& model, const Distribution& distribution, const Mesh& mesh);

struct InCopy {  // of a rank, among those that hold one copy of the model together
  InGroup tp, pp;
};
struct ForwardedBlocks {
  std::vector<TokenBlock> trained, held_out;
};
// What a place of a copy sends to the others of it: over tp (tensor_parallel_rows.h), and over pp B T H
// elements of activations, or of their gradients, at each boundary between parts on two stages, for each
// micro-batch. Evaluations send activations alone.
void predict_copy(const ClassifierConfig& model, const Distribution& distribution, const InCopy& in,
                  const ForwardedBlocks& blocks, RankRows& rows);

}  // namespace ringside::inline planner
