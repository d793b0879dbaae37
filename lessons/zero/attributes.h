// What a training section says of itself, for the experiment and for its panel.
#pragma once

#include "ringside/trace/trace.h"

namespace ringside::zero_lesson {

inline bool keeps_gathered(const SectionView& section) {  // reshard=off
  return section.has("reshard") && !section.yes("reshard");
}
inline bool is_bf16(const SectionView& section) { return section.text("precision") == "bf16"; }
inline int64_t element_bytes(const SectionView& section) { return is_bf16(section) ? 2 : 4; }  // that is sent
inline double psi(const SectionView& section) { return section.number("parameters"); }

}  // namespace ringside::zero_lesson
