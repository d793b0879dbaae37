// Next-token prediction as a Task from outside the engine: the classifier's layers, and a head whose
// vocabulary is cut over tp. A sample's loss is the mean over its next tokens.
#pragma once

#include "ringside/nn/evaluation.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/norm.h"
#include "ringside/nn/tensor_parallel.h"
#include "ringside/planner/tensor_parallel_rows.h"

namespace ringside::testing {

struct NextTokenLayers {
  ClassifierLayers body;  // what stands before its score
  LinearLayer head;

  Declaration declare(const ClassifierConfig& config) {
    const Cut vocabulary{.dim = 0, .over = kTensorParallel, .sections = {}, .grain = 1, .pads = true};
    Declaration model;
    model.begin_unit("embedding", "model.");
    body.embedding = model.add("embed_tokens.weight", {config.vocabulary, config.hidden}, true, {vocabulary});
    body.decoder.resize(static_cast<size_t>(config.layers));
    for (DecoderLayer& layer : body.decoder) {
      const std::string unit = unit_name(static_cast<int>(model.unit_names().size()), config.layers);
      model.begin_unit(unit, unit + ".");
      layer.declare(model, config);
    }
    model.begin_unit("head", "");
    body.norm.declare(model, "model.norm", config);
    head.declare(model, "lm_head", config.vocabulary, config.hidden, false, {vocabulary});
    return model;
  }
};

class NextTokenModel final : public Model {
 public:
  NextTokenModel(const ClassifierConfig& config, int64_t max_tokens, const TensorParallel& tp)
      : config_(config),
        tp_(tp),
        set_(ParameterSet::of(layers_.declare(config), tp.place())),
        rotary_(make_rotary_table(max_tokens, config.head_size(), config.rope_theta)),
        mask_(make_causal_mask(max_tokens)) {}
  ParameterSet& parameters() override { return set_; }
  Buffers& buffers() override { return buffers_; }

  ModelOutput forward(const Batch& batch, const Context& context) override {
    int unit = 0;
    const auto through = [&](auto&& compute) {
      context.hooks->before_forward(unit);
      const TensorParallel::Region region{set_, set_.unit_names[static_cast<size_t>(unit)]};
      return context.hooks->after_forward(unit++, compute(region));
    };
    const auto normed = [&](const NormLayer& norm, const at::Tensor& x) {
      return output_of(norm, set_, buffers_, x, context);
    };
    at::Tensor x = through([&](const auto& region) { return embed(region, batch.tokens); });
    for (const DecoderLayer& layer : layers_.body.decoder)
      x = through([&](const auto& region) {
        const auto attend = [&](const at::Tensor& t, const PartHere& part) {
          return grouped_query_attention(t, weights_of(layer.attention, part.leaves), config_, rotary_,
                                         mask_);
        };
        const auto raise = [&](const at::Tensor& t, const PartHere& part) {
          return output_of(layer.mlp, part.leaves, t);
        };
        const at::Tensor h = x + tp_.sum_of_parts(region, normed(layer.attention_norm, x), attend);
        return h + tp_.sum_of_parts(region, normed(layer.mlp_norm, h), raise);
      });
    ModelOutput output;
    output.logits = through([&](const auto& region) { return logits(region, normed(layers_.body.norm, x)); });
    return output;
  }

 private:
  at::Tensor embed(const TensorParallel::Region& region, const at::Tensor& tokens) const {
    return tp_.sum(region, [&](const PartHere& part) {
      const at::Tensor rows = part.leaves(layers_.body.embedding), own = tokens - part.place * rows.size(0);
      const at::Tensor elsewhere = own.lt(0).logical_or(own.ge(rows.size(0))).unsqueeze(2);
      return at::embedding(rows, own.clamp(0, rows.size(0) - 1)).masked_fill(elsewhere, 0);
    });
  }
  // A place computes its part of the vocabulary; the rest is 0 there, so that the sum has all. (B, T, V)
  at::Tensor logits(const TensorParallel::Region& region, const at::Tensor& x) const {
    const auto own_columns = [&](const at::Tensor& t, const PartHere& part) {
      const at::Tensor own = output_of(layers_.head, part.leaves, t);
      const int64_t each = own.size(2);
      return at::constant_pad_nd(own, {part.place * each, (tp_.places() - 1 - part.place) * each});
    };
    return tp_.sum_of_parts(region, x, own_columns).narrow(2, 0, config_.vocabulary).to(at::kFloat);
  }

