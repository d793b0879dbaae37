// Two runs beside each other by the lesson's gauges: the pinned one, and the one that is shown.
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
  // `pins` counts what was pinned. Computes only where a trace has changed.
  void update(const View& view, uint64_t pins);
  const std::vector<GaugeRow>& rows() const { return rows_; }
  bool is_of_section() const { return of_section_; }  // another section would have another first figure
  bool waiting() const { return now_.waiting(); }     // a newer value comes without being asked for

 private:
  using Values = std::vector<std::optional<double>>;
  static std::optional<double> measure(const Gauge& gauge, const Config& config, const Trace& trace,
                                       const SectionView* section);
  static Values measure(const Lesson& lesson, const Config& config, const Trace& trace,
                        const SectionView* section);
  static bool depends_on_section(const View& view, const Values& now);
  Values pinned_;
  std::string pinned_of_;
  TraceMark mark_;
  Recomputed<Values> now_;
  std::vector<GaugeRow> rows_;
  bool of_section_ = false;
};

// None where one of them is missing. What differs by less than half a percent is the same.
std::optional<Change> change_of(const GaugeRow& row);
// "accumulate=8 stage=2": what the second scenario says otherwise than the first.
std::string words_that_differ(const Config& from, const Config& to);
// "sent 2.25 → 1.50 Ψ", "peak stays 19.04 MiB".
std::string change_in_words(const GaugeRow& row);
// "accumulate=8: sent 1.50 → 6.75 Ψ, peak 19.04 → 21.11 MiB." Those that change, or that none does; what was
// guessed of the first one is judged. One of them at least is measured in both runs.
std::string difference_in_words(const std::string& words, const std::vector<GaugeRow>& rows, int guessed);
// "2.25", "1,024", "3.2e-05", "—"; "2.25 Ψ".
std::string gauge_text(const GaugeRow& row, const std::optional<double>& value);
std::string gauge_with_unit(const GaugeRow& row, const std::optional<double>& value);

}  // namespace ringside::gui
