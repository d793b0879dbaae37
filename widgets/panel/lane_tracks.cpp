#include "lane_tracks.h"

#include <algorithm>
#include <limits>

namespace ringside {
namespace {

constexpr size_t kMostJoined = 1000000;  // arrows times items; beyond, arrows end in the middle of lanes

TrackRange tracks_at(const figure::Lanes& lanes, const std::vector<size_t>& tracks, size_t lane, double at) {
  TrackRange range;
  for (size_t i = 0; i < lanes.items.size(); ++i) {
    const figure::LaneItem& item = lanes.items[i];
    if (item.lane != lane || !(item.from <= at) || (!is_open(item) && item.to < at)) continue;
    range.begin = range.end == 0 ? tracks[i] : std::min(range.begin, tracks[i]);
    range.end = std::max(range.end, tracks[i] + 1);
  }
  return range;
}

}  // namespace

LaneTracks tracks_of(const figure::Lanes& lanes) {
  LaneTracks all{std::vector<size_t>(lanes.items.size(), 0), std::vector<size_t>(lanes.lanes.size(), 1),
                 std::vector<LaneTracks::Arrow>(lanes.arrows.size())};
  std::vector<size_t> order;
  for (size_t i = 0; i < lanes.items.size(); ++i)
    if (lanes.items[i].lane < lanes.lanes.size() && std::isfinite(lanes.items[i].from)) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return lanes.items[i].from; });
  std::vector<std::vector<double>> ends(lanes.lanes.size());  // of each track, so far
  for (const size_t i : order) {
    const figure::LaneItem& item = lanes.items[i];
    std::vector<double>& tracks = ends[item.lane];
    size_t track = 0;
    while (track < tracks.size() && tracks[track] > item.from) ++track;
    if (track == tracks.size()) tracks.push_back(0);
    tracks[track] = is_open(item) ? std::numeric_limits<double>::infinity() : item.to;
    all.items[i] = track;
    all.lanes[item.lane] = std::max(all.lanes[item.lane], track + 1);
  }
  if (lanes.arrows.size() * lanes.items.size() > kMostJoined) return all;
  for (size_t a = 0; a < lanes.arrows.size(); ++a) {
    const figure::LaneArrow& arrow = lanes.arrows[a];
    all.arrows[a] = {tracks_at(lanes, all.items, arrow.from_lane, arrow.from),
                     tracks_at(lanes, all.items, arrow.to_lane, arrow.to)};
  }
  return all;
}

}  // namespace ringside
