// A guess built by hand: one rank's column, where the learner drags the top of each
// category, or fills its cells. Dashed, as everything that is the learner's.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/widgets/canvas.h"

namespace ringside::ui {

// Marks: "ID.P" the handle at the top of the parameters, "ID.P.3" their fourth cell.
class BlockBuilder {
 public:
  static constexpr double kStep = 0.25;  // of a value
  static constexpr double kCell = 0.5;   // what one cell of the rows stands for

  // True in a frame in which a value changed; `values`: one a block, between 0 and its whole. Mouse: drag a
  // handle or an edge, click a cell. Keys: Left and Right choose a category, Up and Down change it by a step,
  // Home and End empty and fill it.
  bool draw(const std::string& id, ImVec2 size, const std::vector<StateBlock>& blocks,
            std::vector<double>& values, const std::string& unit = "bytes per parameter");
  void focus() { focus_next_ = true; }

 private:
  struct Layout {
    Rect column, cells, number;
    double whole;     // of all blocks
    bool names_unit;  // below the number: there is room for the unit
    float y(double value) const;
    double value_at(float y) const;
  };
  struct Built {  // what one call of draw() works with
    const std::string& id;
    const std::vector<StateBlock>& blocks;
    std::vector<double>& values;
    const Layout layout;
    double sum_until(size_t end) const;
    Rect handle_of(size_t block) const;
    void set(size_t block, double value) const;  // to a step, within the whole
  };
  static Layout lay_out(const Rect& rect, const std::vector<StateBlock>& blocks, const std::string& unit);
  void drag(const Canvas& canvas, const Built& built);
  void take_keys(const Built& built);
  void draw_column(ImDrawList& list, const Built& built) const;
  void cell_rows(const Canvas& canvas, const Built& built);

  int dragged_ = -1;   // the block under the mouse's hand
  size_t chosen_ = 0;  // the block under the keyboard's
  float grab_ = 0;     // from the edge to the mouse
  bool focus_next_ = false, focused_ = false;
};

}  // namespace ringside::ui
