#include "ringside/lesson/figure.h"

#include "ringside/lesson/tr.h"

namespace ringside {

figure::Ink figure::ink_of(Category category) {
  switch (category) {
    case Category::kParameters:
      return Ink::kParameters;
    case Category::kGradients:
      return Ink::kGradients;
    case Category::kOptimizer:
      return Ink::kOptimizer;
    case Category::kActivations:
      return Ink::kActivations;
    default:
      return Ink::kOther;
  }
}

std::string_view translated(std::string_view english) { return english; }

}  // namespace ringside
