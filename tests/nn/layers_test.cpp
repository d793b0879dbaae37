// The layers against plain loops in double.
#include "ringside/nn/layers.h"

#include <cmath>

#include "catch.h"
#include "ringside/nn/norm.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Row = std::vector<double>;

Row row_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).reshape({-1});
  return Row(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
}

double distance(const at::Tensor& a, const Row& b) {
  const Row values = row_of(a);
  REQUIRE(values.size() == b.size());
  double worst = 0;
  for (size_t i = 0; i < b.size(); ++i) worst = std::max(worst, std::abs(values[i] - b[i]));
  return worst;
}

double largest_of(const Row& row) {
  double most = 0;
  for (const double value : row) most = std::max(most, std::abs(value));
  return most;
}

// y_o = sum_i W_oi x_i + b_o
Row apply(const at::Tensor& weight, const Row& bias, const Row& x) {
  const Row w = row_of(weight);
  Row y = bias.empty() ? Row(w.size() / x.size()) : bias;
  for (size_t o = 0; o < y.size(); ++o) {
    for (size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
  }
  return y;
}

// Pairs (x_i, x_{i+D/2}) of each head turn by position * theta^(-2i/D).
void rotate(Row& heads, size_t D, int64_t position, double theta) {
  for (size_t head = 0; head < heads.size(); head += D) {
    for (size_t i = 0; i < D / 2; ++i) {
      const double angle = static_cast<double>(position) *
                           std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(D));
      double& a = heads[head + i];
      double& b = heads[head + i + D / 2];
      const double turned = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = turned;
    }
  }
}

struct Heads {
  std::vector<Row> q, k, v;  // a row a position
};

// What query head `head` of `position` reads: softmax(q k / sqrt(D)) v over the positions up to its own.
Row attend(const Heads& heads, size_t head, size_t position, size_t D, size_t share) {
  Row weight(position + 1);
  double total = 0;
  for (size_t s = 0; s <= position; ++s) {
    double score = 0;
    for (size_t d = 0; d < D; ++d)
      score += heads.q[position][head * D + d] * heads.k[s][head / share * D + d];
    total += weight[s] = std::exp(score / std::sqrt(static_cast<double>(D)));
  }
  Row mixed(D);
  for (size_t s = 0; s <= position; ++s) {
    for (size_t d = 0; d < D; ++d) mixed[d] += weight[s] / total * heads.v[s][head / share * D + d];
  }
  return mixed;
}

AttentionWeights attention_weights(const ClassifierConfig& config) {
  const int64_t H = config.hidden, KV = config.kv_heads * config.head_size();
  return {random_tensor({H, H}, 2, 0.4), random_tensor({H}, 3, 0.4),     random_tensor({KV, H}, 4, 0.4),
          random_tensor({KV}, 5, 0.4),   random_tensor({KV, H}, 6, 0.4), random_tensor({KV}, 7, 0.4),
          random_tensor({H, H}, 8, 0.4)};
}

}  // namespace

TEST_CASE("rms_norm divides by the root of the mean square") {
  const at::Tensor x = random_tensor({4, 6}, 1, 3.0), weight = random_tensor({6}, 2);
  const Row values = row_of(x), w = row_of(weight);
  Row expected(values.size());
  for (size_t row = 0; row < 4; ++row) {
    double squares = 0;
    for (size_t i = 0; i < 6; ++i) squares += values[row * 6 + i] * values[row * 6 + i];
    for (size_t i = 0; i < 6; ++i)
      expected[row * 6 + i] = w[i] * values[row * 6 + i] / std::sqrt(squares / 6 + 0.25);
  }
  CHECK(distance(rms_norm(x, weight, 0.25), expected) < rounding_bound(6 + kFew, largest_of(expected)));
  CHECK(rms_norm(x.to(at::kBFloat16), weight.to(at::kBFloat16), 1e-6).scalar_type() == at::kBFloat16);
}

TEST_CASE("rotary turns pairs by position, keeps lengths, and leaves position 0 alone") {
  constexpr int64_t kLength = 5, kHead = 6;
  const at::Tensor x = random_tensor({1, 1, kLength, kHead}, 1);
  const at::Tensor y = apply_rotary(x, make_rotary_table(9, kHead, 100));
  Row expected;
  for (int64_t t = 0; t < kLength; ++t) {
    Row row = row_of(x.select(2, t));
    rotate(row, kHead, t, 100);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  CHECK(distance(y, expected) < rounding_bound(kFew, largest_of(expected)));
  CHECK(y.select(2, 0).equal(x.select(2, 0)));
  const RotaryTable whole = make_rotary_table(5, kHead, 100), half = make_rotary_table(9, kHead, 100, 0.5);
  CHECK(half.cos.slice(0, 0, 9, 2).equal(whole.cos));  // position 2 t, interpolated, is t
  CHECK(max_distance(y.norm(2, -1), x.norm(2, -1)) < rounding_bound(kHead + kFew, largest(x.norm(2, -1))));
}

TEST_CASE("attention is what the loops say: causal, scaled, key and value heads shared in order") {
  const ClassifierConfig config = small_config();
  const auto D = static_cast<size_t>(config.head_size());
  constexpr int64_t kLength = 5;
  const AttentionWeights w = attention_weights(config);
  const at::Tensor x = random_tensor({1, kLength, config.hidden}, 1);
  Heads heads;
  for (int64_t t = 0; t < kLength; ++t) {
    const Row row = row_of(x[0][t]);
    heads.q.push_back(apply(w.q, row_of(w.q_bias), row));
    heads.k.push_back(apply(w.k, row_of(w.k_bias), row));
    heads.v.push_back(apply(w.v, row_of(w.v_bias), row));
    rotate(heads.q.back(), D, t, config.rope_theta);
    rotate(heads.k.back(), D, t, config.rope_theta);
  }
  Row expected;
  for (size_t t = 0; t < kLength; ++t) {
    Row mixed;
    for (size_t head = 0; head < 4; ++head) {
      const Row part = attend(heads, head, t, D, 2);
      mixed.insert(mixed.end(), part.begin(), part.end());
    }
    const Row out = apply(w.o, {}, mixed);
    expected.insert(expected.end(), out.begin(), out.end());
  }
  const RotaryTable table = make_rotary_table(7, config.head_size(), config.rope_theta);
  CHECK(distance(grouped_query_attention(x, w, config, table, make_causal_mask(7)), expected) <
        rounding_bound(attention_roundings(config, kLength), largest_of(expected)));
}

TEST_CASE("swiglu gates element by element") {
  const at::Tensor x = random_tensor({1, 3}, 1), gate = random_tensor({4, 3}, 2),
                   up = random_tensor({4, 3}, 3);
  const at::Tensor down = random_tensor({3, 4}, 4);
  Row g = apply(gate, {}, row_of(x));
  const Row u = apply(up, {}, row_of(x));
  for (size_t i = 0; i < g.size(); ++i) g[i] = g[i] / (1 + std::exp(-g[i])) * u[i];
  const Row expected = apply(down, {}, g);
  CHECK(distance(swiglu(x, gate, up, down), expected) < rounding_bound(3 + 4 + kFew, largest_of(expected)));
}
