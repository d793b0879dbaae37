#include "ringside/nn/cut_softmax.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "ringside/planner/tensor_parallel_rows.h"
#include "ringside/tensor/passage.h"

namespace ringside::inline nn {
namespace {

// Of one place.
struct SoftmaxPart {
  at::Tensor p;     // (B, T-1, V_r): logits, and once the sums are known probabilities; of padding 0
  at::Tensor own;   // (B, T-1, 1): the token's row here, some row where another place has it
  at::Tensor here;  // (B, T-1, 1) fp32: 1 where this place has it

  SoftmaxPart(const at::Tensor& logits, const at::Tensor& next, int place, int64_t vocabulary)
      : p(logits.clone(at::MemoryFormat::Contiguous)) {
    const int64_t rows = p.size(-1), first = place * rows;
    const int64_t real = std::clamp<int64_t>(vocabulary - first, 0, rows);
    p.narrow(-1, real, rows - real).fill_(-std::numeric_limits<float>::infinity());
    own = (next - first).unsqueeze(-1);
    here = own.ge(0).logical_and(own.lt(rows)).to(at::kFloat);
    own = own.clamp(0, rows - 1);
  }
  at::Tensor token() const {  // its logit, 0 where another place has it; (B, T-1)
    return p.gather(-1, own).masked_fill(here.eq(0), 0).squeeze(-1);
  }
  at::Tensor gradient(const at::Tensor& d_logp) const {  // (B, T-1) -> (B, T-1, V_r)
    const at::Tensor d = d_logp.unsqueeze(-1);
    return (p * -d).scatter_add_(-1, own, d * here);
  }
};

class CutSoftmax {
 public:
  CutSoftmax(const TensorParallel& tp, const at::Tensor& next, int64_t vocabulary)
      : tp_(tp), next_(next), vocabulary_(vocabulary) {}

  at::Tensor forward(const at::Tensor& logits) {  // -> log p (B, T-1)
    std::vector<at::Tensor> largest, sums;
    for (const at::Tensor& own : tp_.apart(logits)) {
      parts_.emplace_back(own, next_, tp_.first_place() + int(parts_.size()), vocabulary_);
      largest.push_back(parts_.back().p.amax(-1));
    }
    const at::Tensor M = tp_.reduced(largest, ReduceOp::kMax, {kSoftmaxMaximaTag, "head"});
    for (SoftmaxPart& part : parts_) {
      const at::Tensor t = part.token();
      part.p.sub_(M.unsqueeze(-1)).exp_();
      sums.push_back(at::stack({part.p.sum(-1), t}));
    }
    const at::Tensor s_and_t = tp_.reduced(sums, ReduceOp::kSum, {kSoftmaxSumsTag, "head"});
    for (const SoftmaxPart& part : parts_) part.p.div_(s_and_t[0].unsqueeze(-1));
    is_first = s_and_t[1].ge(M);
    return s_and_t[1] - M - s_and_t[0].log();
  }
  at::Tensor backward(const at::Tensor& d_logp) const {
    std::vector<at::Tensor> gradients;
    for (const SoftmaxPart& part : parts_) gradients.push_back(part.gradient(d_logp));
    return tp_.together(gradients);
  }

  at::Tensor is_first;

 private:
  const TensorParallel& tp_;
  const at::Tensor next_;  // (B, T-1)
  const int64_t vocabulary_;
  std::vector<SoftmaxPart> parts_;  // those that are here
};

}  // namespace

NextTokens next_tokens_over(const TensorParallel& tp, const at::Tensor& logits, const at::Tensor& tokens,
                            int64_t vocabulary) {
  const int64_t next = tokens.size(1) - 1;
  const auto softmax = std::make_shared<CutSoftmax>(tp, tokens.narrow(1, 1, next), vocabulary);
  const at::Tensor logp = passage(
      logits.narrow(-2, 0, next), [softmax](const at::Tensor& own) { return softmax->forward(own); },
      [softmax](const at::Tensor& d_logp) { return softmax->backward(d_logp); });
  return {logp, softmax->is_first};
}

}  // namespace ringside::inline nn
