#include "ringside/nn/buffers.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline nn {

void add_to(Sha256& hash, const std::string& name, const at::Tensor& tensor) {
  hash.update(name);
  const at::Tensor read = on_host(tensor);
  hash.update(read.data_ptr(), read.nbytes());
}

Buffers::Buffers(const std::vector<BufferShape>& declared, at::Device device) {
  for (const BufferShape& buffer : declared) {
    const MemoryScope scope(Category::kBuffers, "", buffer.name);
    names_.push_back(buffer.name);
    rank_local_.push_back(buffer.rank_local);
    tensors_.push_back(at::full(buffer.shape, buffer.initial, at::TensorOptions(at::kFloat).device(device)));
  }
}

const at::Tensor& Buffers::operator[](const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  RINGSIDE_CHECK(found != names_.end(), "no buffer " << name);
  return tensors_[static_cast<size_t>(found - names_.begin())];
}

void Buffers::load(ProcessGroup& group) {
  for (size_t i = 0; i < tensors_.size(); ++i)
    group.broadcast(view_of(tensors_[i]), 0, {"initial", names_[i]})->wait();
}

void Buffers::note_hashes(Recorder& recorder, int64_t step) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Sha256 hash;
    const at::Tensor read = on_host(tensors_[i]);
    hash.update(read.data_ptr(), read.nbytes());
    record_row<TensorHash>(
        recorder, {std::string(to_string(Category::kBuffers)), names_[i], step, hash.hex().substr(0, 16)});
  }
}

}  // namespace ringside::inline nn
