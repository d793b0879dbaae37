// Vectors of one kind for a while; those that were in use come back.
#pragma once

#include "ringside/base/vectors.h"

namespace ringside::testing {

class VectorsScope {
 public:
  explicit VectorsScope(Vectors vectors) : before_(vectors_in_use()) { use_vectors(vectors); }
  ~VectorsScope() { use_vectors(before_); }
  VectorsScope(const VectorsScope&) = delete;
  VectorsScope& operator=(const VectorsScope&) = delete;

 private:
  Vectors before_;
};

}  // namespace ringside::testing
