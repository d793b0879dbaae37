// Buckets: which gradients travel together, and what a number in a log says of them.
#include <algorithm>
#include <numeric>

#include "drill.h"
#include "ringside/base/units.h"
#include "ringside/planner/buckets.h"
#include "ringside/planner/model_config.h"
#include "ringside/planner/reducer.h"

namespace ringside::inline kit {
namespace {

// Gradients w1, w2, ... in the order in which they are ready, in millions of elements.
std::vector<Gradient> some_gradients(Draw& draw, size_t count) {
  std::vector<Gradient> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back({.name = "w" + std::to_string(i + 1), .group = {}, .elements = draw.between(1, 9)});
  return all;
}
std::string listed(const std::vector<Gradient>& gradients) {
  std::string text;
  for (const Gradient& one : gradients)
    text += (text.empty() ? "" : ", ") + one.name + " " + std::to_string(one.elements);
  return text;
}
int64_t sum_of(const std::vector<Gradient>& all, size_t begin, size_t end) {
  return std::accumulate(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end), int64_t{0},
                         [](int64_t sum, const Gradient& one) { return sum + one.elements; });
}

DrawnQuestion ask_bucket_count(Draw& draw) {
  const std::vector<Gradient> all = some_gradients(draw, 8);
  const int64_t size = draw.between(10, 14), sum = sum_of(all, 0, all.size());
  const auto buckets = double(flush_points(all, size).size());
  return ask_number(
      fmt::format("Gradients become ready in this order, in millions of elements: {}. A bucket of {} is "
                  "flushed before a gradient that would lift it above. How many buckets are sent?",
                  listed(all), size),
      "buckets", buckets,
      {{"the sum divided", double((sum + size - 1) / size),
        "A gradient is never split, so buckets are not full."},
       {"forgot the last", buckets - 1, "What is left is flushed at the end of the backward."},
       {"one a gradient", double(all.size()), "Neighbours share a bucket."}},
      "add up until the next would not fit, flush, go on; the rest at the end");
}

DrawnQuestion ask_first_bucket(Draw& draw) {
  const std::vector<Gradient> all = some_gradients(draw, 7);
  const int64_t size = draw.between(11, 16);
  const size_t end = flush_points(all, size).front();
  const auto first = double(sum_of(all, 0, end));
  const size_t more = std::min(end + 1, all.size());
  return ask_number(
      fmt::format("Gradients become ready in this order, in millions of elements: {}. The bucket size is {} "
                  "million, tested before adding. How many million elements has the first all-reduce?",
                  listed(all), size),
      "million", first,
      {{"tested after adding", double(sum_of(all, 0, more)),
        "The gradient that does not fit opens the next bucket."},
       {"the bucket is full", double(size), "A gradient is never split."},
       {"one too few", double(sum_of(all, 0, end - 1)), "It still fits: strictly above flushes."}},
      "the longest prefix whose sum is at most the size");
}

DrawnQuestion ask_next_opens(Draw& draw) {
  const std::vector<Gradient> all = some_gradients(draw, 8);
  const int64_t size = draw.between(11, 16);
  const size_t end = std::min(flush_points(all, size).front(), all.size() - 1);
  const auto named = [&](size_t i) { return all[std::min(i, all.size() - 1)].name; };
  return ask_choice(
      draw,
      fmt::format("Gradients become ready in this order, in millions of elements: {}. Buckets of {}, tested "
                  "before adding. Which gradient opens the second bucket?",
                  listed(all), size),
      named(end),
      {{"tested after adding", {named(end + 1)}, "It does not enter the bucket that it would overfill."},
       {"one too early", {named(end - 1)}, "That one still fits."}},
      "the first one that would lift the sum above the size");
}

std::vector<ParameterShape> classifier(const std::string& model, int64_t classes) {
  return model_shapes(read_model_config(packaged_model(model)),
                      {ModelHead::Kind::kClassifier, classes, true});
}

DrawnQuestion ask_released_bucket(Draw& draw) {
  const std::string name =
      draw.pick<std::string>({"qwen2_5_7b", "llama_3_1_8b", "llama_2_7b", "qwen2_5_0_5b"});
  const int64_t classes = draw.between(5, 400),
                size = draw.pick<int64_t>({200'000'000, 300'000'000, 500'000'000});
  const TextSizes m = read_model_config(packaged_model(name)).text;
  const auto first = [&](GradientOrder order) {
    return plan_buckets(classifier(name, classes), {.bucket_size = size, .order = order}).buckets.front();
  };
  const double million = 1e6;
  const ReducedBucket bucket = first(GradientOrder::kBackward);
  return ask_number(
      fmt::format(
          "{} ({} layers, hidden {}, intermediate {}, keys of {}) with a head of {} classes and a bias; "
          "DeepSpeed's ZeRO-2, reduce_bucket_size {}. How many million elements has the first all-reduce?",
          name, m.layers, m.hidden, m.intermediate, m.kv_heads * m.head_size, classes, format_count(size)),
      "million", double(bucket.elements) / million,
      {{"the bucket is full", double(size) / million, "A gradient is never split."},
       {"from the embedding on", double(first(GradientOrder::kParameters).elements) / million,
        "The backward begins at the head."}},
      fmt::format("{} gradients from the head backwards", bucket.end - bucket.begin));
}

DrawnQuestion ask_first_ready(Draw& draw) {
  const std::string name = draw.pick<std::string>({"qwen2_5_7b", "llama_3_1_8b", "llama_2_7b"});
  const std::vector<Gradient> order =
      gradients_in(GradientOrder::kBackward, classifier(name, draw.between(10, 300)));
  return ask_choice(
      draw,
      fmt::format("{} as a classifier with a biased head. Whose gradient is ready first in the backward?",
                  name),
      order.front().name,
      {{"as constructed",
        {gradients_in(GradientOrder::kParameters, classifier(name, 10)).front().name},
        "That one is ready last: the forward uses it first."},
       {"weight before bias", {order[1].name}, "A linear layer's bias is ready just before its weight."},
       {"the largest first",
        {"model.layers.0.mlp.down_proj.weight"},
        "Size has no say: the node created last runs first."}},
      "the head's bias: autograd runs backwards through the forward");
}

DrawnQuestion ask_padding(Draw& draw) {
  const int64_t n = draw.pick({3, 6, 7, 12, 24}), numel = draw.between(50, 400) * 10 + draw.between(1, 9);
  const int64_t padded = (numel + n - 1) / n * n;
  return ask_number(
      fmt::format(
          "A bucket of {} elements is cut into {} equal shards. How many elements of padding does it need?",
          numel, n),
      "elements", double(padded - numel),
      {{"the remainder", double(numel % n), "Padding fills up to the next multiple: N minus the remainder."},
       {"a shard", double(padded / n), "At most N-1 elements are missing."},
       {"N", double(n), "Only up to the next multiple of N."}},
      "(-n) mod N");
}

DrawnQuestion ask_shard(Draw& draw) {
  const int64_t n = draw.pick({3, 5, 6, 7}), numel = draw.between(20, 90), k = draw.between(1, n - 1);
  const int64_t begin = k * numel / n, ceil = (numel + n - 1) / n;
  if (numel % n == 0) return ask_shard(draw);
  return ask_number(
      fmt::format("{} elements are cut into {} chunks, chunk k = [k n / N, (k+1) n / N) in whole numbers. "
                  "Where does chunk {} begin?",
                  numel, n, k),
      "elements", double(begin),
      {{"chunks of the ceiling", double(k * ceil), "Then the last chunk may be short or empty."},
       {"chunks of the floor", double(k * (numel / n)), "Then a remainder is left over."},
       {"the chunk behind", double((k + 1) * numel / n), "That is its end."}},
      "k · n / N, rounded down");
}

DrawnQuestion ask_numel(Draw& draw) {
  const int64_t h = draw.pick({3584, 4096, 5120}), classes = draw.between(20, 300), bias = classes, norm = h,
                layer = draw.between(150, 250) * 1'000'000 + h;
  const int64_t numel = bias + classes * h + norm + layer;
  return ask_number(
      fmt::format("A watchdog prints NumelIn={}. The head has h = {} inputs and a bias, behind it come the "
                  "final norm ({}) and one layer ({}). How many classes has the head?",
                  numel, h, h, layer),
      "classes", double(classes),
      {{"forgot layer and norm", double(numel / (h + 1)), "Take away what else is in the bucket first."},
       {"doubled", double(2 * classes), "Weight and bias of a class have h + 1 elements."}},
      "(NumelIn - norm - layer) / (h + 1)");
}

}  // namespace

