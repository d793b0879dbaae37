// The table of keys: what each does, and when.
#pragma once

#include <span>
#include <vector>

#include "ringside/widgets/keys.h"
#include "room_desk.h"

namespace ringside::gui {

struct Binding {
  ui::Chord chord;
  const char* does;
  void (*act)(Desk&);
  bool repeats = false;
  bool (*when)(const Desk&) = nullptr;  // a key that means something else elsewhere; those come first
};
struct KeyGroup {
  const char* name;
  std::vector<Binding> keys;
  enum class In { kLesson, kPrepare, kOnCall, kAll } in = In::kLesson;  // the pages where they act
};
std::span<const KeyGroup> key_groups();  // in the order in which keys are tried

}  // namespace ringside::gui
