// The colours of pictures, in the room and in files: 0xRRGGBB.
#pragma once

#include <cstdint>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

enum class Mode : uint8_t { kDark, kLight };

struct Rgb {
  uint32_t background, panel, raised, line;  // raised: buttons, tracks; line: hairlines and grids
  uint32_t text, dim;
  uint32_t parameters, gradients, optimizer, activations, other;
  uint32_t accent;  // of controls and the playhead
  uint32_t alarm;   // a culprit, an unexplained byte, a failed check; nothing else
};

// Chosen so that every pair stays apart under simulated protan, deutan and tritan vision.
inline constexpr Rgb kDark = {0x14171C, 0x1C2128, 0x2B323C, 0x3A424E, 0xE6E9EE, 0xA7B0BC, 0x42A5EE,
                              0xF7BC1C, 0x9068A3, 0x84E3C8, 0x8F959D, 0x6FA8DC, 0xFF5A4F};
inline constexpr Rgb kLight = {0xFFFFFF, 0xF5F6F8, 0xE3E6EB, 0xC4CAD2, 0x1A1D21, 0x555D68, 0x2F69A8,
                               0xDF7000, 0x722F63, 0x3F9E72, 0x858C94, 0x2F5F96, 0xC6201A};

constexpr const Rgb& rgb_of(Mode mode) { return mode == Mode::kDark ? kDark : kLight; }

constexpr uint32_t rgb_of(const Rgb& colours, Ink ink) {
  const uint32_t all[] = {colours.parameters,  colours.gradients, colours.optimizer,
                          colours.activations, colours.other,     colours.text,
                          colours.dim,         colours.accent,    colours.alarm};
  return all[size_t(ink)];
}

}  // namespace ringside::figure
