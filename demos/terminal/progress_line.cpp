#include "progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside {

std::string time_left(double seconds) {
  constexpr double kMinute = 60;
  const double whole = std::max(1.0, std::round(seconds));
  return (whole < kMinute ? fmt::format("{:.0f} s", whole) : format_duration(whole)) + " left";
}

std::optional<double> TimeLeft::seconds(const Progress& progress, double elapsed_s) {
  const double share = share_of(progress);
  if (share != share_) share_ = share, began_s_ = elapsed_s;
  const bool is_early = progress.share >= 0 && share < 0.05 && began_s_ < 10;
  if (share <= 0 || share >= 1 || is_early) return std::nullopt;
  const double at_begin = began_s_ * (1 - share) / share;
  return std::max(at_begin - (elapsed_s - began_s_), at_begin / 10);
}

std::string progress_text(const Progress& progress, double elapsed_s, std::optional<double> left_s) {
  if (progress.total <= 0) return progress.phase;
  std::string text =
      progress.phase + "   " + format_count(progress.done) + " of " + format_count(progress.total);
  if (progress.done > 0 && progress.share < 0 && elapsed_s > 0)
    text += fmt::format("   {:.1f}/s", double(progress.done) / elapsed_s);
  return left_s ? text + "   " + time_left(*left_s) : text;
}

void ProgressLine::draw(const Progress& progress, int width) {
  if (!is_due() || (progress.total <= 0 && progress.phase.empty())) return;
  const double elapsed_s = std::chrono::duration<double>(SteadyClock::now() - start_).count();
  const auto left_s = left_.seconds(progress, elapsed_s);
  draw(progress_text(progress, elapsed_s, left_s), width);
}

void ProgressLine::draw(const std::string& text, int width) {
  if (!is_due()) return;
  drawn_ = SteadyClock::now();
  if (columns(text) + 1 > size_t(width)) return;  // a line that wraps cannot be drawn over
  out_ << '\r' << pad(text, columns_drawn_) << std::flush;
  columns_drawn_ = columns(text);
}

void ProgressLine::clear() {
  if (columns_drawn_ == 0) return;
  out_ << '\r' << std::string(columns_drawn_, ' ') << '\r' << std::flush;
  columns_drawn_ = 0;
}

void ProgressReport::look(const Progress& progress, const std::function<std::string()>& found) {
  const TimePoint now = SteadyClock::now();
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  const auto left_s = left_.seconds(progress, elapsed_s);
  if (!visible_ || now < due_) return;
  due_ = now + kNext;
  out_ << "runs      " << progress_text(progress, elapsed_s, left_s);
  if (const std::string value = found(); !value.empty()) out_ << "   " << value;
  out_ << '\n' << std::flush;
}

std::string newest_value(const Trace& trace) {
  const auto& sections = trace.sections();
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    if (section->ranks() == 0 || section->scalars(0).empty()) continue;
    const auto scalars = section->scalars(0);
    // The first of its step: a training records its loss before what else it knows.
    size_t at = scalars.size() - 1;
    while (at > 0 && scalars[at - 1].step == scalars[at].step) --at;
    return tr("{} {:.4g} at step {}", trace.name(scalars[at].name), scalars[at].value, scalars[at].step);
  }
  return "";
}

}  // namespace ringside
