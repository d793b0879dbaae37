// Two runs beside each other by the lesson's gauges, the pinned one and the one that is shown; and the
// figures of every run that the room saw through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/panel/panel.h"
#include "ringside/panel/recompute.h"

namespace ringside::gui {

struct GaugeRow {
  const Gauge* gauge = nullptr;
  std::optional<double> pinned, now;  // none: not measured, or not yet
};

enum class Change : int { kDown = -1, kSame = 0, kUp = 1 };
inline constexpr int kNoGuess = 2;
// What the first gauge will do with the next change, and what was said before the change that is shown.
struct ChangeGuess {
  int next = kNoGuess, said = kNoGuess;  // a Change, or kNoGuess
};

class Comparison {
 public:
  // By the learner, or by the room, which pins the run before the one that is shown. None: nothing is pinned.
  void pin(std::optional<KeptRun> run, bool by_hand);
  // The pinned run shows this place, where it has its section. `step`: what the lesson calls its steps.
  void move_pinned(const Place& place, std::string_view step);
  void keep(const Config& config, const Trace& trace);  // the figures of a run that is over
  // Computes only where a trace has changed.
  void update(const View& view);

  const KeptRun* pinned() const { return pinned_ ? &*pinned_ : nullptr; }
  bool by_hand() const { return by_hand_; }
  const std::vector<KeptFigures>& kept() const { return kept_; }
  const std::vector<GaugeRow>& rows() const { return rows_; }
  bool waiting() const { return now_.waiting(); }  // a newer value comes without being asked for
  // `section`: the one of `trace` that is watched. Of two runs that both have one of them: then a figure
  // differs by the section too, not by the change alone.
  bool compares_sections(const Trace& trace, const SectionView* section) const;
  // Of the rows in words, from the pinned run to that scenario; "" where no run is pinned. `busy`: a run of
  // it is on its way.
  std::string difference(const Config& to, const Trace& trace, const SectionView* section, bool busy) const;

  ChangeGuess guess;

 private:
  using Values = std::vector<std::optional<double>>;
  static std::optional<double> measure(const Gauge& gauge, const Config& config, const Trace& trace,
                                       const SectionView* section);
  static Values measure(const Lesson& lesson, const Config& config, const Trace& trace,
                        const SectionView* section);
  static bool depends_on_section(const View& view, const Values& now);
  std::optional<KeptRun> pinned_;
  bool by_hand_ = false;
  uint64_t pins_ = 0;  // counts what was pinned
  std::vector<KeptFigures> kept_;
  Values pinned_values_;
  std::string values_of_;
  TraceMark mark_;
  Recomputed<Values> now_;
  std::vector<GaugeRow> rows_;
  bool of_section_ = false;  // another section would have another first figure
};

// None where one of them is missing. What differs by less than half a percent is the same.
std::optional<Change> change_of(const GaugeRow& row);
// "2.25 Ψ", "1,024", "3.2e-05", "—".
std::string gauge_with_unit(const GaugeRow& row, const std::optional<double>& value);

}  // namespace ringside::gui
