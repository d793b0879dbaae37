#include "alike.h"

namespace ringside::inline logs {
namespace {

constexpr int64_t kMostAlike = 8;
constexpr int64_t kMostSettings = 64;  // lines of a launcher, or that look like one
constexpr size_t kMostKeys = 4 * kMostEvents;

}  // namespace

bool Alike::takes(const LogEvent& event) {
  const bool setting = event.kind == LogEventKind::kLaunch || event.kind == LogEventKind::kSettings;
  std::string key = std::to_string(static_cast<int>(event.kind));
  if (!setting)
    key += "/" + std::to_string(event.rank) + "/" + event.what.substr(0, 60) + "/" +
           std::to_string(event.call.seq) + "/" + std::to_string(event.exit_code);
  return counts_.size() <= kMostKeys && ++counts_[key] <= (setting ? kMostSettings : kMostAlike);
}

}  // namespace ringside::inline logs
