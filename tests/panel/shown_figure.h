// A figure that fills its window, in the hands of a person.
#pragma once

#include "ringside/panel/figure_view.h"
#include "windowless.h"

namespace ringside::test {

struct ShownFigure : Windowless {
  FigureView view;
  FigureView::Drawn drawn;
  FigureView::Options options{1, nullptr, {}};
  figure::Value value;

  explicit ShownFigure(figure::Value v) : Windowless(900, 500), value(std::move(v)) {
    show([this] { drawn = view.draw("fig", ImGui::GetContentRegionAvail(), value, options); });
    frames(2);
  }
  void point_at(const std::string& item) {
    hover(item);
    frames();
  }
  std::string state(const std::string& name) const {
    const auto found = view.state().find(name);
    return found == view.state().end() ? "" : found->second;
  }
  double number(const std::string& name) const { return std::stod(state(name)); }
};

}  // namespace ringside::test
