// Items of one lane at the same time stand below each other: each takes the first free track of its lane.
#pragma once

#include <cmath>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside {

struct TrackRange {
  size_t begin = 0, end = 0;  // 0, 0: none
};
struct LaneTracks {
  std::vector<size_t> items;  // the track of each
  std::vector<size_t> lanes;  // how many each has, at least 1
  struct Arrow {
    TrackRange from, to;  // of the items that it leaves and reaches
  };
  std::vector<Arrow> arrows;
};

LaneTracks tracks_of(const figure::Lanes& lanes);

inline bool is_open(const figure::LaneItem& item) { return std::isnan(item.to); }

}  // namespace ringside
