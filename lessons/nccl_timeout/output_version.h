// What a classifier's forward returns beside loss and logits: the original code and the three
// fixes that the source's two documents about the timeout propose. "Everything" is the hidden
// states and, where they are asked for, the attentions. Torch-free.
//
//   original  always everything. The first document blames the hidden states for an all-reduce of
//             467,019,003 elements that times out after the first evaluation.
//   v1        the first document's fix: nothing while the inner model's flag says evaluation.
//   v2        the second document's repair: nothing while either flag says evaluation. It says that v1
//             failed because eval() had reached only the wrapper's flag.
//   v3        the second document's final fix: never anything, in training neither.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::nccl_lesson {

enum class OutputVersion : uint8_t { kOriginal, kV1, kV2, kV3 };
inline constexpr std::array<OutputVersion, 4> kOutputVersions = {OutputVersion::kOriginal, OutputVersion::kV1,
                                                                 OutputVersion::kV2, OutputVersion::kV3};

// The flags are those of a module: true in training, false in evaluation.
constexpr bool returns_everything(OutputVersion version, bool wrapper_training, bool inner_training) {
  switch (version) {
    case OutputVersion::kOriginal:
      return true;
    case OutputVersion::kV1:
      return inner_training;
    case OutputVersion::kV2:
      return wrapper_training && inner_training;
    case OutputVersion::kV3:
      break;
  }
  return false;
}

constexpr std::string_view to_string(OutputVersion version) {
  constexpr std::array<std::string_view, 4> kNames = {"original", "v1", "v2", "v3"};
  return kNames[static_cast<size_t>(version)];
}

// The inverse; empty where the text names none.
constexpr std::optional<OutputVersion> parse_output_version(std::string_view text) {
  for (const OutputVersion version : kOutputVersions)
    if (to_string(version) == text) return version;
  return std::nullopt;
}

}  // namespace ringside::nccl_lesson
