#include "state_copy.h"

#include <cstring>

#include "ringside/base/check.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline training {

void StateCopy::take(const Walk& walk) {
  int64_t most = 0;  // padding is left out of what is copied
  walk([&](const StatePiece& piece) { most += static_cast<int64_t>(piece.data.nbytes()); });
  if (!memory_.defined() || memory_.numel() < most) {
    const MemoryScope scope(Category::kOther, "", kCheckpointCopy);
    memory_.reset();
    memory_ = at::empty({most}, at::kByte);
  }
  pieces_.clear(), bytes_ = 0;
  walk([&](const StatePiece& piece) {
    pack(piece, [&](const StateTensor& tensor, std::vector<Stretches> runs, std::string_view data) {
      add(tensor, std::move(runs), data);
    });
  });
}

void StateCopy::add(const StateTensor& tensor, std::vector<Stretches> runs, std::string_view data) {
  const auto size = static_cast<int64_t>(data.size());
  RINGSIDE_CHECK_LE(bytes_ + size, memory_.numel());
  char* const to = static_cast<char*>(memory_.data_ptr()) + bytes_;
  std::memcpy(to, data.data(), data.size());
  pieces_.push_back({tensor, std::move(runs), {to, data.size()}});
  bytes_ += size;
}

void StateCopy::write_to(RankFile& file) const {
  for (const Packed& piece : pieces_) file.add(piece.tensor, piece.runs, piece.data);
}

}  // namespace ringside::inline training
