// A path of an optimizer's update rule, for a program that holds it against another implementation.
//
//   optimizer_path NAME RATE ROWS COLUMNS STEPS FOLDER [HYPERPARAMETER=VALUE ...]
//
// One parameter of ROWS x COLUMNS. Reads FOLDER/start (n) and FOLDER/gradients (STEPS, n), doubles as this
// machine has them; writes the weights after the last step, doubles, FOLDER/fp32, and FOLDER/fp64 where the
// rule is written for double.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include "ringside/base/error.h"
#include "ringside/optim/optimizer.h"

namespace ringside {
namespace {

using Doubles = std::vector<double>;

Doubles read(const std::filesystem::path& file, int64_t count) {
  Doubles values(static_cast<size_t>(count));
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(values.data()), count * int64_t{sizeof(double)}))
    throw UsageError(file.string() + ": has fewer than " + std::to_string(count) + " doubles");
  return values;
}

void write(const std::filesystem::path& file, const Doubles& values) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
}

template <typename Real>
Doubles path(const Optimizer& optimizer, const std::vector<int64_t>& shape, double rate, int64_t steps,
             const Doubles& start, const Doubles& gradients) {
  std::vector<Real> weights(start.begin(), start.end());
  std::vector<std::vector<Real>> state(optimizer.state().size(), std::vector<Real>(weights.size()));
  ElementsOf<Real> elements;
  elements.count = static_cast<int64_t>(weights.size());
  elements.weights = weights.data();
  elements.shape = shape;
  for (std::vector<Real>& values : state) elements.state.push_back(values.data());
  for (int64_t step = 1; step <= steps; ++step) {
    const auto* from = gradients.data() + (step - 1) * elements.count;
    const std::vector<Real> gradient(from, from + elements.count);
    elements.gradient = gradient.data();
    optimizer.update(elements, {.learning_rate = rate, .step = step});
  }
  return {weights.begin(), weights.end()};
}

void run(const std::vector<std::string>& words) {
  if (words.size() < 6)
    throw UsageError("optimizer_path NAME RATE ROWS COLUMNS STEPS FOLDER [NAME=VALUE ...]");
  OptimizerConfig config{.name = words[0]};
  for (size_t i = 6; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    config.values[words[i].substr(0, equals)] = std::stod(words[i].substr(equals + 1));
  }
  const double rate = std::stod(words[1]);
  const std::vector<int64_t> shape = {std::stoll(words[2]), std::stoll(words[3])};
  const int64_t steps = std::stoll(words[4]), count = shape[0] * shape[1];
  const std::filesystem::path folder = words[5];
  const Doubles start = read(folder / "start", count), gradients = read(folder / "gradients", steps * count);
  const Optimizer optimizer = make_optimizer(config);
  write(folder / "fp32", path<float>(optimizer, shape, rate, steps, start, gradients));
  if (optimizer.spec().update.in_double)
    write(folder / "fp64", path<double>(optimizer, shape, rate, steps, start, gradients));
}

}  // namespace
}  // namespace ringside

int main(int count, char** arguments) {
  try {
    ringside::run({arguments + 1, arguments + count});
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
