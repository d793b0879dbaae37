// The 1F1B schedule of one pipeline stage: its forwards and backwards in order,
// as "F0", "B0", "F1", ...
//   p      stages
//   m      micro-batches, also fewer than p
//   stage  r, from 0 (the model's first layers) to p - 1
// Warm-up: p - r - 1 forwards. Then a forward and a backward in turns, then the
// backwards that are left. F and B each come once a micro-batch, ascending. At
// most p - r micro-batches have activations alive; in GPipe it is m.
// Narayanan et al. 2020, arXiv:2006.09503, section 3.2; 2021, arXiv:2104.04473.
#include <string>
#include <vector>

std::vector<std::string> one_f_one_b(int p, int m, int stage) {
  return {};
}
