// The live panel: memory, traffic and results at the instant that is watched, in every lesson that has them,
// in this order. While a run is followed, of the section that runs now. A line leads to its picture.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/figures/live.h"
#include "ringside/panel/panel.h"
#include "ringside/panel/recompute.h"

namespace ringside {

class LivePanel {
 public:
  // At the cursor, as wide and high as there is room: where that is too low, what says least is left out. The
  // id of the picture that a click asks for; "" none.
  std::string draw(View& view, Panel& panel);
  float height() const { return height_; }       // of all of the last frame; 0: there was nothing
  bool overflows() const { return overflows_; }  // not even what must stay had room
  bool waiting() const { return lines_.waiting() || gauges_.waiting(); }  // newer values come unasked
  std::map<std::string, std::string> state() const { return state_; }     // of the last frame, for scripts

 private:
  // One run at one instant.
  struct At {
    const SectionView* section = nullptr;
    int64_t time_ns = 0;
  };
  using Lines = std::vector<LiveLine>;
  using Gauges = std::vector<std::optional<double>>;
  struct Pinned {
    figure::LiveIndex index;
    Lines lines;
    Gauges gauges;
    std::string of;
  };
  struct Line {
    std::string name, value;
    std::string pinned = {}, tip = {};
    ImU32 colour = 0;      // of its swatch; 0: it has none
    std::string key = {};  // of its picture, where not the part's, and in state()
    int worth = kAlways;
  };
  // What is drawn, from top to bottom.
  struct Piece {
    float height;
    int worth;                // those of the least go first where the room is low
    std::string part, words;  // words: in the tip that tells of what was left out
    std::function<void()> draw;
    bool left_out = false;
  };
  static constexpr int kAlways = 100;

  bool is_fresh(const View& view, ImVec2 room) const;
  void tell(View& view, Panel& panel);
  At at(View& view, Panel& panel) const;
  Lines lines_at(const View& view, const Config& config, const Trace& trace, const At& at) const;
  Gauges gauges_at(const View& view, const Config& config, const Trace& trace, const At& at) const;
  void update_pinned(const View& view);
  bool has_pinned(int rank) const { return !pinned_.of.empty() && rank < pinned_.index.ranks(); }
  bool hides(const View& view, const char* part) const;
  std::string picture_of(const View& view, const std::string& key) const;

  void rank_choice();
  void choose_rank(const std::vector<std::string>& names);
  void memory(const View& view, int64_t time_ns);
  void kinds(const figure::LiveMemory& memory, const figure::LiveMemory* pinned);
  void spark(const View& view, int64_t time_ns, int64_t most);
  void draw_spark(int64_t most, double part);
  void traffic(const View& view, int64_t time_ns, const std::string& closed);
  void waits(const figure::LiveTraffic& traffic);
  void results(const View& view, int64_t time_ns);
  void declared(const View& view, LivePart part);
  bool has_lines(LivePart part) const;
  void begin(const char* part, const std::string& words);
  void line(const Line& line);
  void remark(const std::string& text, int worth = kAlways, bool dim = true);
  void add(float height, int worth, const std::string& words, std::function<void()> draw);
  void fit(float room);
  void draw_heading(const std::string& part, const std::string& words);
  void draw_line(const std::string& part, const Line& line);
  std::string left_out(const std::string& part) const;

  figure::LiveIndex index_;
  TraceMark mark_;
  Recomputed<Lines> lines_;
  Recomputed<Gauges> gauges_;
  Pinned pinned_;
  struct {
    std::vector<int64_t> totals;
    std::string of;
  } spark_;
  int rank_ = 0;
  float height_ = 0;
  bool overflows_ = false;
  std::vector<Piece> pieces_;
  struct {
    uint64_t run = 0;
    int rank = -1;
    ImVec2 room;
    double seconds = 0;
  } told_;  // when pieces_ were made
  std::string part_, clicked_;
  std::vector<std::string> pictures_;  // ids
  const View* view_ = nullptr;
  std::map<std::string, std::string> state_;
};

}  // namespace ringside
