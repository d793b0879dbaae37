// The live panel's results, and what the lesson's own rows tell.

#include <algorithm>
#include <cmath>

#include "live_words.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/live_panel.h"

namespace ringside {

using ui::px;

// ---- Results ------------------------------------------------------------------------------

void LivePanel::results(const View& view, int64_t time_ns) {
  const auto values = index_.values(time_ns);
  const auto& gauges = gauges_.value();
  const bool tells = view.open == nullptr || view.open->empty();
  const bool any_gauge =
      tells && std::ranges::any_of(gauges, [](const auto& one) { return one.has_value(); });
  if (values.empty() && !any_gauge && !has_lines(LivePart::kResults)) return;
  begin(kResultsPart, "");
  for (const figure::LiveValue& value : values) {
    std::string before;
    if (!pinned_.of.empty())
      for (const auto& one : pinned_.index.values(view.pinned->time_ns))
        if (one.name == value.name) before = number_text(one.value, one.unit);
    line({tr("{}, step {}", value.name, value.step), number_text(value.value, value.unit), before,
          tr("recorded {} before this instant", seconds_text(value.age_ns)), 0, value.name,
          value.name == "loss" || value.name == "accuracy" ? 90 : 30});
  }
  declared(view, LivePart::kResults);
  for (size_t i = 0; i < gauges.size() && tells; ++i) {
    const Gauge& gauge = view.lesson.gauges[i];
    if (!gauges[i] || !std::isfinite(*gauges[i])) continue;
    const auto before = i < pinned_.gauges.size() ? pinned_.gauges[i] : std::nullopt;
    line({gauge.name, number_text(*gauges[i], gauge.unit),
          before ? number_text(*before, gauge.unit == "bytes" ? "bytes" : "") : "", "", 0, gauge.name, 60});
  }
}

bool LivePanel::has_lines(LivePart part) const {
  return std::ranges::any_of(lines_.value(), [&](const LiveLine& one) { return one.part == part; });
}

// What the lesson's own rows tell; while the picture of such a line is closed, it waits as well.
void LivePanel::declared(const View& view, LivePart part) {
  for (const LiveLine& one : lines_.value()) {
    if (one.part != part) continue;
    const std::string picture = picture_of(view, name_of_part(part));
    if (is_closed(view, picture)) return remark(tr("The rest is shown once its question is answered."));
    std::string before;
    for (const LiveLine& old : pinned_.lines)
      if (old.part == part && old.name == one.name) before = number_text(old.value, old.unit);
    line({one.name, number_text(one.value, one.unit) + (one.more.empty() ? "" : " + " + one.more), before, "",
          0, "", part == LivePart::kResults ? 65 : 75});
  }
}

}  // namespace ringside
