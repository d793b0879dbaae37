// One number of a block is changed: which outputs move?
#include "blocks.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/norm.h"
#include "ringside/nn/set_norm.h"

namespace ringside::lessons::norms {

const std::vector<std::string> kNames = {"layer", "rms", "instance", "group", "batch"};

at::Tensor noise(at::IntArrayRef shape, uint64_t seed) { return normal_numbers(shape, seed, "norms"); }

at::Tensor normalised(const std::string& norm, const at::Tensor& x, const at::Tensor& real) {
  const int64_t H = x.size(-1);
  const at::Tensor weight = at::ones({H}), bias = at::zeros({H});
  BatchStatistics unused;
  if (norm == "layer") return layer_norm(x, weight, bias, kEps);
  if (norm == "rms") return fused_rms_norm(x, weight, kEps);
  if (norm == "batch") return train_batch_norm(x, weight, bias, kEps, real, nullptr, norm, unused);
  return group_norm(x, weight, bias, norm == "group" ? kGroups : H, kEps, real);
}

at::Tensor real_tokens(const std::vector<int64_t>& lengths, int64_t tokens) {
  at::Tensor real = at::zeros({std::ssize(lengths), tokens}, at::kBool);
  for (size_t b = 0; b < lengths.size(); ++b) real[int64_t(b)].narrow(0, 0, lengths[b]).fill_(true);
  return real;
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).norm().item<double>() / b.norm().item<double>();
}
double apart(const at::Tensor& a, const at::Tensor& b) {
  return std::sqrt((a - b).pow(2).mean().item<double>());
}

Cell cell_of_text(const std::string& text) {
  const auto digit = [&](size_t at, int64_t below) {
    const int64_t value = text.size() == 5 ? text[at] - '0' : -1;
    return value >= 0 && value < below ? value : -1;
  };
  const Cell cell{digit(0, kSamples), digit(2, kTokens), digit(4, kFeatures)};
  if (cell.sample < 0 || cell.token < 0 || cell.feature < 0 || text[1] != ',' || text[3] != ',')
    throw UsageError(tr("cell={}: sample, token and feature are wanted, as 0,1,1: up to {},{},{}", text,
                        kSamples - 1, kTokens - 1, kFeatures - 1));
  if (cell.is_padding()) throw UsageError(tr("cell={}: the last token of sample 1 is padding", text));
  return cell;
}

// Every number in turn, so that each cell's set is known; 0.5 is added to it.
void record_cells(const Pens& pen) {
  Recorder& recorder = pen(kCells);
  const at::Tensor real = real_tokens({kTokens, kTokens - 1}, kTokens),
                   x = noise({kSamples, kTokens, kFeatures}, 1);
  for (const std::string& norm : kNames)
    for (int64_t changed = 0; changed < x.numel(); ++changed) {
      const at::Tensor other = x.clone();
      other.data_ptr<float>()[changed] += 0.5f;
      const at::Tensor moved = (normalised(norm, other, real) - normalised(norm, x, real)).abs();
      for (int64_t i = 0; i < moved.numel(); ++i)
        if (const double by = moved.data_ptr<float>()[i]; by > 0)
          record_row(recorder, CellRow{norm, changed, i, by});
    }
}

}  // namespace ringside::lessons::norms
