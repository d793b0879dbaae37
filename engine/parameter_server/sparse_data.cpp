#include "ringside/parameter_server/sparse_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"

namespace ringside::ps {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// The next word of the line, which gets shorter; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

template <typename T>
bool read_number(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(int64_t line, std::string_view word, const char* what) {
  throw InputError(fmt::format("SVMLight, line {}: '{}' {}", line, as_typed(word), what));
}

void take_feature(std::string_view word, int64_t line, SparseSample& sample) {
  const size_t colon = word.find(':');
  uint64_t key = 0;
  float value = 0;
  if (colon == std::string_view::npos || !read_number(word.substr(0, colon), key) ||
      !read_number(word.substr(colon + 1), value) || !std::isfinite(value))
    refuse(line, word, "is no KEY:VALUE");
  if (!sample.keys.empty() && key <= sample.keys.back()) refuse(line, word, "has a key that does not rise");
  sample.keys.push_back(key);
  sample.values.push_back(value);
}

}  // namespace

std::vector<SparseSample> parse_svmlight(std::string_view text) {
  std::vector<SparseSample> samples;
  for (int64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::string_view label = take_word(line);
    if (label.empty()) continue;
    double value = 0;
    if (!read_number(label, value) || !std::isfinite(value)) refuse(number, label, "is no label");
    SparseSample& sample = samples.emplace_back(SparseSample{.label = value > 0});
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
      take_feature(word, number, sample);
  }
  return samples;
}

std::vector<SparseSample> power_law_samples(const SparseDataConfig& config) {
  std::vector<double> reaches(config.keys);  // the share of this key and of those before it
  for (uint64_t key = 0; key < config.keys; ++key)
    reaches[key] = std::pow(static_cast<double>(key + 1), -config.exponent);
  std::partial_sum(reaches.begin(), reaches.end(), reaches.begin());
  std::vector<double> weights(config.keys);
  RandomStream hidden(config.seed, "hidden weights"), random(config.seed, "power law");
  for (double& weight : weights) weight = hidden.normal();

  std::vector<SparseSample> samples(static_cast<size_t>(config.samples));
  for (SparseSample& sample : samples) {
    std::set<uint64_t> keys;
    for (int64_t field = 0; field < config.fields; ++field) {
      const double draw = random.uniform() * reaches.back();
      const auto found = std::upper_bound(reaches.begin(), reaches.end() - 1, draw) - reaches.begin();
      keys.insert(static_cast<uint64_t>(found));
    }
    double score = 0;
    for (const uint64_t key : keys) score += weights[key];
    sample.label = random.uniform() < config.noise ? random.below(2) == 1 : score > 0;
    sample.keys.assign(keys.begin(), keys.end());
    sample.values.assign(keys.size(), 1.0F);
  }
  return samples;
}

}  // namespace ringside::ps
