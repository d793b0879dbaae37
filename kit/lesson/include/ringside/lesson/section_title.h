// What a front end calls a section of a trace.
#pragma once

#include <string>

#include "ringside/trace/trace.h"

namespace ringside::inline kit {

// The attribute in which a lesson says it: "stage 1, all-reduce, 2 micro-batches". Optional.
inline constexpr char kSectionTitle[] = "title";

// Its title; its name where it has none: names are for programs, as in --at "probe stage 1 g=2:3".
inline std::string title_of(const SectionView& section) {
  const Attribute* title = section.find(kSectionTitle);
  const std::string text = title == nullptr ? "" : title->text();
  return text.empty() ? section.name() : text;
}

}  // namespace ringside::inline kit
