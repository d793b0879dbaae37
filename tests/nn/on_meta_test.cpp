// A model computes where its parameters are. Without a GPU LibTorch's device without memory says so: an
// operation that mixes it with the CPU's tensors is refused there as it is on a GPU.
#include <catch.h>
#include <torch/library.h>

#include "ringside/data/dataset.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"

using namespace ringside;

// What LibTorch 1.13 and 2.6 lack there: the embedding's rows.
TORCH_LIBRARY_IMPL(aten, Meta, library) {
  library.impl("index_select", [](const at::Tensor& from, int64_t, const at::Tensor& index) {
    return at::empty({index.numel(), from.size(1)}, from.options());
  });
}

TEST_CASE("a classifier on another device than the CPU makes no tensor on the CPU") {
  const Dataset data = make_synthetic({.max_tokens = 12});
  for (const bool bias : {true, false})
    for (const bool recompute : {true, false})
      for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
        ClassifierConfig config{.hidden = 16, .heads = 4, .kv_heads = 2, .layers = 1, .head_bias = bias};
        config.freeze_embedding = true;  // LibTorch 1.13 has no backward of it on that device
        Classifier model(config, 12, {}, at::kMeta);
        ParameterSet& set = model.parameters();
        for (size_t p = 0; p < set.shapes.size(); ++p)
          set.leaves[p] = at::empty(set.shapes[p].shape, at::TensorOptions(type).device(set.device))
                              .set_requires_grad(set.shapes[p].trainable);
        const Batch batch = on(set.device, make_batch(data.train, {0, 1, 2}));
        CAPTURE(bias, recompute, type);
        run_backward(weighted_loss(model.forward(batch, {.recompute = recompute}).logits, batch));
        for (size_t p = 0; p < set.shapes.size(); ++p)
          if (set.shapes[p].trainable) CHECK(set.leaves[p].grad().device() == set.device);
      }
}