std::vector<Drill> drills_of_buckets() {
  const std::string t = "buckets", rule = "DeepSpeed 0.16.5, stage_1_and_2.py", lesson = "nccl_timeout",
                    plan = "ringside plan buckets --config assets/models/qwen2_5_7b.json";
  return {
      {"bucket_count", t, 2, lesson, rule, plan, ask_bucket_count,
       "The rule tests before it adds: a gradient that would lift the bucket above its size flushes it "
       "first, and opens the next one.",
       "A gradient larger than the size has a bucket to itself."},
      {"first_bucket", t, 1, lesson, rule, plan, ask_first_bucket,
       "Gradients enter in the order in which the backward makes them, until the next would not fit.",
       "The sum is a fingerprint: from NumelIn alone one finds which gradients it is."},
      {"next_opens", t, 1, lesson, rule, plan, ask_next_opens,
       "Flush comes before adding, so what does not fit is the first of the next bucket.",
       "PyTorch's DDP decides the cut when it is constructed, and rebuilds it after the first step."},
      {"released_bucket", t, 3, lesson, rule, plan, ask_released_bucket,
       "The backward begins at the head: its bias and weight, the final norm, then layers from the last one "
       "on, as long as they fit.",
       "A head's number of classes changes the first bucket: that identifies the job in a log."},
      {"first_ready", t, 2, lesson, "ours", plan, ask_first_ready,
       "Autograd runs the node that was created last first, so gradients come in reverse order of use; a "
       "linear layer's bias before its weight.",
       "A tied head is ready last, with the embedding."},
      {"padding", t, 1, "zero", "ours", "ringside run zero ranks=3", ask_padding,
       "Shards are equal, so a bucket is filled up to the next multiple of N.",
       "Padding is in the ledger as a reason of its own; one bucket a unit makes more of it."},
      {"shard_begin", t, 2, "rounding", "ours", "ringside run zero ranks=3", ask_shard,
       "k n / N in whole numbers spreads the remainder: chunks differ by one element at most, and none is "
       "empty where n is N or more.",
       "Compute with 64 bits: k n overflows 32 at 2^31 elements."},
      {"numel", t, 3, lesson, "A",
       "ringside plan explain 467019003 --config assets/models/qwen2_5_vl_7b.json", ask_numel,
       "The first bucket begins with the head: C h + C elements. Take away norm and layers, divide by h + 1; "
       "a remainder of 0 confirms it.",
       "Several prefixes may fit: the flush rule decides between them."},
  };
}

}  // namespace ringside::inline kit
