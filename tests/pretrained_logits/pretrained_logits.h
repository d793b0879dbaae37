// The logits of a folder's model.
#pragma once

#include <c10/core/GradMode.h>

#include <vector>

#include "ringside/nn/classifier.h"
#include "ringside/pretrained/pretrained.h"

namespace ringside::testing {

inline std::vector<at::Tensor> tensors_of(const PretrainedModel& pretrained) {  // copies
  std::vector<at::Tensor> values;
  const std::vector<ParameterShape> shapes = classifier_shapes(pretrained.config().model);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ConstView view = pretrained.values(i);
    const at::Tensor flat = at::from_blob(const_cast<void*>(view.data), {view.count}, at::kFloat);
    values.push_back(flat.clone().view(shapes[i].shape));
  }
  return values;
}

// Rows of real tokens -> of each row (C), or (T, V) of its real positions.
inline std::vector<at::Tensor> logits_of(const PretrainedModel& pretrained,
                                         const std::vector<std::vector<int64_t>>& rows) {
  const at::NoGradGuard no_grad;
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  Classifier model(pretrained.config().model, static_cast<int64_t>(longest));
  model.parameters().leaves = tensors_of(pretrained);
  Batch batch;
  const auto count = static_cast<int64_t>(rows.size());
  batch.tokens = at::zeros({count, static_cast<int64_t>(longest)}, at::kLong);
  batch.last = at::zeros({count}, at::kLong);
  batch.labels = at::zeros({count}, at::kLong);
  batch.weights = at::ones({count});
  for (int64_t i = 0; i < count; ++i) {
    const auto& row = rows[static_cast<size_t>(i)];
    batch.tokens[i].narrow(0, 0, static_cast<int64_t>(row.size())).copy_(at::tensor(row, at::kLong));
    batch.last[i] = static_cast<int64_t>(row.size()) - 1;
  }
  const at::Tensor all = model.forward(batch, {}).logits;
  std::vector<at::Tensor> logits;
  for (int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<int64_t>(rows[static_cast<size_t>(i)].size());
    logits.push_back(all.dim() == 2 ? all[i] : all[i].narrow(0, 0, length));
  }
  return logits;
}

}  // namespace ringside::testing
