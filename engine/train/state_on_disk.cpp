#include "state_on_disk.h"

#include <cstring>

#include <fmt/format.h>
#include "ringside/base/check.h"
#include "ringside/checkpoint/file_system.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline training {

std::string buffer_state(int place) { return fmt::format("buffer {}", place); }

void pack(const StatePiece& piece, const TakePacked& take) {
  const at::Tensor read = on_host(piece.data).contiguous();
  const MutableView view = view_of(read);
  const auto width = size_of(view.dtype);
  const auto* data = static_cast<const char*>(view.data);
  std::vector<Stretches> runs;
  std::string packed;  // without padding
  piece.for_each_run([&](int64_t at, int64_t in_whole, int64_t count) {
    if (count == 0) return;
    add_stretch(runs, in_whole, count);
    packed.append(data + at * width, size_t(count * width));
  });
  take({piece.name, piece.kind, view.dtype, piece.shape}, std::move(runs), packed);
}

StateOnDisk::StateOnDisk(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {
  const Manifest& manifest = checkpoint.manifest();
  std::vector<Place*> of_tensors;
  for (size_t i = 0; i < manifest.tensors.size(); ++i) {
    Place& place = places_[{manifest.tensors[i].name, manifest.tensors[i].kind}];
    place.tensor = i;
    of_tensors.push_back(&place);
  }
  for (size_t i = 0; i < manifest.pieces.size(); ++i)
    of_tensors[manifest.pieces[i].tensor]->pieces.push_back(i);
}

void StateOnDisk::fill(const StatePiece& piece) const {
  NamedState state;
  try {
    const auto found = places_.find({piece.name, piece.kind});
    if (found != places_.end()) {
      const StateTensor& tensor = checkpoint_.manifest().tensors[found->second.tensor];
      if (tensor.shape == piece.shape)
        add_all(tensor, found->second.pieces, state);
      else
        throw InputError(  // as NamedState says what does not fit
            fmt::format("state '{}' of {}: another shape than this model's", piece.kind, piece.name));
    }
    state.fill(piece);
  } catch (const InputError& error) {
    throw CheckpointError("{}: {}: the checkpoint is of another model or optimizer",
                          folder_of_step(checkpoint_.manifest().step), error.what());
  }
}

void StateOnDisk::add_all(const StateTensor& tensor, const std::vector<size_t>& pieces,
                          NamedState& to) const {
  for (const size_t one : pieces) {
    const StateRuns& saved = checkpoint_.manifest().pieces[one];
    const at::Tensor data = at::empty({saved.bytes / size_of(tensor.dtype)}, scalar_type(tensor.dtype));
    checkpoint_.read(saved, {static_cast<char*>(data.data_ptr()), size_t(saved.bytes)});
    int64_t at = 0;
    for (const Stretches& run : saved.runs) {
      for (int64_t i = 0; i < run.times; ++i, at += run.count)
        to.add({tensor.name, tensor.kind, tensor.shape, run.begin + i * run.step, run.count,
                data.narrow(0, at, run.count), nullptr});
    }
  }
}

void StateCopy::take(const Walk& walk) {
  int64_t most = 0;  // padding is left out of what is copied
  walk([&](const StatePiece& piece) { most += int64_t(piece.data.nbytes()); });
  if (!memory_.defined() || memory_.numel() < most) {
    const MemoryScope scope(Category::kOther, "", kCheckpointCopy);
    memory_.reset();
    memory_ = at::empty({most}, at::kByte);
  }
  pieces_.clear(), bytes_ = 0;
  walk([&](const StatePiece& piece) { pack(piece, std::bind_front(&StateCopy::add, this)); });
}

void StateCopy::add(const StateTensor& tensor, std::vector<Stretches> runs, std::string_view data) {
  const auto size = int64_t(data.size());
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
