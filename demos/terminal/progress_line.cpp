#include "progress_line.h"

#include <fmt/format.h>

#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside {

std::string progress_text(const Progress& progress, double elapsed_s) {
  std::string text =
      progress.phase + "   " + format_count(progress.done) + " of " + format_count(progress.total);
  if (progress.done <= 0 || elapsed_s <= 0) return text;
  const double rate = static_cast<double>(progress.done) / elapsed_s;
  text += fmt::format("   {:.1f}/s", rate);
  if (progress.done < progress.total) {
    text += "   " + format_duration(static_cast<double>(progress.total - progress.done) / rate) + " left";
  }
  return text;
}

void ProgressLine::draw(const Progress& progress, int width) {
  constexpr std::chrono::milliseconds kInterval{100};
  const TimePoint now = SteadyClock::now();
  if (!visible_ || (progress.total <= 0 && progress.phase.empty()) || now - drawn_ < kInterval) return;
  drawn_ = now;
  const std::string text = progress.total <= 0
                               ? progress.phase
                               : progress_text(progress, std::chrono::duration<double>(now - start_).count());
  if (columns(text) + 1 > static_cast<size_t>(width)) return;  // a line that wraps cannot be drawn over
  out_ << '\r' << pad(text, columns_drawn_) << std::flush;
  columns_drawn_ = columns(text);
}

void ProgressLine::clear() {
  if (columns_drawn_ == 0) return;
  out_ << '\r' << std::string(columns_drawn_, ' ') << '\r' << std::flush;
  columns_drawn_ = 0;
}

}  // namespace ringside
