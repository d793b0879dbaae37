// One scenario after another, so that a picture over N has measured points.
#include <fmt/format.h>

#include "panel_parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::zero_panel {
namespace {

constexpr int kLeast = 2, kMost = 8;
// What is sent in a step, in Ψ, is the same over short steps and small batches.
constexpr const char* kShort[] = {"stage=all", "steps=1", "batch=8", "tokens=8", "proof=off", "link=none"};

std::string canonical(const Config& config) { return config.scenario(true); }

}  // namespace

// The last line is the learner's own scenario again.
void Sweep::start(View& view) {
  lines_.clear();
  for (int n = kLeast; n <= kMost; ++n) {
    std::vector<std::string> words(std::begin(kShort), std::end(kShort));
    words.push_back(fmt::format("ranks={}", n));
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
  const auto left = static_cast<int>(lines_.size()) - 1;
  return left > 0 ? tr("N = {} of {} to {}", kMost + 1 - left, kLeast, kMost) : tr("back to your scenario");
}

}  // namespace ringside::zero_panel
