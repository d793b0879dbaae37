// The parts of a step's time (mesh_time.cpp), for the search, which has a layer's time already, and the
// replay.
#pragma once

#include "layer_time.h"
#include "mesh_stages.h"

namespace ringside::inline planner {

// Of one micro-batch on one stage, seconds; calls: what of tp's nothing hides.
struct StageTime {
  double layers = 0, elements = 0;
  double forward = 0, backward = 0, forward_calls = 0, backward_calls = 0;
  double weights = 0;  // of backward: what nobody waits for
  double total() const { return forward + backward + forward_calls + backward_calls; }
};
StageTime stage_time(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage,
                     const LayerTime& layer, const LayerTime& head);
double message_seconds(const MeshSetup& setup, const MeshShape& shape);  // of one message of pp
MeshTime step_time(const MeshSetup& setup, const MeshShape& shape, const LayerTime& layer,
                   const LayerTime& head);

}  // namespace ringside::inline planner
