// What every rank did and when: compute above, communication below, a row a rank;
// from the whole run to a microsecond, at the cost of the pixels. A strip above says which part is seen.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/timeline_index.h"

namespace ringside::ui {

// Mouse: wheel zooms at the mouse, dragging the rows pans, the ruler and the playhead's handle seek,
// the strip above moves what is seen, a click pins what is below: it and the same on other ranks get an
// outline, and its note stays while it is in sight. Keys, when focused: - and = zoom, Left and Right pan, Up
// and Down scroll ranks, Home shows everything, Escape unpins. Marks: "ID", "ID.overview", "ID.ruler",
// "ID.handle", "ID.r0" a row, "ID.memory", "ID.pinned" the readout.
class Timeline {
 public:
  int max_rows = 8;      // ranks seen at once; a scroll for the others
  int memory_rank = -1;  // its memory under the same axis; -1: none

  // `section`: what the index was updated with; of another one nothing is drawn.
  // `follow`: the newest events stay in sight until the user pans.
  // Where the playhead was dragged or put to in this frame.
  std::optional<int64_t> draw(const std::string& id, ImVec2 size, const Trace& trace,
                              const SectionView& section, const TimelineIndex& index, int64_t playhead_ns,
                              bool follow);
  void focus() { focus_next_ = true; }
  void show(int64_t from_ns, int64_t to_ns);  // this stretch, until the user zooms or pans
  void show_all() { whole_ = true; }
  int64_t from_ns() const { return from_; }
  int64_t to_ns() const { return to_; }
  bool pinned() const { return pinned_.has_value(); }
  std::string pinned_text() const { return pinned_ ? pinned_->text : ""; }
  size_t partners() const { return pinned_ ? pinned_->partners.size() : 0; }  // the same on other ranks
  void unpin() { pinned_.reset(); }
  size_t looked_at() const { return looked_at_; }  // items and searches of the last frame: its work

 private:
  enum class Lane : uint8_t { kCompute, kWait, kComm };
  struct Hit {
    Lane lane;
    int rank;
    uint32_t event;
    size_t count = 1;  // merged with others
    int64_t busy_ns = 0, cell_ns = 0;
  };
  struct Frame {  // what one call of draw() works with
    const Canvas& canvas;
    const std::string& id;
    const Trace& trace;
    const TimelineIndex& index;
    Rect overview, ruler, rows, memory;
    float row, cell;  // height of a row; the width below which items are merged
    double ns_per_pixel;
    int64_t playhead_ns;
  };
  struct Bands {
    Rect compute, comm;
  };
  struct Pinned {
    Hit hit;
    std::vector<Hit> partners;  // the same on other ranks
    std::string text;
  };
  struct Stretch {
    int64_t from_ns, to_ns;
  };

  Frame lay_out(const Canvas& canvas, const std::string& id, const Trace& trace, const TimelineIndex& index,
                int64_t playhead_ns);
  void follow_time(const TimelineIndex& index, int64_t playhead_ns, bool follow);
  void zoom(double factor, int64_t around_ns, const TimelineIndex& index);
  void pan(int64_t by_ns);
  std::optional<int64_t> take_mouse(const Frame& frame);
  void take_keys(const Frame& frame);
  float x_of(const Frame& frame, int64_t time_ns) const;
  int64_t time_at(const Frame& frame, float x) const;
  Bands bands_of(const Frame& frame, int rank) const;
  int rows_shown(const Frame& frame) const;
  static bool alone(const TimelineIndex& index);  // one thread that talks to nobody: all of its row computes

  void draw_overview(const Frame& frame) const;
  static ImU32 phase_colour(const std::string& name);
  float draw_legend(const Frame& frame, const Rect& row) const;  // where it begins
  void draw_ruler(const Frame& frame) const;
  void draw_steps(const Frame& frame, float split) const;
  void name_between(const Frame& frame, Stretch gap, const Rect& row) const;
  void draw_labels(const Frame& frame) const;
  void draw_row(const Frame& frame, int rank);
  void draw_lane(const Frame& frame, int rank, Lane kind, const TimelineLane& lane, const Rect& band,
                 bool behind);
  void draw_item(const Frame& frame, int rank, Lane kind, const TimelineLane::Item& item, const Rect& rect,
                 bool behind);
  Rect beside_waits(const Frame& frame, int rank, const TimelineLane::Item& item, const Rect& seen) const;
  void draw_open(const Frame& frame, int rank, const Rect& band);
  using Levels = std::array<float, kCategoryCount>;
  struct MemoryStretch {  // between two x the stack's edges stay where they are
    float from, to;
    Levels levels;
  };
  struct MemoryMark {  // what the stretches follow from
    const void* section = nullptr;
    int rank = -1;
    int64_t from_ns = 0, to_ns = 0, last_ns = 0;
    size_t events = 0;
    std::array<float, 4> area{};
    double range = 0;
    bool operator==(const MemoryMark&) const = default;
  };
  Levels memory_levels(const Frame& frame, double range, int64_t from_ns, int64_t to_ns);
  std::vector<MemoryStretch> memory_stretches(const Frame& frame, double range);
  void draw_memory(const Frame& frame);
  void label_memory(const Frame& frame, double range) const;
  void draw_playhead(const Frame& frame) const;
  void draw_pinned(const Frame& frame);
  void pin(const Frame& frame, const Hit& hit);
  Stretch times_of(const Frame& frame, const Hit& hit) const;
  static std::span<const TimelineLane> lanes_of(const Frame& frame, int rank, Lane kind);
  static std::optional<Hit> same_collective(const Frame& frame, const CollectiveEvent& event, int rank);
  static std::vector<Hit> like(const Frame& frame, const Hit& hit, int rank);
  std::vector<Hit> partners_of(const Frame& frame, const Hit& hit) const;
  std::string who_came_last(const Frame& frame, const Hit& hit, const std::vector<Hit>& partners) const;
  void outline(const Frame& frame, const Hit& hit, float thickness) const;
  std::optional<Hit> hit(const Frame& frame, ImVec2 point);
  std::optional<Hit> hit(const Frame& frame, std::span<const TimelineLane> lanes, Lane kind, int rank,
                         float x);
  std::string describe(const Frame& frame, const Hit& hit) const;
  ImU32 colour_of(const Frame& frame, int rank, Lane kind, const TimelineLane::Item& item);
  ImU32 find_colour(const Frame& frame, int rank, Lane kind, const TimelineLane::Item& item) const;

  int64_t from_ = 0, to_ = 1000000;
  bool whole_ = true, panned_ = false;
  int64_t last_playhead_ = 0;
  const void* section_ = nullptr;  // only to see that it is another one
  int first_row_ = 0;
  enum class Drag : uint8_t { kNone, kSeek, kPan, kOverview } drag_ = Drag::kNone;
  ImVec2 drag_from_{};
  int64_t drag_view_ = 0;
  bool moved_ = false, focus_next_ = false;
  std::optional<Pinned> pinned_;
  std::optional<Hit> hovered_;
  size_t looked_at_ = 0;
  std::map<std::pair<Lane, uint32_t>, ImU32> colours_;  // of this frame
  std::vector<MemoryStretch> memory_;                   // of the last frame in which its mark was another
  MemoryMark memory_mark_;
};

}  // namespace ringside::ui
