// What a section says of itself, for the experiment and for its panel: attributes, and rows of the proof.
#pragma once

#include <fmt/format.h>

#include <array>

#include "ringside/figures/holding.h"
#include "ringside/trace/training_rows.h"

namespace ringside::zero_lesson {

// What a training section is for: the first steps of a stage, by which the stages are compared; a set-up that
// only a claim asks for; a half of the overlap trial; a stage trained to the scenario's end. Other sections
// have no such attribute.
enum class Part : uint8_t { kStage, kProbe, kOverlap, kTraining };
inline std::span<const std::string_view> texts(Part) {
  static constexpr std::array<std::string_view, 4> kTexts = {"stage", "probe", "overlap", "training"};
  return kTexts;
}
inline constexpr char kPart[] = "part";

inline constexpr int kStages = 4;
using figure::kStateKinds;  // what ZeRO cuts among the ranks, stage by stage from the last

inline std::optional<Part> part_of(const SectionView& section) {
  const Attribute* part = section.find(kPart);
  return part == nullptr ? std::nullopt : from_text<Part>(part->text());
}
// The stage whose first steps a section trains; -1 for another section.
inline int stage_of(const SectionView& section) {
  const Attribute* stage = section.find("stage");
  if (part_of(section) != Part::kStage || stage == nullptr) return -1;
  const int64_t number = stage->integer().value_or(-1);
  return number >= 0 && number <= 3 ? int(number) : -1;
}
// The name of that section: for who looks for it by the number or by the scenario's word, and for who has no
// more than a name.
inline std::string stage_name(const auto& stage) { return fmt::format("stage {}", stage); }
// Of a question about that stage: "sent_stage_2".
inline std::string question_id(std::string_view about, int stage) {
  return fmt::format("{}_stage_{}", about, stage);
}
// Of the same stage, trained to the scenario's end.
inline std::string training_name(int stage) { return stage_name(stage) + " to the end"; }
inline int stage_named(std::string_view section) {
  for (int stage = 0; stage <= 3; ++stage)
    if (section == stage_name(stage)) return stage;
  return -1;
}

inline bool keeps_gathered(const SectionView& section) {  // reshard=off
  return section.has("reshard") && !section.yes("reshard");
}
inline bool is_bf16(const SectionView& section) { return section.text("precision") == "bf16"; }
inline int64_t element_bytes(const SectionView& section) { return is_bf16(section) ? 2 : 4; }  // that is sent
inline double psi(const SectionView& section) { return section.number("parameters"); }
inline int data_ranks(const SectionView& section) {  // N: over which samples are spread
  return section.has(kDataRanks) ? int(section.integer(kDataRanks)) : section.ranks();
}
// Bytes an element of a kind of state, whole.
inline int64_t state_width(const SectionView& section, Category category) {
  if (!section.has("precision") || !section.has(kOptimizerBytes)) return 0;
  if (category == Category::kOptimizer) return section.integer(kOptimizerBytes);
  return category == Category::kParameters || category == Category::kGradients ? element_bytes(section) : 0;
}

inline constexpr const char* kProofSection = "proof";
// Attributes of the proof over a mesh: how far a parameter is from the whole model's, and how far it may be.
inline constexpr char kSplitDistance[] = "split distance", kSplitBound[] = "split bound";
inline constexpr const char* kOrderSection = "order of sums";

// One training whose bits were compared, of either section.
struct ProofCase {
  static constexpr Columns kTable{"proof", "ranks", "stage", "setup", "first difference", "where"};
  int64_t ranks = 0;             // N
  std::string stage = "";        // "stage 2"; "" for naive data parallelism
  std::string setup = "";        // the rest: buckets, overlap, prefetch, accumulation
  int64_t first_difference = 0;  // step; 0: all bits equal
  std::string where = "";        // tensor, element, distance; "" where equal
  std::string label() const {
    return fmt::format("N={} {}{}{}", ranks, stage, stage.empty() ? "" : " ", setup);
  }
};

// The words of a case, one by one. Recorded beside it, under its label.
struct ProofSetting {
  static constexpr Columns kTable{"proof settings", "label",    "bucket",    "naive",
                                  "overlap",        "prefetch", "accumulate"};
  std::string label = "";  // of the case
  int64_t bucket = 0;      // elements; 0: the whole model in one
  bool naive = false;      // plain data parallelism
  bool overlap = false;    // reduces while backward runs
  bool prefetch = false;   // gathers ahead
  int64_t accumulate = 1;  // micro-batches a step
};

// Where a case's bits part first: both values of one element.
struct PartedAt {
  static constexpr Columns kTable{"parted",   "label",       "stage", "tensor", "step",     "element",
                                  "elements", "of elements", "ulps",  "mine",   "reference"};
  std::string label = "";   // of the case
  std::string stage = "";   // that was run
  std::string tensor = "";  // the first that differs
  int64_t step = 0;         // after which it does
  int64_t element = 0;      // the first of the tensor that differs
  int64_t elements = 0;     // of the tensor that differ
  int64_t of_elements = 0;  // that the tensor has
  int64_t ulps = 0;         // the largest distance in that tensor
  double mine = 0;          // fp32 both
  double reference = 0;     // fp32 both
};

// What one rank brought to the gradient of that element in that step.
struct Addend {
  static constexpr Columns kTable{"addends", "label", "at end", "micro", "rank", "value"};
  std::string label = "";  // of the case
  bool at_end = false;     // the rank added up its micro-batches first; else one micro-batch's alone
  int64_t micro = 0;       // micro-batch
  int64_t rank = 0;        // that brought it
  double value = 0;        // fp32
};

}  // namespace ringside::zero_lesson
