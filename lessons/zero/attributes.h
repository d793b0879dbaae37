// What a section says of itself, for the experiment and for its panel: attributes, and rows of the proof.
#pragma once

#include <fmt/format.h>

#include <array>

#include "ringside/trace/rows.h"

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

inline std::optional<Part> part_of(const SectionView& section) {
  const Attribute* part = section.find(kPart);
  return part == nullptr ? std::nullopt : from_text<Part>(part->text());
}
// The stage whose first steps a section trains; -1 for another section.
inline int stage_of(const SectionView& section) {
  const Attribute* stage = section.find("stage");
  if (part_of(section) != Part::kStage || stage == nullptr) return -1;
  const int64_t number = stage->integer().value_or(-1);
  return number >= 0 && number <= 3 ? static_cast<int>(number) : -1;
}
// The name of that section: for who looks for it by the number or by the scenario's word, and for who has no
// more than a name.
inline std::string stage_name(const auto& stage) { return fmt::format("stage {}", stage); }
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

inline constexpr const char* kProofSection = "proof";
inline constexpr const char* kOrderSection = "order of sums";

// One training whose bits were compared, of either section.
struct ProofCase {
  static constexpr char kTable[] = "proof";
  int64_t ranks = 0;
  std::string stage = "";        // "stage 2"; "" for naive data parallelism
  std::string setup = "";        // the rest: buckets, overlap, prefetch, accumulation
  int64_t first_difference = 0;  // step; 0: all bits equal
  std::string where = "";        // tensor, element, distance; "" where equal
  std::string label() const {
    return fmt::format("N={} {}{}{}", ranks, stage, stage.empty() ? "" : " ", setup);
  }
};
void visit_fields(RowOf<ProofCase> auto& row, auto&& visit) {
  visit(Field{"ranks", "N"}, row.ranks);
  visit(Field{"stage", "empty for naive data parallelism"}, row.stage);
  visit(Field{"setup", "buckets, overlap, prefetch, accumulation"}, row.setup);
  visit(Field{"first difference", "step; 0: all bits equal"}, row.first_difference);
  visit(Field{"where", "tensor, element, distance"}, row.where);
}

}  // namespace ringside::zero_lesson
