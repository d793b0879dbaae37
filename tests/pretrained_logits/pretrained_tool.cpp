// What transformers is held against (against_transformers_test.py):
//   pretrained_tool logits FOLDER    rows of tokens on stdin, a line each; their logits, flat, a line each
//   pretrained_tool copy IN OUT MOST reads a model and writes it, in files of MOST bytes
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "pretrained_logits.h"

namespace {

using namespace ringside;

void print_logits(const std::string& folder) {
  std::vector<std::vector<int64_t>> rows;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    rows.emplace_back(std::istream_iterator<int64_t>(words), std::istream_iterator<int64_t>());
  }
  for (const at::Tensor& logits : testing::logits_of(PretrainedModel(folder), rows)) {
    const at::Tensor flat = logits.contiguous().flatten();
    for (int64_t i = 0; i < flat.numel(); ++i) std::cout << fmt::format("{:.9g} ", flat.data_ptr<float>()[i]);
    std::cout << "\n";
  }
}

void copy(const std::string& from, const std::string& to, int64_t most_bytes) {
  const PretrainedModel model(from);
  std::vector<ConstView> values;
  for (size_t i = 0; i < model.parameters(); ++i) values.push_back(model.values(i));
  write_pretrained(to, model.config(), values, most_bytes);
}

}  // namespace

int main(int count, char** words) {
  at::set_num_threads(1);
  try {
    if (count == 3 && std::string_view(words[1]) == "logits") return print_logits(words[2]), 0;
    if (count == 5 && std::string_view(words[1]) == "copy")
      return copy(words[2], words[3], std::stoll(words[4])), 0;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
  return 2;
}
