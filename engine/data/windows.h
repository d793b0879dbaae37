// Cutting files into samples, and splitting files into training and held-out.
// Every choice follows from a hash of the path, so neither the order of the
// directory nor the seed of a run changes what is trained on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/data/dataset.h"

namespace ringside {

inline constexpr size_t kWindowsPerFile = 64;
inline constexpr size_t kTrainPerClass = 256;
inline constexpr size_t kTestPerClass = 64;
inline constexpr size_t kTestWindows = 320;  // of all classes: an evaluation takes its time
inline constexpr size_t kHoldOutOneIn = 5;   // files

struct Window {
  uint64_t order = 0;  // a hash: sorting by it draws windows at random
  std::string bytes;
};

struct WindowedFile {
  uint64_t order = 0;           // a hash of the path
  int64_t found = 0;            // windows in the file
  std::vector<Window> windows;  // at most kWindowsPerFile of them, sorted
};

uint64_t path_order(const std::string& path);

// Pieces of `width` bytes, each from the beginning of a line: the first line that
// begins after the piece before it, or within a long line the very next byte. A
// last piece shorter than half of that is left out, unless it is all there is.
WindowedFile cut_windows(const std::string& path, std::string_view bytes, int64_t width);

// How many windows a class has at most to be tested on, one of `classes`.
size_t test_windows_per_class(size_t classes);

// Each class has at least two files, sorted by order: the first of every
// kHoldOutOneIn, and at least one, are held out. Fills classes, train and test
// (in hash order, so that any part of them is a fair draw).
void fill_samples(const std::map<std::string, std::vector<WindowedFile>>& classes, int64_t max_tokens,
                  Dataset& dataset);

}  // namespace ringside
