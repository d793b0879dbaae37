// A guess built by hand: one rank's column, where the learner drags the top of each
// category, or fills its cells. Dashed, as everything that is the learner's.
#pragma once

#include <string>
#include <vector>

#include "ringside/trace/trace.h"
#include "ringside/widgets/canvas.h"

namespace ringside::ui {

struct BuilderPart {
  Category category = Category::kParameters;
  double whole = 0;  // what nobody shares: the most that can be placed
  double value = 0;  // between 0 and whole, a multiple of the step
};

struct BuilderScale {
  double step = 0.25;
  double cell = 0.5;  // what one cell of the rows stands for
  std::string unit = "bytes per parameter";
};

// Marks: "ID.P" the handle at the top of the parameters, "ID.P.3" their fourth cell.
class BlockBuilder {
 public:
  // True in a frame in which a value changed. Mouse: drag a handle or an edge, click a cell. Keys: Left
  // and Right choose a category, Up and Down change it by a step, Home and End empty and fill it.
  bool draw(const std::string& id, ImVec2 size, std::vector<BuilderPart>& parts,
            const BuilderScale& scale = {});
  void focus() { focus_next_ = true; }
  bool focused() const { return focused_; }

 private:
  struct Layout {
    Rect column, cells, number;
    double whole;     // of all parts
    bool names_unit;  // below the number: there is room for the unit
    float y(double value) const;
    double value_at(float y) const;
  };
  Layout lay_out(const Rect& rect, const std::vector<BuilderPart>& parts, const std::string& unit) const;
  Rect handle_of(const Layout& layout, const std::vector<BuilderPart>& parts, size_t part) const;
  void drag(const Canvas& canvas, const Layout& layout, std::vector<BuilderPart>& parts, double step);
  void take_keys(std::vector<BuilderPart>& parts, double step);
  void draw_column(ImDrawList& list, const std::string& id, const Layout& layout,
                   const std::vector<BuilderPart>& parts) const;
  void cell_rows(const Canvas& canvas, const std::string& id, const Layout& layout,
                 std::vector<BuilderPart>& parts, const BuilderScale& scale);
  void draw_number(ImDrawList& list, const Layout& layout, const std::vector<BuilderPart>& parts,
                   const BuilderScale& scale) const;

  int dragged_ = -1;   // the part under the mouse's hand
  size_t chosen_ = 0;  // the part under the keyboard's
  float grab_ = 0;     // from the edge to the mouse
  bool focus_next_ = false, focused_ = false;
};

}  // namespace ringside::ui
