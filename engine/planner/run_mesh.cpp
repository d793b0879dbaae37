#include "ringside/planner/run_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ringside/base/error.h"

namespace ringside::inline planner {
namespace {

constexpr std::string_view kData = "dp", kReplica = "replica", kShard = "shard";

bool is_model(const MeshDimension& one) { return std::ranges::count(data_dimensions(), one.name) == 0; }

void check_cuts(const Mesh& mesh, const std::vector<ParameterShape>& whole) {
  std::set<std::string> cut_over;
  for (const ParameterShape& shape : whole)
    for (const Cut& cut : shape.cuts) cut_over.insert(cut.over);
  for (const MeshDimension& one : mesh.dimensions())
    if (is_model(one) && one.size > 1 && !cut_over.contains(one.name))
      throw UsageError("mesh={}: no parameter of the model is cut over {}; allowed are dp{}{}", mesh.text(),
                       one.name, cut_over.empty() ? "" : " and ", fmt::join(cut_over, " and "));
}

// Of each place among those that hold one copy, one rank.
std::vector<ModelPlace> places_of(const Mesh& mesh) {
  std::vector<ModelPlace> places;
  for (int rank = 0; rank < mesh.ranks(); ++rank)
    if (mesh.place(rank, data_dimensions()) == 0) places.push_back(model_place(mesh, rank));
  return places;
}

}  // namespace

void check_replicas(int data_ranks, const Distribution& d) {
  if (d.replicas < 1 || data_ranks % d.replicas != 0)
    throw UsageError("replicas={}: it must divide {}={}", d.replicas, d.mesh.empty() ? "ranks" : "dp",
                     data_ranks);
  if (d.stage == 0 && d.replicas != 1)
    throw UsageError(
        "replicas={} with stage=0: it cuts nothing, so that every rank has all; allowed are "
        "stages 1 to 3, or replicas=1",
        d.replicas);
}

Mesh mesh_of_run(int ranks, const Distribution& distribution) {
  const Mesh given =
      distribution.mesh.empty() ? Mesh({{std::string(kData), ranks}}) : Mesh::parse(distribution.mesh, ranks);
  std::vector<MeshDimension> dimensions;
  for (const MeshDimension& one : given.dimensions()) {
    if (one.name == kReplica || one.name == kShard)
      throw UsageError("mesh={}: {} is made of dp, by replicas=2 or more", distribution.mesh, one.name);
    if (one.name != kData || distribution.replicas == 1) {
      dimensions.push_back(one);
      continue;
    }
    check_replicas(one.size, distribution);
    const auto replicas = int(distribution.replicas);
    dimensions.push_back({std::string(kReplica), replicas});
    dimensions.push_back({std::string(kShard), one.size / replicas});
  }
  return Mesh(dimensions);
}

Mesh mesh_of_run(int ranks, const Distribution& distribution, const std::vector<ParameterShape>& whole) {
  Mesh mesh = mesh_of_run(ranks, distribution);
  check_cuts(mesh, whole);
  return mesh;
}

Dimensions data_dimensions() { return {kData, kReplica, kShard}; }
Dimensions result_dimensions() { return {kPipeline, kData, kReplica, kShard}; }
Dimensions shard_dimensions() { return {kData, kShard}; }

Dimensions model_dimensions(const Mesh& mesh) {
  Dimensions dimensions;
  for (const MeshDimension& one : mesh.dimensions())
    if (is_model(one)) dimensions.push_back(one.name);
  return dimensions;
}

Dimensions copy_dimensions(const Mesh& mesh, int stage) {
  Dimensions dimensions = model_dimensions(mesh);
  if (stage == 0) return dimensions;  // every rank of dp owns all that it has
  for (const std::string_view one : shard_dimensions())
    if (mesh.has(one)) dimensions.push_back(one);
  return dimensions;
}

ModelPlace model_place(const Mesh& mesh, int rank) {
  ModelPlace place;
  for (const MeshDimension& one : mesh.dimensions())
    if (is_model(one)) place.push_back({one.name, one.size, mesh.coordinate(rank, one.name)});
  return place;
}

std::vector<int> ranks_that_tie(const Mesh& mesh, int rank, const std::vector<ParameterShape>& whole) {
  std::vector<int> ranks;
  for (const int other : mesh.group(rank, {kPipeline})) {
    const ModelPlace place = model_place(mesh, other);
    if (std::ranges::any_of(whole, [&](const ParameterShape& shape) {
          return !shape.tied_to.empty() && part_of(shape, place).numel() > 0;
        }))
      ranks.push_back(other);
  }
  const bool own = std::ranges::count(ranks, rank) > 0;
  return own && ranks.size() > 1 ? ranks : std::vector<int>();
}

MeanHeld mean_held(const std::vector<ParameterShape>& whole, const Mesh& mesh) {
  MeanHeld held;
  const std::vector<ModelPlace> places = places_of(mesh);
  for (const ModelPlace& place : places)
    for (const ParameterShape& shape : whole)
      (shape.trainable ? held.trainable : held.frozen) += double(part_of(shape, place).numel());
  const auto count = double(places.size());
  return {held.trainable / count, held.frozen / count};
}

bool is_cut_over(const ParameterShape& whole, const Mesh& mesh) {
  return std::ranges::any_of(whole.cuts, [&](const Cut& cut) { return mesh.size(cut.over) > 1; });
}

int64_t longest_part(const ParameterShape& whole, const Mesh& mesh) {
  int64_t longest = 0;
  for (const ModelPlace& place : places_of(mesh)) longest = std::max(longest, part_of(whole, place).numel());
  return longest;
}

}  // namespace ringside::inline planner
