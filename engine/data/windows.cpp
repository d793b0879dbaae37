#include "windows.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"
#include "ringside/data/tokenizer.h"

namespace ringside {
namespace {

struct OrderedSample {
  uint64_t order = 0;
  Sample sample;
};

// Of one class and part, `most` windows at most.
void add_part(std::vector<const Window*> windows, size_t most, int32_t label, int64_t max_tokens,
              std::vector<OrderedSample>& samples) {
  std::ranges::stable_sort(windows, {}, &Window::order);
  windows.resize(std::min(windows.size(), most));
  for (const Window* window : windows) {
    samples.push_back({window->order, {tokenize(window->bytes, max_tokens), label}});
  }
}

std::vector<Sample> in_order(std::vector<OrderedSample> ordered) {
  std::ranges::stable_sort(ordered, {}, &OrderedSample::order);
  std::vector<Sample> samples;
  for (OrderedSample& entry : ordered) samples.push_back(std::move(entry.sample));
  return samples;
}

std::vector<size_t> window_starts(std::string_view bytes, size_t width) {
  std::vector<size_t> starts = {0};
  while (starts.back() + width < bytes.size()) {
    const size_t end = starts.back() + width;
    const size_t line_end = bytes.substr(0, end + width).find('\n', end - 1);
    const size_t start = line_end == std::string_view::npos ? end : line_end + 1;
    if (2 * (bytes.size() - start) < width) break;
    starts.push_back(start);
  }
  return starts;
}

}  // namespace

uint64_t path_order(const std::string& path) { return mix_seed(0, path); }

WindowedFile cut_windows(const std::string& path, std::string_view bytes, int64_t width) {
  RINGSIDE_CHECK_GE(width, 1);
  const std::vector<size_t> starts = window_starts(bytes, static_cast<size_t>(width));
  std::vector<std::pair<uint64_t, size_t>> order;  // (hash, start)
  for (size_t i = 0; i < starts.size(); ++i) order.emplace_back(mix_seed(1, path, i), starts[i]);
  std::ranges::sort(order);
  order.resize(std::min(order.size(), kWindowsPerFile));
  WindowedFile file;
  file.order = path_order(path);
  file.found = static_cast<int64_t>(starts.size());
  for (const auto& [hash, start] : order) {
    file.windows.push_back({hash, std::string(bytes.substr(start, static_cast<size_t>(width)))});
  }
  return file;
}

size_t test_windows_per_class(size_t classes) {
  return std::clamp<size_t>(kTestWindows / classes, 1, kTestPerClass);
}

void fill_samples(const std::map<std::string, std::vector<WindowedFile>>& classes, int64_t max_tokens,
                  Dataset& dataset) {
  std::vector<OrderedSample> train, test;
  int32_t label = 0;
  for (const auto& [name, files] : classes) {
    RINGSIDE_CHECK_GE(files.size(), size_t{2});
    const size_t held_out = std::max<size_t>(1, files.size() / kHoldOutOneIn);
    std::vector<const Window*> train_windows, test_windows;
    for (size_t i = 0; i < files.size(); ++i) {
      std::vector<const Window*>& part = i < held_out ? test_windows : train_windows;
      for (const Window& window : files[i].windows) part.push_back(&window);
    }
    add_part(train_windows, kTrainPerClass, label, max_tokens, train);
    add_part(test_windows, test_windows_per_class(classes.size()), label, max_tokens, test);
    dataset.classes.push_back(printable(name));
    ++label;
  }
  dataset.train = in_order(std::move(train));
  dataset.test = in_order(std::move(test));
}

}  // namespace ringside
