#include "ringside/panel/sweep.h"

#include <fmt/format.h>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/draw.h"

namespace ringside {
namespace {

std::string canonical(const Config& config) { return config.scenario(true); }

}  // namespace

// The last line is the learner's own scenario again.
void Sweep::start(View& view) {
  lines_.clear();
  for (int value = over_.least; value <= over_.most; ++value) {
    std::vector<std::string> words = over_.words;
    words.push_back(fmt::format("{}={}", over_.parameter, value));
    lines_.push_back(canonical(view.config.with(words)));
  }
  lines_.push_back(canonical(view.config));
  waiting_.clear();
  advance(view);
}

void Sweep::stop(View& view) {
  if (!running()) return;
  const std::string home = lines_.back();
  lines_.clear();
  view.wishes.scenario = home;
}

// The room begins a run when the one before has come to its step boundary. What the learner starts meanwhile
// ends the sweep, and so does a run that was stopped or failed.
void Sweep::advance(View& view) {
  if (!running()) return;
  if (waiting_.empty()) {
    waiting_ = lines_.front();
    view.wishes.scenario = waiting_;
    return;
  }
  if (view.wishes.scenario) return;
  if (canonical(view.draft) != waiting_) return lines_.clear();
  if (lines_.size() == 1) return lines_.clear();  // on its way home
  if (canonical(view.config) != waiting_ || view.running) return;
  if (!view.trace.complete()) return lines_.clear();
  lines_.erase(lines_.begin());
  waiting_.clear();
}

std::string Sweep::words() const {
  const auto left = int(lines_.size()) - 1;
  return left > 0 ? tr("{} = {} of {} to {}", over_.symbol, over_.most + 1 - left, over_.least, over_.most)
                  : tr("back to your scenario");
}

void Sweep::button(View& view, const std::string& id) {
  if (!running()) {
    if (ui::button(tr("measure {} = {} to {}", over_.symbol, over_.least, over_.most).c_str(),
                   (id + ".measure").c_str()))
      start(view);
    return;
  }
  if (ui::button(tr("stop measuring").c_str(), (id + ".stop").c_str())) stop(view);
  ImGui::SameLine();
  ImGui::TextUnformatted(words().c_str());
}

}  // namespace ringside
