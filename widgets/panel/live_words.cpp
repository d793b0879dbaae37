#include "live_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/units.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside {

std::string bytes_text(int64_t bytes) { return format_bytes(double(bytes)); }
std::string seconds_text(int64_t ns) { return format_duration(double(ns) * 1e-9); }

std::string number_text(double value, const std::string& unit) {
  return unit == "s" ? format_duration(value) : figure::value_text(value, unit);
}

std::string kind_words(const figure::LiveSent& kind) {
  std::string op = kind.what;
  std::ranges::replace(op, '_', '-');
  if (kind.carried.empty() || op.empty()) return op + kind.carried;
  return op + ", " + kind.carried;
}

std::string sent_words(const figure::LiveSent& kind) {
  return kind.calls == 0 ? "—" : tr("{} × · {}", kind.calls, bytes_text(kind.bytes));
}

namespace {

std::string left_words(const figure::LiveWait& wait) {
  if (!wait.left_ns) return "";
  return *wait.left_ns > 0 ? tr("; {} left until the deadline", seconds_text(*wait.left_ns))
                           : tr("; the deadline has passed");
}

}  // namespace

std::string wait_words(const figure::LiveWait& wait, const std::function<std::string(int)>& name_of) {
  const auto names = [&](const std::vector<int>& ranks) {
    std::vector<std::string> all;
    for (const int rank : ranks) all.push_back(name_of(rank));
    return join(all);
  };
  const bool one = wait.ranks.size() == 1;
  if (wait.missing.empty()) return one ? tr("{} waits", names(wait.ranks)) : tr("{} wait", names(wait.ranks));
  std::string text = one ? tr("{} waits for {}", names(wait.ranks), names(wait.missing))
                         : tr("{} wait for {}", names(wait.ranks), names(wait.missing));
  if (wait.group.empty()) return text + tr(": iteration {}, {}", wait.call, seconds_text(wait.waited_ns));
  std::string op = wait.what;
  std::ranges::replace(op, '_', '-');
  text += tr(": {} #{} of {}, {}", op, wait.call, wait.group, seconds_text(wait.waited_ns));
  return text + left_words(wait);
}

std::string waited_words(const figure::LiveWait& wait) {
  return tr("A call has waited for {}{}.", seconds_text(wait.waited_ns), left_words(wait));
}

const figure::LiveSent* find_kind(const figure::LiveTraffic& traffic, const figure::LiveSent& kind) {
  const auto found = std::ranges::find_if(traffic.kinds, [&](const figure::LiveSent& one) {
    return one.what == kind.what && one.carried == kind.carried;
  });
  return found == traffic.kinds.end() ? nullptr : &*found;
}

std::string pinned_id(const KeptRun& run) {
  return fmt::format("{} {} {}", run.scenario, run.section, run.time_ns);
}

bool is_closed(const View& view, const std::string& figure) {
  return std::ranges::any_of(view.lesson.figures,
                             [&](const FigureSpec& spec) { return spec.id == figure && view.hides(spec); });
}

}  // namespace ringside
