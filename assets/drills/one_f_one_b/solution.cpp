#include <string>
#include <vector>

std::vector<std::string> one_f_one_b(int p, int m, int stage) {
  std::vector<std::string> passes;
  int f = 0;
  for (int b = 0; b < m; ++b) {
    while (f < m && f - b < p - stage)
      passes.push_back("F" + std::to_string(f++));
    passes.push_back("B" + std::to_string(b));
  }
  return passes;
}
