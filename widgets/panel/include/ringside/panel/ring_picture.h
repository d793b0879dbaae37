// The collective at this instant, part by part from rank to rank; or what another one would be.
#pragma once

#include <string>

#include "ringside/figures/section_index.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/ring_view.h"

namespace ringside {

class RingPicture {
 public:
  // No index before there is a section. `quiet`: what a step sends is still asked, so it is not said in Ψ.
  void draw(View& view, ImVec2 size, const figure::SectionIndex* index, bool quiet);
  void focus() { ring_.focus(); }
  const std::string& said() const { return said_; }

 private:
  void choices(float width);
  std::string what_if(int ranks, Op op, int steps) const;
  ui::RingView ring_;
  std::string said_;
  int algorithm_ = 0;  // direct, or the textbook's ring
  int what_ = 0;       // this instant's, or one of the ops
  double step_ = 0;    // of what is only imagined
};

std::string name_of(Op op);  // "all-gather"

}  // namespace ringside
