// Draws a figure: one picture for each kind of figure::Value, with hover, marks for scripts and the keyboard.
// What a person did with it (zoom, sorting, selection) stays while values come and go.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ringside/lesson/figure.h"

namespace ringside {

class FigureDrawing;  // one kind of figure, drawn

class FigureView {
 public:
  struct Options {
    // Counts the values of this view: under another number `value` or `pinned` is another one, and what was
    // laid out for the last one (a graph, an order of rows) is laid out anew.
    uint64_t version = 0;
    // The same figure of the pinned run. Lines are laid over each other; other kinds stand side by side.
    const figure::Value* pinned = nullptr;
    std::optional<double> cursor_x = {};  // lines and lanes: the playhead on their axis, which can be dragged
  };
  struct Drawn {
    bool hovered = false;
    std::optional<double> dragged;  // where on the axis the cursor was dragged to in this frame
    // A parameter and its value: a handle was dropped in this frame.
    std::optional<std::pair<std::string, std::string>> set = {};
  };

  FigureView();
  ~FigureView();
  FigureView(FigureView&&) noexcept;
  FigureView& operator=(FigureView&&) noexcept;

  // Fills exactly `size` at the cursor of the window. Marks "<id>" and "<id>.PART", of the pinned run
  // "<id>.pinned" and its parts: row, column, item, node, line, cell by their numbers (bars "<id>.2", a
  // matrix "<id>.2.0", lines "<id>.legend.NAME", a table "<id>.header.TITLE").
  Drawn draw(const std::string& id, ImVec2 size, const figure::Value& value, const Options& options);
  Drawn draw(const std::string& id, ImVec2 size, const figure::Value& value) {
    return draw(id, size, value, Options());
  }
  void focus() { focus_ = true; }  // the keyboard goes to it with the next frame
  // For scripts, of the last frame: "kind", how many of what, "hovered" and "chosen" where there is one.
  const std::map<std::string, std::string>& state() const { return state_; }

 private:
  struct Side;  // this run, or the pinned one
  std::unique_ptr<Side> shown_, pinned_;
  bool focus_ = false;
  std::map<std::string, std::string> state_;
};

}  // namespace ringside
