#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace ringside {
namespace {

constexpr int kDefaultWidth = 98, kPageWidth = 80;

bool is_smart_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

int columns_of(int descriptor, int fallback) {
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

}  // namespace

bool wants_color(const Options& options) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool forbidden = options.no_color || (no_color != nullptr && *no_color != '\0');
  return !forbidden && is_smart_terminal(STDOUT_FILENO);
}

bool can_redraw_stderr() { return is_smart_terminal(STDERR_FILENO); }

int summary_width(const Options& options) {
  if (options.width) return *options.width;
  return std::clamp(columns_of(STDOUT_FILENO, kDefaultWidth), 60, 120);
}

int page_width(const Options& options) {
  return options.width ? *options.width : std::min(summary_width(options), kPageWidth);
}

bool is_smart_stdout() { return is_smart_terminal(STDOUT_FILENO); }

int stdout_width() { return columns_of(STDOUT_FILENO, 80); }

int stderr_width() { return columns_of(STDERR_FILENO, 80); }

}  // namespace ringside
