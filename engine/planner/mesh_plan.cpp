#include "ringside/planner/mesh_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "layer_time.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside::inline planner {
namespace {

constexpr int64_t kMostMicro = 32, kMostChunks = 8;

void check_setup(const MeshSetup& setup) {
  require_size("ranks", setup.ranks, kMostPlannedRanks);
  require_size("batch", setup.batch, int64_t{1} << 24);
  require_size("sequence", setup.tokens, int64_t{1} << 24);
  require_size("layers", setup.model.layers, kMostModelLayers);
  if (setup.model.heads % setup.model.kv_heads != 0)
    throw UsageError("heads={}: must be a multiple of kv_heads={}", setup.model.heads, setup.model.kv_heads);
}

bool wanted(int64_t asked, int64_t value) { return asked == 0 || asked == value; }

// Why no setting of this mesh can be: "", or the reason.
std::string mesh_refusal(const MeshSetup& setup, const MeshShape& shape) {
  const MeshModel& model = setup.model;
  const auto uneven = [&](const char* what, int64_t size) {
    return fmt::format("{} {} are not divisible by tp {}", what, size, shape.tp);
  };
  if (shape.tp > setup.gpu.node_ranks)
    return fmt::format("tp is more than the {} GPUs of a node", setup.gpu.node_ranks);
  if (model.heads % shape.tp != 0) return uneven("heads", model.heads);
  if (model.kv_heads % shape.tp != 0) return uneven("kv heads", model.kv_heads);
  if (model.intermediate % shape.tp != 0) return uneven("columns of the MLP", model.intermediate);
  if (shape.pp > model.layers) return fmt::format("pp is more than the {} layers", model.layers);
  if (!layers_divide(model.layers, shape.pp))
    return fmt::format("layers {} (or {}, with embedding and head) are not divisible by pp", model.layers,
                       model.layers + 2);
  if (setup.batch % shape.dp != 0)
    return fmt::format("a batch of {} {} is not divisible by dp", format_count(setup.batch),
                       setup.batch == 1 ? "sequence" : "sequences");
  return "";
}

class MeshWalk {
 public:
  MeshWalk(const MeshSetup& setup, const MeshSearch& search) : setup_(setup), search_(search) {}

  MeshPlan run() {
    for (const int64_t tp : divisors(setup_.ranks))
      for (const int64_t pp : divisors(setup_.ranks / tp)) {
        MeshShape shape{.dp = setup_.ranks / tp / pp, .tp = tp, .pp = pp};
        if (!wanted(search_.tp, tp) || !wanted(search_.pp, pp) || !wanted(search_.dp, shape.dp)) continue;
        ++plan_.meshes;
        if (const std::string reason = mesh_refusal(setup_, shape); !reason.empty())
          ++refused_[reason];
        else
          mesh(shape);
      }
    rank();
    refusals();
    return std::move(plan_);
  }

 private:
  void mesh(MeshShape shape) {
    best_.reset(), smallest_.reset();
    for (int64_t v = 1; v <= kMostChunks; ++v) {
      if (!wanted(search_.chunks, v) || (v > 1 && (shape.pp == 1 || search_.zero_bubble))) continue;
      if (!layers_divide(setup_.model.layers, shape.pp * v)) continue;
      shape.chunks = v;
      shape.zero_bubble = search_.zero_bubble && shape.pp > 1;
      for (int64_t b = 1; b <= kMostMicro; b *= 2)
        if (wanted(search_.micro, b) && setup_.batch / shape.dp % b == 0) {
          shape.micro = b;
          // With fewer micro-batches than stages interleaving has nothing to fill the bubble with.
          if (v == 1 || shape.micro_batches(setup_.batch) >= shape.pp) micro(shape);
        }
    }
    if (best_)
      plan_.best.push_back(*best_);
    else if (smallest_)
      too_large_.push_back(*smallest_);
  }

  void micro(MeshShape shape) {
    for (const bool sequence : search_.sequence) {
      if (sequence && (shape.tp == 1 || setup_.tokens % shape.tp != 0)) continue;
      for (const Recompute recompute : search_.recompute) {
        if (recompute == Recompute::kSelective && setup_.attention == AttentionKernel::kFlash) continue;
        shape.sequence = sequence, shape.recompute = recompute;
        // What a layer takes does not depend on ZeRO's stage.
        const LayerTime layer = layer_time(setup_, shape), head = head_time(setup_, shape);
        for (const int stage : search_.stages) {
          if (stage >= 2 && shape.pp > 1) continue;
          if (stage > 0 && shape.dp == 1) continue;
          shape.stage = stage;
          setting(shape, layer, head);
        }
      }
    }
  }

  void setting(const MeshShape& shape, const LayerTime& layer, const LayerTime& head) {
    ++plan_.settings;
    const MeshMemory memory = mesh_memory(setup_, shape);
    if (memory.total() > setup_.gpu.memory_bytes) {
      if (!smallest_ || memory.total() < *smallest_) smallest_ = memory.total();
      return;
    }
    ++plan_.fitting;
    const MeshTime time = step_time(setup_, shape, layer, head);
    // Of equal ones the first: less ZeRO, no sequence parallelism.
    if (!best_ || time.total() < best_->time.total() * (1 - 1e-9))
      best_ = MeshRow{shape, memory, {}, time, flops_utilization(setup_, time.total())};
  }

  // By the closed form, and the first ones by the clock.
  void rank() {
    const auto seconds = [](const MeshRow& row) { return row.time.total(); };
    std::ranges::sort(plan_.best, {}, seconds);
    const std::span first(plan_.best.data(), std::min(plan_.best.size(), kReplayedMeshes));
    for (MeshRow& row : first) {
      row.time = replay_mesh(setup_, row.shape);
      row.utilization = flops_utilization(setup_, row.time.total());
    }
    std::ranges::sort(first, {}, seconds);
    for (MeshRow& row : plan_.best) row.traffic = mesh_traffic(setup_, row.shape);
  }

  void refusals() {
    for (const auto& [reason, count] : refused_) plan_.refusals.push_back({count, reason});
    std::ranges::stable_sort(plan_.refusals, std::greater{}, &MeshRefusal::count);
    const double capacity = setup_.gpu.memory_bytes / 1e9;
    if (!too_large_.empty())
      plan_.refusals.push_back(
          {std::ssize(too_large_), fmt::format("no setting fits into {:.0f} GB: the smallest needs {:.0f} GB",
                                               capacity, std::ranges::min(too_large_) / 1e9)});
  }

  const MeshSetup& setup_;
  const MeshSearch& search_;
  MeshPlan plan_;
  std::map<std::string, int64_t> refused_;
  std::vector<double> too_large_;   // of each mesh with no setting that fits: the smallest
  std::optional<MeshRow> best_;     // of the mesh that is looked at
  std::optional<double> smallest_;  // bytes
};

}  // namespace

std::vector<int64_t> divisors(int64_t ranks) {
  std::vector<int64_t> all;
  for (int64_t size = 1; size <= ranks; ++size)
    if (ranks % size == 0) all.push_back(size);
  return all;
}

MeshPlan plan_meshes(const MeshSetup& setup, const MeshSearch& search) {
  check_setup(setup);
  return MeshWalk(setup, search).run();
}

}  // namespace ringside::inline planner
