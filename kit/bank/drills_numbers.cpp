// Numbers: rounding, updates, softmax, losses.
#include <cmath>

#include "drill.h"
#include "ringside/base/bfloat16.h"
#include "ringside/optim/optimizer.h"

namespace ringside::inline kit {
namespace {

double in_bf16(double value) { return bf16_to_float(float_to_bf16(float(value))); }

DrawnQuestion ask_bf16(Draw& draw) {
  const int64_t base = draw.pick({512, 1024, 2048, 4096}), k = draw.between(3, 60);
  const double gap = double(base) / 128, right = in_bf16(double(base + k)) - double(base);
  const double below = std::floor(double(k) / gap) * gap, other = right == below ? below + gap : below;
  return ask_number(
      fmt::format("bf16 has 8 bits of precision. {} is rounded to bf16: how far above {} does it lie then?",
                  base + k, base),
      "", right,
      {{other < right ? "cut off" : "rounded up", other, "It goes to the nearest neighbour, ties to even."},
       {"exact", double(k), "Between 2^n and 2^(n+1) there are 128 values."}},
      fmt::format("neighbours are {:g} apart there", gap));
}

DrawnQuestion ask_bf16_sum(Draw& draw) {
  const int64_t start = draw.pick({64, 128, 192}), times = draw.pick({300, 400, 500});
  double sum = double(start);
  for (int64_t i = 0; i < times; ++i) sum = in_bf16(sum + 1);
  return ask_number(
      fmt::format("A bf16 sum stands at {}. 1 is added {} times, rounded each time. Where does it end?",
                  start, times),
      "", sum,
      {{"no rounding", double(start + times),
        "From 256 on neighbours are 2 apart: half of that is rounded to even."},
       {"it never moves", double(start), "Below 256 adding 1 is exact."},
       {"11 bits", 2048, "That is fp16."}},
      "it stops at 256, where 1 is half of a gap");
}

DrawnQuestion ask_fp16_range(Draw& draw) {
  const int64_t scale = draw.pick({1024, 4096, 65536});
  const double right = 65504.0 / double(scale);
  return ask_number(
      fmt::format("fp16 with a loss scale of {}. From which size on does a gradient overflow?", scale), "",
      right,
      {{"bf16's range", 3.4e38 / double(scale), "fp16 has 5 bits of exponent."},
       {"the scale divides twice", right / double(scale), "It is applied once, to the loss."},
       {"no scale", 65504, "What is stored is gradient times scale."}},
      "65504 / scale");
}

DrawnQuestion ask_adamw_first(Draw& draw) {
  const double rate = draw.pick({0.1, 0.01}), weight = draw.pick({1.0, 2.0, 4.0}),
               gradient = draw.pick({0.02, 0.5, 3.0}), decay = draw.pick({0.1, 0.5});
  const Optimizer adamw = make_optimizer({.name = "adamw", .values = {{"weight_decay", decay}}});
  double value = weight, m = 0, v = 0;
  adamw.update(ElementsOf<double>{.count = 1, .weights = &value, .gradient = &gradient, .state = {&m, &v}},
               {.learning_rate = rate, .step = 1});
  return ask_number(fmt::format("AdamW's first step: learning rate {:g}, weight {:g}, gradient {:g}, weight "
                                "decay {:g}. By how much does the weight fall?",
                                rate, weight, gradient, decay),
                    "", weight - value,
                    {{"as SGD", rate * gradient + rate * decay * weight,
                      "m / sqrt(v) is ±1 in the first step, whatever the gradient."},
                     {"no decay", rate, "Decay adds lr · λ · w."},
                     {"no bias correction", rate * (0.1 / std::sqrt(0.001)) + rate * decay * weight,
                      "m and v are divided by 1 - β: the factors 0.1 and 0.001 go."}},
                    "lr · (1 + λ w)");
}

DrawnQuestion ask_bias_correction(Draw& draw) {
  const int64_t t = draw.pick({1, 2, 5, 10, 20});
  const double beta = draw.pick({0.9, 0.99, 0.999}), right = 1 / (1 - std::pow(beta, double(t)));
  return ask_number(
      fmt::format("Adam's moment with β = {:g}: by which factor does bias correction multiply it in step {}?",
                  beta, t),
      "", right,
      {{"of the first step", 1 / (1 - beta), "The exponent is the step."},
       {"1 / β^t", std::pow(beta, -double(t)), "The weights of t values sum to 1 - β^t."},
       {"none", 1, "Early moments begin at 0 and are too small."}},
      "1 / (1 - β^t)");
}

DrawnQuestion ask_softmax_two(Draw& draw) {
  const double d = draw.pick({1.0, 2.0, 3.0, 4.0}), right = 100 / (1 + std::exp(-d));
  return ask_number(
      fmt::format("Two logits differ by {:g}. What probability does softmax give the larger one, in %?", d),
      "%", right,
      {{"base 2", 100 / (1 + std::exp2(-d)), "Its base is e."},
       {"the smaller one", 100 - right, "e^-d / (1 + e^-d) is the other."},
       {"the ratio", 100 / (1 + d), "Probabilities are in the ratio e^d."}},
      "1 / (1 + e^-d)");
}

DrawnQuestion ask_softmax_shift(Draw& draw) {
  const double c = draw.pick({10.0, 100.0, -50.0});
  return ask_choice(
      draw,
      fmt::format("{:g} is added to every logit of a row. What does softmax give, computed exactly?", c),
      "the same as before",
      {{"sharper", {"a sharper distribution"}, "Only differences count; a factor would sharpen."},
       {"scaled", {fmt::format("all times e^{:g}", c)}, "The sum has the same factor."},
       {"overflow", {"infinities and NaN"}, "That is fp arithmetic; libraries take away the maximum."}},
      "e^c stands above and below the line");
}

DrawnQuestion ask_softmax_gradient(Draw& draw) {
  const double p = draw.pick({0.1, 0.2, 0.3, 0.8});
  return ask_number(
      fmt::format("Softmax gives an entry p = {:g}. What is the derivative of p by its own logit?", p), "",
      p * (1 - p),
      {{"as exp", p, "The sum grows too: -p² is missing."},
       {"off the diagonal", -p * p, "That is by another logit of the same p."},
       {"cross entropy's", p - 1, "That is the loss by the logit."}},
      "p (1 - p)");
}

DrawnQuestion ask_temperature(Draw& draw) {
  const double t = draw.pick({0.05, 0.07, 0.1, 2.0}), p = draw.pick({0.2, 0.6});
  return ask_number(
      fmt::format("Cross entropy of logits divided by T = {:g}; the right class has probability {:g}. What "
                  "is the gradient of the loss by the logit of the right class, before the division?",
                  t, p),
      "", (p - 1) / t,
      {{"forgot T", p - 1, "The chain rule gives a factor 1/T."},
       {"times T", (p - 1) * t, "z/T has the derivative 1/T."},
       {"wrong sign", (1 - p) / t, "The loss falls when this logit grows."}},
      "(p - 1) / T");
}

DrawnQuestion ask_first_loss(Draw& draw) {
  const int64_t classes = draw.pick({10, 251, 1000, 32000, 128256});
  const double right = std::log(double(classes));
  return ask_number(
      fmt::format(
          "A classifier of {} classes at random initialization. Which cross entropy (nats) is expected?",
          classes),
      "", right,
      {{"bits", right / std::log(2), "PyTorch's loss is in nats."},
       {"one", 1, "Uniform predictions cost ln C."},
       {"base ten", right / std::log(10), "The natural logarithm."}},
      "ln C");
}

DrawnQuestion ask_global_norm(Draw& draw) {
  const double a = draw.pick({3.0, 6.0, 5.0}), b = draw.pick({4.0, 8.0, 12.0}), right = std::hypot(a, b);
  return ask_number(fmt::format("Two ranks hold shards of the gradient with norms {:g} and {:g}. What is the "
                                "norm of the whole gradient?",
                                a, b),
                    "", right,
                    {{"summed", a + b, "Squares add up, norms do not."},
                     {"the mean", (a + b) / 2, "Each rank has other elements."},
                     {"the largest", std::max(a, b), "That is the norm of the maximum."}},
                    "√(a² + b²): all-reduce the squares");
}

DrawnQuestion ask_uneven(Draw& draw) {
  const int64_t few = draw.pick({100, 200}), many = draw.pick({700, 900, 1800});
  const double a = draw.pick({4.0, 5.0, 6.0}), b = draw.pick({1.0, 2.0}),
               right = (a * double(few) + b * double(many)) / double(few + many);
  return ask_number(
      fmt::format("Two micro-batches: {} tokens with mean loss {:g}, {} tokens with mean loss {:g}. What is "
                  "the mean loss a token of both?",
                  few, a, many, b),
      "", right,
      {{"mean of means", (a + b) / 2, "It weighs a short batch as much as a long one."},
       {"weights swapped", (a * double(many) + b * double(few)) / double(few + many),
        "Each mean counts with its own tokens."},
       {"the sum", a + b, "A mean lies between both."}},
      "weighted by tokens");
}

}  // namespace

std::vector<Drill> drills_of_numbers() {
  const std::string t = "numbers", adam = "arXiv:1711.05101";
  return {
      {"bf16", t, 2, "rounding", "ours", "ringside run rounding", ask_bf16,
       "8 bits of precision: between 2^n and 2^(n+1) there are 128 values. It rounds to the nearest, ties to "
       "even.",
       "The relative error is at most 2^-8: half of a gap, just above a power of two; an fp32 sum that is "
       "rounded once keeps that."},
      {"bf16_sum", t, 2, "rounding", "a common belief", "ringside run rounding", ask_bf16_sum,
       "Up to 256 adding 1 is exact. There neighbours are 2 apart, 257 lies between two, and the even one is "
       "256.",
       "So weights are updated in an fp32 master copy: lr · update is below half of a gap."},
      {"fp16_range", t, 2, "rounding", "arXiv:1710.03740", "ringside run rounding", ask_fp16_range,
       "fp16 ends at 65504. The scaled gradient is what is stored, so the limit is 65504 divided by the "
       "scale.",
       "Dynamic scaling halves on overflow, skips the step and doubles after 2,000 good ones; bf16 needs "
       "none."},
      {"adamw_first", t, 2, "optimizers", adam, "ringside run optimizers", ask_adamw_first,
       "After bias correction m = g and v = g², so the step is lr times the sign of g. Decay takes lr λ w "
       "more, beside the moments.",
       "So warm-up: the first steps are as large as the rate, whatever the gradient."},
      {"bias_correction", t, 1, "optimizers", "arXiv:1412.6980", "ringside run optimizers",
       ask_bias_correction, "The moment begins at 0, and the weights of t gradients sum to 1 - β^t.",
       "For β2 = 0.999 it matters for thousands of steps."},
      {"softmax_two", t, 1, "softmax_graph", "ours", "ringside run softmax_graph", ask_softmax_two,
       "Divide above and below by e^z: a sigmoid of the difference.",
       "It is how a reward model turns two scores into a preference."},
      {"softmax_shift", t, 1, "softmax_graph", "a common belief", "ringside run softmax_graph",
       ask_softmax_shift, "e^(z+c) = e^c e^z, in every term: it cancels.",
       "So max is taken away first, and online softmax may change the maximum while it goes."},
      {"softmax_gradient", t, 2, "softmax_graph", "ours", "ringside run softmax_graph", ask_softmax_gradient,
       "The Jacobian is diag(p) - p pᵀ: p (1 - p) on the diagonal.",
       "The backward needs the output alone, so the input need not be kept."},
      {"temperature", t, 3, "grouping", "arXiv:2002.05709", "ringside run grouping", ask_temperature,
       "The loss by z/T is p - y, and z/T has the derivative 1/T by z.",
       "A small T multiplies gradients: learnable temperatures are clamped."},
      {"first_loss", t, 1, "stages", "a common belief", "ringside run stages", ask_first_loss,
       "Random logits give about 1/C to each class: -ln(1/C).",
       "A first loss far above it says that the logits' scale, or the labels, are wrong."},
      {"global_norm", t, 1, "zero", "ours", "ringside run zero", ask_global_norm,
       "Each rank has other elements; their squares add up over ranks.",
       "Replicated parameters must be counted once; the order of the sum changes bits."},
      {"uneven", t, 2, "stages", "a common belief", "ringside run stages", ask_uneven,
       "A mean of means weighs every token of a short micro-batch more.",
       "transformers had this error with gradient accumulation: divide once by all tokens, over ranks too."},
  };
}

}  // namespace ringside::inline kit
