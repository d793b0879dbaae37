#include <vector>

std::vector<std::vector<int>> bucket_order(const std::vector<long>& sizes,
                                           long most) {
  std::vector<std::vector<int>> buckets;
  long open = 0;
  for (int i = static_cast<int>(sizes.size()) - 1; i >= 0; --i) {
    if (buckets.empty() || open + sizes[i] > most)
      buckets.emplace_back(), open = 0;
    buckets.back().push_back(i);
    open += sizes[i];
  }
  return buckets;
}
