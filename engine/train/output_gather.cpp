#include "output_gather.h"

#include <algorithm>

#include "ringside/data_parallel/bucket_storage.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

at::Tensor empty_for_ranks(int ranks, const at::Tensor& own) {
  std::vector<int64_t> shape = own.sizes().vec();
  shape.insert(shape.begin(), ranks);
  return at::empty(shape, own.options());
}

}  // namespace

OutputGather::OutputGather(ProcessGroup& group, GatherTransfer transfer, int64_t chunk)
    : group_(group), transfer_(transfer), chunk_(chunk) {}

void OutputGather::all_gather(const at::Tensor& own, const at::Tensor& all, const Tag& tag) {
  group_.all_gather(view_of(own), view_of(all), tag)->wait();
  received_ += static_cast<int64_t>(all.nbytes()) - static_cast<int64_t>(own.nbytes());
}

at::Tensor OutputGather::whole(const at::Tensor& own, const Tag& tag, const std::string& name) {
  const MemoryScope scope(Category::kBuffers, tag.unit, "gathered " + name);
  at::Tensor all = empty_for_ranks(group_.size(), own);
  all_gather(own.contiguous(), all, tag);
  return all;
}

at::Tensor OutputGather::by_transfer(const at::Tensor& own, const Tag& tag, const std::string& name) {
  switch (transfer_) {
    case GatherTransfer::kWhole:
      break;
    case GatherTransfer::kChunked:
      return chunked(own, tag, name);
    case GatherTransfer::kCompressed:
      return compressed(own, tag, name);
  }
  return whole(own, tag, name);
}

at::Tensor OutputGather::chunked(const at::Tensor& own, const Tag& tag, const std::string& name) {
  const MemoryScope scope(Category::kBuffers, tag.unit, "gathered " + name);
  at::Tensor all = empty_for_ranks(group_.size(), own);
  const at::Tensor flat = own.contiguous().view({-1});
  const at::Tensor rows = all.view({group_.size(), flat.numel()});
  for (int64_t at = 0; at < flat.numel(); at += chunk_) {
    const int64_t count = std::min(chunk_, flat.numel() - at);
    const MemoryScope staging(Category::kBuffers, tag.unit, "chunk of " + name);
    const at::Tensor pieces = at::empty({group_.size(), count}, own.options());
    all_gather(flat.narrow(0, at, count), pieces, tag);
    rows.narrow(1, at, count).copy_(pieces);
  }
  return all;
}

at::Tensor OutputGather::compressed(const at::Tensor& own, const Tag& tag, const std::string& name) {
  at::Tensor small;
  {
    const MemoryScope scope(Category::kBuffers, tag.unit, "compressed " + name);
    small = own.to(at::kBFloat16);
  }
  const at::Tensor all = whole(small, tag, name);
  const MemoryScope scope(Category::kBuffers, tag.unit, "gathered " + name);
  return all.to(own.scalar_type());
}

}  // namespace ringside
