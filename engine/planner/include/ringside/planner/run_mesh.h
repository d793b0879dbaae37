// The mesh of a run, and what its dimensions are for. Who adds a dimension that spreads samples adds it here;
// one that cuts the model is named by the cuts of its parameters (planner/declaration.h) and nowhere else.
//
//   dp               samples are spread over it, and ZeRO cuts a copy of the model over it
//   replica, shard   the same, where there are M = replicas copies: each group of n = N/M neighbours of dp
//   holds
//                    every shard. Gradients are summed inside the group, then between the ranks that hold the
//                    same shard. FSDP's HYBRID_SHARD; MiCS, Zhang et al. 2022, arXiv:2205.00119. (ZeRO++'s
//                    hpZ, arXiv:2306.10209, is another scheme: a second copy of the parameters alone.)
//   pp               stages of a pipeline: each has some units of the model (planner/pipeline_parts.h)
//   all others       the model's: their places hold one copy of the model together, and see the same samples
#pragma once

#include <cstdint>

#include <string_view>
#include <vector>

#include "ringside/base/mesh.h"
#include "ringside/planner/distribution.h"
#include "ringside/planner/parts.h"

namespace ringside::inline planner {

// The tag of the all-reduce between copies; what is summed inside one is "gradients".
inline constexpr char kGradientsBetween[] = "gradients between";
// Of the all-reduce between the places that have a tied parameter, of what each updates of it.
inline constexpr char kTiedGradients[] = "tied gradients";

// n, the ranks over which one copy is cut, of the N that samples are spread over.
inline int64_t shard_ranks(int64_t data_ranks, const Distribution& distribution) {
  return data_ranks / distribution.replicas;
}
// UsageError naming what is allowed: M divides N, and stage 0, which cuts nothing, has M = 1.
void check_replicas(int data_ranks, const Distribution& distribution);

using Dimensions = std::vector<std::string_view>;

// UsageError where the sizes are not those of `ranks`, replicas do not fit, or a dimension of the model
// is one that none of its parameters is cut over.
Mesh mesh_of_run(int ranks, const Distribution& distribution, const std::vector<ParameterShape>& whole);
Mesh mesh_of_run(int ranks, const Distribution& distribution);

inline constexpr char kPipeline[] = "pp";

Dimensions data_dimensions();    // each place of them has samples of its own
Dimensions result_dimensions();  // over which losses and scores are added up: of stages one has them
Dimensions shard_dimensions();   // over which a copy is cut by ZeRO
Dimensions model_dimensions(const Mesh& mesh);  // over which its parameters are cut
// Whose owned elements make up one copy of the model, each once.
Dimensions copy_dimensions(const Mesh& mesh, int stage);
ModelPlace model_place(const Mesh& mesh, int rank);
// Ranks with this rank's samples that have a parameter which is tied; this rank among them. Empty: it has
// none, or no other rank has.
std::vector<int> ranks_that_tie(const Mesh& mesh, int rank, const std::vector<ParameterShape>& whole);

// Elements that a rank has of the parameters, as ranks have them on average; all have as many where none is
// cut. UsageError where the sizes do not fit the mesh (part_of).
struct MeanHeld {
  double trainable = 0, frozen = 0;
};
MeanHeld mean_held(const std::vector<ParameterShape>& whole, const Mesh& mesh);

// The tag of the all-gathers that bring a parameter's parts together, for whom it is shown whole; each place
// sends as many elements as the longest part has.
inline constexpr char kWholeParameters[] = "whole parameters";
bool is_cut_over(const ParameterShape& whole, const Mesh& mesh);  // no place has all of it, or not every one
int64_t longest_part(const ParameterShape& whole, const Mesh& mesh);

}  // namespace ringside::inline planner
