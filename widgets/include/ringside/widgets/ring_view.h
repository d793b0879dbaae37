// Chunks on their way around a ring of ranks, step by step: how many contributions each
// chunk of each rank holds, and what moves in this step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"
#include "ringside/widgets/canvas.h"

namespace ringside::ui {

struct Transfer {
  int step = 0, from = 0, to = 0, chunk = 0;
  bool adds = true;  // to what is there (reduce-scatter), or takes its place (all-gather)
};

// The textbook's ring, and the direct algorithm in which every rank reads its chunk from each peer
// and then everybody's. Op: all-reduce, or one of its halves; nothing for others.
std::vector<Transfer> ring_transfers(int ranks, Op op);
std::vector<Transfer> direct_transfers(int ranks, Op op);
int steps_of(const std::vector<Transfer>& transfers);

// Contributions in each chunk of each rank after that many whole steps: [rank][chunk].
std::vector<std::vector<int>> contributions(int ranks, Op op, const std::vector<Transfer>& transfers,
                                            int steps);

struct RingData {
  int ranks = 0;
  Op op = Op::kAllReduce;
  const std::vector<Transfer>* transfers = nullptr;
  std::string tag = "gradients";  // for the colour
  double step = 0;                // so many steps are done, the fraction is under way
};

// Marks: "ID", "ID.slider", "ID.r0", "ID.r0.2" chunk 2 of rank 0.
class RingView {
 public:
  // The step that slider or keys (Left, Right, Home, End) ask for.
  std::optional<double> draw(const std::string& id, ImVec2 size, const RingData& data);
  void focus() { focus_next_ = true; }

 private:
  struct Moving {
    const Transfer* transfer;
    float progress;
    Rect rect;
  };
  struct Layout {
    Rect picture, slider;
    bool circle, flat;  // the cells of a rank lie beside each other, in a row of ranks too
    float cell, gap;
    std::vector<Rect> nodes;  // of each rank: its label above its cells
    Rect cell_of(int rank, int chunk) const;
  };
  Layout lay_out(const Rect& rect, const RingData& data) const;
  double shown_step(const RingData& data, int steps);
  std::vector<Moving> moving(const Layout& layout, const RingData& data, double step) const;
  void draw_edges(ImDrawList& list, const Layout& layout, const RingData& data, int step) const;
  void draw_ranks(ImDrawList& list, const std::string& id, const Layout& layout, const RingData& data,
                  int steps, const std::vector<Moving>& moving) const;
  std::optional<double> slider(const Canvas& canvas, const std::string& id, const Layout& layout,
                               const RingData& data, double step, int steps);

  double shown_ = 0;  // on its way to data.step
  bool dragging_ = false, focus_next_ = false;
};

}  // namespace ringside::ui
