#include "ringside/nn/singular_values.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("rank, effective rank, condition and determinant of matrices that are known") {
  const SingularValues diagonal(at::diag(at::tensor({4.0, 2.0, 2.0, 0.0}))),
      swapped(at::tensor({0.0, 2.0, -8.0, 0.0}).view({2, 2}));
  CHECK(diagonal.rank_in(at::kDouble) == 3);
  CHECK(diagonal.effective_rank() == Approx(std::pow(2, 1.5)));  // shares 1/2, 1/4, 1/4
  CHECK(swapped.condition() == Approx(4));
  CHECK(swapped.log10_determinant() == Approx(std::log10(16)));
  // A triangle's is exact where its least singular values are lost in rounding.
  const at::Tensor triangle = at::ones({60, 60}, at::kDouble).tril(-1) + 0.1 * at::eye(60, at::kDouble);
  CHECK(SingularValues(triangle).log10_determinant() == Approx(-60));
  // So is a small value in what rounding to a type changes: 1/3 by about 1e-9 in fp32, 1e-3 in bf16.
  for (const auto& [small, in_fp32] : {std::pair{1e-5, 2}, {1e-12, 1}}) {
    const SingularValues s(at::tensor({1 / 3.0, 0.0, 1 / 3.0, small}).view({2, 2}));
    CHECK((s.rank_in(at::kDouble) == 2 && s.rank_in(at::kFloat) == in_fp32));
    CHECK(s.rank_in(at::kBFloat16) == 1);
  }
}

TEST_CASE("distance to equal rows: 0 where they are, 1 where they cancel") {
  const at::Tensor row = at::tensor({1.0, 2.0}).view({1, 2});
  CHECK(distance_to_equal_rows(row.repeat({3, 1})) == 0);
  CHECK(distance_to_equal_rows(at::cat({row, -row})) == Approx(1));
}
