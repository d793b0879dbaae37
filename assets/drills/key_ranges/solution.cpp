#include <algorithm>
#include <vector>

std::vector<int> key_ranges(const std::vector<long>& keys,
                            const std::vector<long>& begins) {
  std::vector<int> found;
  for (const long key : keys) {
    // The first range that begins behind it.
    const auto next = std::upper_bound(begins.begin(), begins.end(), key);
    found.push_back(next == begins.end() ? -1 : next - begins.begin() - 1);
  }
  return found;
}
