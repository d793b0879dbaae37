// The first mistake of a figure.
#pragma once

#include <cmath>
#include <string>

#include "ringside/base/text.h"
#include "ringside/lesson/figure.h"
#include "ringside/lesson/tr.h"

namespace ringside::figure {

// Keeps the first mistake that it is told of.
class FitCheck {
 public:
  const std::string& why() const { return why_; }
  bool failed() const { return !why_.empty(); }
  // `say` is called where the mistake is the first.
  template <typename Say>
  void that(bool holds, Say say) {
    if (!holds && why_.empty()) why_ = say();
  }
  void finite(double value, const char* what, const std::string& of) {
    that(std::isfinite(value),
         [&] { return tr("{} of '{}' is {}; it must be a finite number", what, of, value); });
  }
  void finite_or_gap(double value, const char* what, const std::string& of) {
    that(!std::isinf(value), [&] {
      return tr("{} of '{}' is {}; a number is finite, or kNone where there is none", what, of, value);
    });
  }
  void text(const std::string& text) {
    that(valid_utf8_bytes(text) == text.size(),
         [&] { return tr("the text \"{}\" is not UTF-8; pass it through printable()", printable(text)); });
  }
  void below(size_t place, size_t size, const char* what) {
    that(place < size,
         [&] { return tr("{} {} does not exist; there are {}, counted from 0", what, place, size); });
  }
  void filled(bool some, const char* what) {
    that(some, [&] { return tr("it is empty: {}; return Nothing and say why", what); });
  }
  void axis(const Axis& axis) {
    if (axis.least) finite(*axis.least, "the least", axis.name);
    if (axis.most) finite(*axis.most, "the most", axis.name);
    if (axis.least && axis.most)
      that(*axis.least < *axis.most, [&] {
        return tr("axis '{}' ends at {}, not above {} where it begins", axis.name, *axis.most, *axis.least);
      });
    if (axis.log && axis.least)
      that(*axis.least > 0,
           [&] { return tr("axis '{}' is logarithmic and begins at {}", axis.name, *axis.least); });
  }

 private:
  std::string why_;
};

}  // namespace ringside::figure
