#include "memory_passes.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <thread>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace ringside {
namespace {

constexpr int64_t kAlignment = 64;                              // bytes: a line of the caches
constexpr int64_t kLine = kAlignment / int64_t{sizeof(float)};  // elements
constexpr float kRate = 1e-6F;                                  // so that no value runs away

// body(begin, end) for as many stretches of [0, count) as there are threads, each from a line's begin on.
void on_threads(int threads, int64_t count, const std::function<void(int64_t begin, int64_t end)>& body) {
  const auto cut = [&](int i) { return i == threads ? count : count / threads * i / kLine * kLine; };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&, i] { body(cut(i), cut(i + 1)); });
  body(0, cut(1));
}

void triad(int64_t count, float* __restrict a, const float* __restrict b, const float* __restrict c,
           float s) {
  for (int64_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
}

#ifdef __x86_64__
void streaming_triad(int64_t count, float* a, const float* b, const float* c, float s) {
  const int64_t whole = count / 4 * 4;
  const __m128 factor = _mm_set1_ps(s);
  for (int64_t i = 0; i < whole; i += 4)
    _mm_stream_ps(a + i, _mm_add_ps(_mm_load_ps(b + i), _mm_mul_ps(factor, _mm_load_ps(c + i))));
  _mm_sfence();
  triad(count - whole, a + whole, b + whole, c + whole, s);
}
#else
constexpr auto streaming_triad = triad;
#endif

}  // namespace

Floats::Floats(int64_t count, float scale) {
  const int64_t lines = (count + kLine - 1) / kLine;
  values_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, size_t(lines * kAlignment))));
  if (values_ == nullptr) throw std::bad_alloc();
  uint32_t random = 1;  // Numerical Recipes' generator: fast, and good enough for values to add up
  for (int64_t i = 0; i < lines * kLine; ++i) {
    random = random * 1664525U + 1013904223U;
    values_[size_t(i)] = scale * (0.5F + float(random >> 8) * 0x1p-24F);
  }
}

void Floats::Free::operator()(float* values) const { std::free(values); }

void Triad::run(int threads, bool streaming) {
  on_threads(threads, count_, [&](int64_t begin, int64_t end) {
    (streaming ? streaming_triad : triad)(end - begin, a_.data() + begin, b_.data() + begin,
                                          c_.data() + begin, kRate);
  });
}

bool Triad::can_stream() {
#ifdef __x86_64__
  return true;
#else
  return false;
#endif
}

int64_t bytes_per_parameter(const Optimizer& optimizer) {
  constexpr int64_t kFloat = sizeof(float);
  return kFloat + 2 * kFloat * (1 + std::ssize(optimizer.state()));
}

FusedPass::FusedPass(Optimizer optimizer, int64_t count)
    : optimizer_(std::move(optimizer)), count_(count), weights_(count, 1), gradient_(count, 1e-3F) {
  for (size_t i = 0; i < optimizer_.state().size(); ++i) state_.emplace_back(count, 1e-3F);
}

void FusedPass::run(int threads) {
  ++step_;
  on_threads(threads, count_, [&](int64_t begin, int64_t end) {
    Elements elements;
    elements.count = end - begin;
    elements.weights = weights_.data() + begin;
    elements.gradient = gradient_.data() + begin;
    for (const Floats& values : state_) elements.state.push_back(values.data() + begin);
    optimizer_.update(elements, {.learning_rate = kRate, .step = step_});
  });
}

int64_t last_level_cache_bytes() {
  int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    int64_t kib = 0;  // "32768K"
    if (file >> kib) largest = std::max(largest, kib * 1024);
  }
  return largest;
}

}  // namespace ringside
