// The figures and readouts that a lesson declares, in a panel: computed where their input has changed, drawn,
// in words and as CSV. One that cannot be shown says why in its place; the room goes on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/panel/figure_view.h"
#include "ringside/panel/panel.h"
#include "ringside/panel/recompute.h"
#include "ringside/widgets/markdown.h"

namespace ringside {

class FigureBoard {
 public:
  explicit FigureBoard(const Lesson& lesson);  // which must outlive it

  size_t size() const { return lesson_.figures.size(); }
  const FigureSpec& spec(size_t nth) const { return lesson_.figures[nth]; }
  std::optional<size_t> find(const std::string& id) const;

  // At the cursor; `compared`: with the pinned run's. Marks "figure.ID", ".closed" and ".mistake" behind it.
  void draw(View& view, size_t nth, ImVec2 size, bool compared = true);
  void focus(size_t nth) { figures_[nth].picture.focus(); }
  std::string sentence(View& view, size_t nth);  // for this instant, or the title
  void readouts(View& view);                     // what the lesson declares, a line each

  bool answers(size_t nth, const PredictionSpec& question) const;
  // The one that a question names. Else what its lesson opens with, unless that tells an answer or stood
  // beside a question before; then the one that tells this answer, which is closed: words stand in its place.
  std::optional<size_t> beside(const PredictionSpec& question) const;
  bool is_closed(const View& view, size_t nth) const;  // it answers a question that is still open
  bool closes_answers() const;                         // some say which questions they answer
  // What the lesson is about, while a picture would tell an answer; `why` there is none stands below,
  // smaller.
  void draw_opening(View& view, ImVec2 size, const std::string& why = "") const;
  std::string why_nothing(const View& view, size_t nth);          // "" where there is something to show
  const figure::Value* open_value(const View& view, size_t nth);  // null while it is closed
  bool has_csv(const View& view, size_t nth) const;
  std::string csv(size_t nth) const;
  // What a value of this frame is computed from.
  InputMark mark(const View& view, bool follows_playhead);
  bool waiting() const;  // something shown has changed, and its turn to be computed has not come
  // The value that was drawn last.
  const figure::Value& shown_value(size_t nth) const {
    return figures_[nth].completed ? *figures_[nth].completed : figures_[nth].value.value().value;
  }
  // What the room has beside the run is added to a figure's value before it is drawn: guesses, other runs.
  // Called in each frame; none where nothing is added.
  using Completion =
      std::function<std::optional<figure::Value>(const View&, const FigureSpec&, const figure::Value&)>;
  void complete_by(Completion completion) { completion_ = std::move(completion); }
  void add_state(size_t nth, std::map<std::string, std::string>& state) const;

 private:
  struct Outcome {
    figure::Value value;
    std::string mistake;  // instead of a value
  };
  struct Figure {
    Recomputed<Outcome> value, pinned;
    Recomputed<std::string> sentence;
    std::optional<figure::Value> completed;
    FigureView picture;
    int frame = -1;  // that it was last shown in
  };
  struct Readouts {
    std::vector<Readout> lines;
    std::string mistake;
  };

  static FigureInput input_of(const View& view);
  Outcome compute(const FigureSpec& spec, const FigureInput& input) const;
  const figure::Value* pinned(const View& view, size_t nth);
  const Outcome& outcome(const View& view, size_t nth);  // of this frame
  std::optional<double> step_shown(const View& view, const figure::Value& value) const;
  void seek_step(View& view, int64_t step) const;

  const Lesson& lesson_;
  const ui::Markdown opening_;  // of lesson.md, before its first heading of level 2
  std::vector<Figure> figures_;
  Completion completion_;
  Recomputed<Readouts> readouts_;
  // Of this frame, for all figures.
  int marked_ = -1;
  TraceMark trace_mark_;
  std::optional<Config> config_;
  std::vector<std::string> open_;  // questions
  uint64_t configs_ = 0;           // counts both
};

// A panel with pictures of its own and, behind or before them, the lesson's figures. One of its own that has
// a figure's id is the room's way of showing that figure: text, JSON and SVG have the figure.
class FigurePanel : public Panel {
 public:
  explicit FigurePanel(const Lesson& lesson) : figures_(lesson) {}

  void hero(View& view, ImVec2 size) final;
  std::vector<PictureTab> pictures() const final;
  void show_picture(size_t index) final;
  size_t shown_picture() const final;
  std::optional<size_t> picture_that_matters(View& view) final;
  void preview(View& view, size_t index, ImVec2 size) final;
  size_t picture_for(const PredictionSpec& question) const override;
  size_t picture_after(const PredictionSpec& question) const override;
  bool is_kept_back(View& view) override {
    const auto figure = shown_figure();
    return figure && figures_.is_closed(view, *figure);
  }
  std::optional<float> height_of_wide(View& view) override;  // of a table or a listing
  void focus_picture() override;
  std::string sentence(View& view) override;
  void readout(View& view) override { figures_.readouts(view); }
  bool has_csv(View& view) override;
  std::string csv(View& view) override;
  bool waiting() const override { return figures_.waiting(); }
  std::map<std::string, std::string> state() const override;

 protected:
  virtual std::vector<PictureTab> own_pictures() const { return {}; }
  virtual bool own_come_first() const { return true; }
  virtual void draw_own(View& view, const std::string& id, ImVec2 size) {}
  // Where one of its own matters, as FigureSpec::matters has it.
  virtual std::vector<std::string> own_matters(const std::string& id) const { return {}; }
  virtual void draw_figure(View& view, size_t nth, ImVec2 size) { figures_.draw(view, nth, size); }
  virtual void see(View& view) {}                // before something is drawn
  std::optional<size_t> shown_figure() const;    // none: a picture of its own
  std::string shown() const;                     // its id; "" where there is no picture
  size_t place_of(const std::string& id) const;  // in pictures(); 0 where it is not

  FigureBoard figures_;

 private:
  static std::vector<PictureTab> in_groups(std::vector<PictureTab> all, bool grouped);
  std::vector<std::string> matters(const std::string& id) const;
  std::string find_what_matters(const View& view) const;

  std::string shown_;  // an id, "": the first
  Recomputed<std::string> matters_;
};

}  // namespace ringside
