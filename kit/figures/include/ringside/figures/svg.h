// A figure as SVG: a picture for a page, as the room draws it.
#pragma once

#include <string>

#include "ringside/figures/palette.h"
#include "ringside/lesson/figure.h"

namespace ringside::figure {

struct SvgLook {
  double width = 880;  // the least; a wide graph or matrix takes more
  Mode mode = Mode::kLight;
};

// A whole document: title, sentence where it says more, the figure (of more than 20,000 points, thinned out).
std::string to_svg(const std::string& title, const std::string& sentence, const Value& value,
                   const SvgLook& look = {});

}  // namespace ringside::figure
