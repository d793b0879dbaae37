// Online softmax, the core of FlashAttention: the sum over i of softmax(s)_i
// v_i, where scores s and values v come block by block.
//   scores  blocks of any size; -inf: hidden by a mask, perhaps a whole block
//   values  blocks of the same sizes
// Look at each block once. Keep the maximum so far, the sum of exp(s -
// maximum), and the sum of exp(s - maximum) v; where the maximum grows, rescale
// both. No exp() of a positive number, so that large scores are safe. One score
// at least is finite.
// Milakov, Gimelshein 2018, arXiv:1805.02867; FlashAttention: arXiv:2205.14135.
#include <vector>

double online_softmax(const std::vector<std::vector<double>>& scores,
                      const std::vector<std::vector<double>>& values) {
  return 0;
}
