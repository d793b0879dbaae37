// Adapters of low rank in the format of the library peft: a folder with adapter_config.json and
// adapter_model.safetensors. Hu et al. 2021, arXiv:2106.09685; the scale by sqrt(r): Kalajdzievski 2023,
// arXiv:2312.03732.
//
//   W' = W + s B A,  s = alpha / r, or alpha / sqrt(r) where the file says use_rslora
//
// W: (out, in); A "base_model.model.NAME.lora_A.weight": (r, in); B "...lora_B.weight": (out, r). Parameters
// that the adapter has whole ("modules_to_save", as a new head) take the place of the base's. Refused by
// name, as merging them is something else: DoRA, biases, ranks or alphas that differ by module, transposed
// weights, adapters that change the base when they begin (PiSSA, OLoRA), adapted embeddings.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ringside/weights/safetensors.h"

namespace ringside::inline pretrained {

class LoraAdapter {
 public:
  // InputError naming the file, the field or tensor and what is allowed.
  explicit LoraAdapter(const std::filesystem::path& folder);

  const std::string& base() const { return base_; }  // base_model_name_or_path
  // What the file has whole under this name; null: it has not.
  const WeightTensor* whole(const std::string& name) const;
  bool changes(const std::string& name) const { return pairs_.contains(name); }
  // values: (out, in), of the parameter of this name. InputError where A and B have other sizes.
  void add_to(const std::string& name, std::span<const int64_t> shape, std::span<float> values) const;
  std::vector<std::string> names() const;  // of all that it changes or has whole

 private:
  struct Pair {
    const WeightTensor *a = nullptr, *b = nullptr;
  };
  void read_config(const std::string& json);
  void take(const WeightTensor& tensor);

  std::string named_, base_;
  double scale_ = 1;
  int64_t rank_ = 0;
  SafetensorsFile file_;
  std::map<std::string, Pair> pairs_;                 // by "model.layers.0.self_attn.q_proj.weight"
  std::map<std::string, const WeightTensor*> whole_;  // by "score.weight"
};

}  // namespace ringside::inline pretrained
