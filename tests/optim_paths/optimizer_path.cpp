// A path of an optimizer's update rule, for a program that holds it against another implementation.
//
//   optimizer_path NAME RATE ROWS COLUMNS STEPS FOLDER [HYPERPARAMETER=VALUE ...]
//
// One parameter of ROWS x COLUMNS; of COLUMNS alone where ROWS is 0. Reads FOLDER/start (n), FOLDER/gradients
// (STEPS, n) and FOLDER/curvature (n), doubles as this machine has them: the gradient of a step is its row
// and the curvature times the weights. Writes the weights after the last step, doubles, FOLDER/fp32, and
// FOLDER/fp64 where the rule is written for double.
#include <algorithm>
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
             const Doubles& start, const Doubles& gradients, const Doubles& curvature) {
  std::vector<Real> weights(start.begin(), start.end());
  ElementsOf<Real> elements;
  elements.count = static_cast<int64_t>(weights.size());
  std::vector<std::vector<Real>> state;
  for (const StateSpec& one : optimizer.state())
    state.emplace_back(static_cast<size_t>(one.count(shape, elements.count)));
  elements.weights = weights.data();
  elements.is_parameter = true;
  elements.shape = shape;
  for (std::vector<Real>& values : state) elements.state.push_back(values.data());
  for (int64_t step = 1; step <= steps; ++step) {
    const auto* from = gradients.data() + (step - 1) * elements.count;
    std::vector<Real> gradient(from, from + elements.count);
    for (size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = static_cast<Real>(curvature[i]) * weights[i] + gradient[i];
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
  const int64_t rows = std::stoll(words[2]), columns = std::stoll(words[3]), steps = std::stoll(words[4]);
  const std::vector<int64_t> shape = rows == 0 ? std::vector{columns} : std::vector{rows, columns};
  const int64_t count = std::max<int64_t>(rows, 1) * columns;
  const std::filesystem::path folder = words[5];
  const Doubles start = read(folder / "start", count), gradients = read(folder / "gradients", steps * count);
  const Doubles curvature = read(folder / "curvature", count);
  const Optimizer optimizer = make_optimizer(config);
  write(folder / "fp32", path<float>(optimizer, shape, rate, steps, start, gradients, curvature));
  if (optimizer.spec().update.in_double)
    write(folder / "fp64", path<double>(optimizer, shape, rate, steps, start, gradients, curvature));
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
