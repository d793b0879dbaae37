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
  CHECK(SingularValues(at::ones({60, 60}, at::kDouble).tril() * 1e-7).log10_determinant() == Approx(-420));
  // A small value is lost in what rounding to a type changes: 1/3 by about 1e-9 in fp32, 1e-3 in bf16.
  const SingularValues s(at::tensor({1 / 3.0, 0.0, 1 / 3.0, 1e-5}).view({2, 2}));
  CHECK((s.rank_in(at::kDouble) == 2 && s.rank_in(at::kFloat) == 2 && s.rank_in(at::kBFloat16) == 1));
}

TEST_CASE("distance to equal rows: 0 where they are, 1 where they cancel") {
  const at::Tensor row = at::tensor({1.0, 2.0}).view({1, 2});
  CHECK(distance_to_equal_rows(row.repeat({3, 1})) == 0);
  CHECK(distance_to_equal_rows(at::cat({row, -row})) == Approx(1));
}
