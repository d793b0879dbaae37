#include "ringside/nn/cached_reading.h"

#include <c10/core/GradMode.h>

#include <cmath>

#include "ringside/base/error.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/losses.h"
#include "ringside/nn/norm.h"

namespace ringside::inline nn {
namespace {

void check_readable(const ClassifierConfig& config, const at::Tensor& tokens, const KeyValueCache& cache) {
  if (!config.causal || spans_tokens(config.norm) || config.where != NormPlace::kPre)
    throw UsageError("reading on needs a causal model with a norm of each token before its sub-layers");
  if (cache.tokens() > 0 && cache.k[0].size(0) != tokens.size(0))
    throw UsageError("the cache is of " + std::to_string(cache.k[0].size(0)) + " texts, the tokens are of " +
                     std::to_string(tokens.size(0)));
  if (config.learned_positions > 0 && cache.read + tokens.size(1) > config.learned_positions)
    throw UsageError("the model has " + std::to_string(config.learned_positions) + " learned positions");
}

// What an attention layer adds to its input, (B, n, H). x: (B, n, H), after the norm; rotary: of t + n
// positions; mask: (n, t + n)
at::Tensor attend(const at::Tensor& x, const AttentionWeights& weights, const ClassifierConfig& config,
                  const RotaryTable& rotary, const at::Tensor& mask, at::Tensor& k, at::Tensor& v) {
  const int64_t B = x.size(0), n = x.size(1), D = config.head_size(), share = config.heads / config.kv_heads;
  const auto heads = [&](const at::Tensor& weight, const at::Tensor& bias) {  // (B, heads, n, D)
    return at::linear(x, weight, bias).view({B, n, -1, D}).transpose(1, 2);
  };
  const auto grown = [](at::Tensor& kept, const at::Tensor& more) {
    kept = kept.defined() ? at::cat({kept, more}, 2) : more;
    return kept;
  };
  const int64_t before = mask.size(1) - n;
  const at::Tensor q = apply_rotary(heads(weights.q, weights.q_bias),
                                    {rotary.cos.narrow(0, before, n), rotary.sin.narrow(0, before, n)});
  const at::Tensor keys = apply_rotary(grown(k, heads(weights.k, weights.k_bias)), rotary);
  const at::Tensor values = grown(v, heads(weights.v, weights.v_bias));
  const at::Tensor scores =
      at::matmul(q, keys.repeat_interleave(share, 1).transpose(2, 3)) / std::sqrt(double(D)) + mask;
  const at::Tensor mixed = at::matmul(at::softmax(scores, -1), values.repeat_interleave(share, 1));
  return at::linear(mixed.transpose(1, 2).reshape({B, n, config.hidden}), weights.o);
}

}  // namespace

void KeyValueCache::keep(int64_t sinks, int64_t window) {
  for (auto* of : {&k, &v})
    for (at::Tensor& t : *of)
      if (t.size(2) > sinks + window)
        t = at::cat({t.narrow(2, 0, sinks), t.narrow(2, t.size(2) - window, window)}, 2);
}

at::Tensor read_on(const LanguageModel& model, const at::Tensor& tokens, KeyValueCache& cache) {
  const auto& [config, layers, weights] = model;
  check_readable(config, tokens, cache);
  const at::NoGradGuard no_grad;
  const Leaves leaves = leaves_of(weights);
  const int64_t n = tokens.size(1), before = cache.tokens();
  const RotaryTable rotary = rotary_table_of(config, before + n);
  const at::Tensor mask = make_causal_mask(before + n).narrow(0, before, n);
  cache.k.resize(layers.decoder.size()), cache.v.resize(layers.decoder.size());
  const Buffers nothing;
  const auto norm = [&](const NormLayer& of, const at::Tensor& x) {
    return output_of(of, leaves, nothing, x, {});
  };
  at::Tensor x = embedded(layers, leaves, tokens, cache.read);  // (B, n, H)
  for (size_t i = 0; i < layers.decoder.size(); ++i) {
    const DecoderLayer& layer = layers.decoder[i];
    x = x + attend(norm(layer.attention_norm, x), weights_of(layer.attention, leaves), config, rotary, mask,
                   cache.k[i], cache.v[i]);
    x = x + output_of(layer.mlp, leaves, norm(layer.mlp_norm, x));
  }
  cache.read += n;
  return output_of(layers.score, leaves, norm(layers.norm, x)).to(at::kFloat);
}

at::Tensor streamed_losses(const LanguageModel& model, const at::Tensor& texts, const Streaming& how) {
  KeyValueCache cache;
  std::vector<at::Tensor> logits;
  for (int64_t at = 0; at < texts.size(1); at += how.piece) {
    cache.keep(how.sinks, how.most - how.piece - how.sinks);
    logits.push_back(read_on(model, texts.narrow(1, at, how.piece), cache));
  }
  return -token_log_probabilities(at::cat(logits, 1), texts);
}

at::Tensor draw_tokens(const at::Tensor& logits, const Writing& writing, RandomStream& stream) {
  const at::Tensor among = writing.vocabulary < 0 ? logits : logits.narrow(1, 0, writing.vocabulary);
  if (!(writing.temperature >= 0))
    throw UsageError("temperature={:g} of writing: allowed is 0 or more", writing.temperature);
  const at::Tensor largest = among.amax(1, true);  // NaN where one is
  if (!at::isfinite(largest).all().item<bool>())
    throw Error(ExitCode::kCheckFailed, "no token can be drawn: logits of the model are not finite");
  if (writing.temperature == 0) return among.argmax(1, true);
  // Less the largest: a tiny temperature then leaves 0 and -infinity.
  const at::Tensor sums = at::softmax((among.to(at::kDouble) - largest) / writing.temperature, 1).cumsum(1);
  const at::Tensor u = at::empty({logits.size(0), 1}, at::kDouble);
  for (int64_t row = 0; row < u.size(0); ++row) u[row][0] = stream.uniform();
  return sums.le(u).sum(1, true).clamp_max(among.size(1) - 1);
}

Written write_on(const LanguageModel& model, const at::Tensor& prompts, int64_t count, const Writing& writing,
                 RandomStream& stream) {
  KeyValueCache cache;
  at::Tensor next = prompts;
  Written written{prompts};
  for (int64_t i = 0; i < count; ++i) {
    if (!writing.cached) cache = {}, next = written.text;
    const at::Tensor logits = read_on(model, next, cache);
    written.read += next.size(1);
    next = draw_tokens(logits.select(1, logits.size(1) - 1), writing, stream);
    written.text = at::cat({written.text, next}, 1);
  }
  return written;
}

std::string write_line(const LanguageModel& model, const std::string& prompt, int64_t count,
                       const Writing& writing, uint64_t seed) {
  RandomStream stream(seed, prompt);
  std::vector<int64_t> bytes;
  for (const char byte : prompt) bytes.push_back(static_cast<unsigned char>(byte));
  const at::Tensor text =
      write_on(model, at::tensor(bytes, at::kLong).unsqueeze(0), count, writing, stream).text[0];
  std::string line;
  for (int64_t i = 0; i < text.size(0); ++i) {
    const auto byte = text[i].item<int64_t>();
    line += byte == '\n' ? '|' : byte < 32 || byte > 126 ? '?' : char(byte);
  }
  return line;
}

}  // namespace ringside::inline nn
