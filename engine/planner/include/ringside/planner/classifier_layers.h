// The layers of the classifier as far as they are known without tensors: each declares the parameters it
// uses, under Hugging Face's names, and keeps their handles. nn/layers.h and nn/norm.h compute them.
// This is the one list of them: order here is the order of hashes, buckets and ledger.
#pragma once

#include "ringside/planner/shapes.h"

namespace ringside {

struct LinearLayer {  // x W^T + b
  Parameter weight, bias;
  void declare(Declaration& model, const std::string& name, int64_t out, int64_t in, bool has_bias);
};

struct AttentionLayer {
  LinearLayer q, k, v, o;
  void declare(Declaration& model, const std::string& name, const ClassifierConfig& config);
};

struct SwigluLayer {
  LinearLayer gate, up, down;
  void declare(Declaration& model, const std::string& name, const ClassifierConfig& config);
};

struct DecoderLayer {
  NormLayer attention_norm;
  AttentionLayer attention;
  NormLayer mlp_norm;
  SwigluLayer mlp;
  void declare(Declaration& model, const ClassifierConfig& config);
};

struct ClassifierLayers {
  Parameter embedding;
  std::vector<DecoderLayer> decoder;
  NormLayer norm;
  LinearLayer score;
  // A unit for the embedding, one for each decoder layer, one for norm and score. UsageError as
  // classifier_shapes.
  void declare(Declaration& model, const ClassifierConfig& config);
};

}  // namespace ringside