  const ClassifierConfig config_;
  const TensorParallel tp_;
  NextTokenLayers layers_;
  ParameterSet set_;
  Buffers buffers_;
  const RotaryTable rotary_;
  const at::Tensor mask_;
};

class TaskFromOutside final : public Task {
 public:
  TaskFromOutside(const ClassifierConfig& config, int64_t max_tokens, const Dataset& data)
      : config_(config), max_tokens_(max_tokens), data_(data) {}

  Declaration declare() const override { return NextTokenLayers().declare(config_); }
  int64_t count(Split split) const override { return std::ssize(samples(split)); }
  std::unique_ptr<Model> make(const ModelSite& site) const override {
    return std::make_unique<NextTokenModel>(config_, max_tokens_,
                                            TensorParallel(site.over(kTensorParallel), false));
  }
  Batch batch(Split split, const std::vector<int64_t>& indices, BatchShape at_least) const override {
    return make_batch(samples(split), indices, at_least);
  }
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override {
    return loss_of(output.logits, batch);
  }
  Score score(const ModelOutput& output, const Batch& batch) const override {
    const at::Tensor right = output.logits.argmax(2).slice(1, 0, -1).eq(batch.tokens.slice(1, 1));
    return {loss_of(output.logits, batch).item<float>(), sum_of_means(right, batch).item<float>(),
            batch.weights.sum().item<float>()};
  }

  // As the classifier sends, and one more region: its sum is of B T V, its backward's of B T H.
  void predict(const ForwardedBatches& batches, RankRows& rows) const override {
    const InGroup tp = batches.over(kTensorParallel);
    const bool bf16 = batches.distribution.precision == Precision::kBFloat16;
    const Dtype dtype = bf16 ? Dtype::kBFloat16 : Dtype::kFloat32;
    const int64_t padded_vocabulary = (config_.vocabulary + tp.size - 1) / tp.size * tp.size;
    const auto sizes_and_logits = [&](Split split, const std::vector<std::vector<int64_t>>& of_batches) {
      std::vector<TokenBlock> sizes;
      for (const std::vector<int64_t>& indices : of_batches) {
        const at::Tensor tokens = batch(split, indices, {}).tokens;
        sizes.push_back({tokens.size(0), tokens.size(1)});
        rows.all_reduce("activations", 1, tokens.numel() * padded_vocabulary, dtype, tp);
        if (split == Split::kTrain)
          rows.all_reduce("activation gradients", 1, tokens.numel() * config_.hidden, dtype, tp);
      }
      return sizes;
    };
    const auto trained = sizes_and_logits(Split::kTrain, batches.trained);
    const auto held_out = sizes_and_logits(Split::kHeldOut, batches.held_out);
    predict_tensor_parallel(config_, batches.distribution, tp, 0, trained, held_out, rows);
  }

 private:
  const std::vector<Sample>& samples(Split split) const {
    return split == Split::kTrain ? data_.train : data_.test;
  }
  static at::Tensor loss_of(const at::Tensor& logits, const Batch& batch) {  // (B, T, V) -> ()
    const at::Tensor next = batch.tokens.slice(1, 1).unsqueeze(2);
    return -sum_of_means(at::log_softmax(logits.slice(1, 0, -1), 2).gather(2, next).squeeze(2), batch);
  }
  // values: (B, T-1), of next tokens -> (): the mean of each sample's, and their sum.
  static at::Tensor sum_of_means(const at::Tensor& values, const Batch& batch) {
    const at::Tensor real = at::arange(values.size(1)).unsqueeze(0).lt(batch.last.unsqueeze(1));
    return ((values * real).sum(1) / batch.last.clamp_min(1) * batch.weights).sum();
  }

  const ClassifierConfig config_;
  const int64_t max_tokens_;
  const Dataset& data_;
};

}  // namespace ringside::testing
