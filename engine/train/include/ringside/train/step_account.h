// Where the time of a step goes, read from the trace of trainings in turns (in_turns.h) as rank 0 saw it:
//
//   step = compute + waits for other ranks or a core + exposed parts of its collectives        s
//   on the wire = hidden + exposed                                                   s, of one collective
//
// A collective is on the wire from when the last rank has come to it until it has completed. Exposed is the
// part of that in which the rank stood in a wait. It computes as long as its thread has CPU time. The rest is
// time in which another rank had not come yet, or in which this one had no core.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/field.h"
#include "ringside/base/ratio.h"
#include "ringside/trace/trace.h"

namespace ringside::inline training {

// What a collective of a step carries, and when it is needed.
enum class StepCall : uint8_t { kForwardGather, kBackwardGather, kGradients, kNorm, kUpdateGather };
std::span<const std::string_view> texts(StepCall);
inline constexpr std::array kStepCalls = {StepCall::kForwardGather, StepCall::kBackwardGather,
                                          StepCall::kGradients, StepCall::kNorm, StepCall::kUpdateGather};

struct Carried {  // by the calls of one kind in one step
  int64_t calls = 0;
  double bytes = 0;  // sent by this rank
  double model = 0, wire = 0,
         exposed = 0;  // s: by the section's link (comm/link_record.h), recorded, waited for
  double hidden() const { return wire - exposed; }
};
struct StepPiece {  // a stretch of the step, s from its beginning
  double from = 0, to = 0;
  std::string what;  // of the rank: "forward", "wait for gradients"; of the wire: the kind of its call
};
struct StepAccount {
  double step = 0, compute = 0, others = 0;  // s
  std::array<Carried, kStepCalls.size()> kinds{};
  std::vector<StepPiece> rank, wire;
  const Carried& of(StepCall kind) const { return kinds[size_t(kind)]; }
  Carried all() const;
};

// Of the steps in their order, without those that warmed up. None of a null section.
std::vector<StepAccount> step_accounts(const Trace& trace, const SectionView* section);
// The step whose time is the median. A real step, so that its parts add up.
std::optional<StepAccount> median_step(std::vector<StepAccount> steps);

// Whether a section's times tell of its cores: its ranks are more than these, and compute longer in the
// median step than its calls take on the link. No for a null section, and where the cores were not recorded.
bool is_crowded(const Trace& trace, const SectionView* section);
// Of the steps of trainings in turns; none where one lacks a step, or where `base` is crowded.
std::optional<RatioInterval> step_ratio(const Trace& trace, const SectionView* section,
                                        const SectionView* base);

}  // namespace ringside::inline training
