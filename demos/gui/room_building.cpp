// Lessons that are not built yet: asking for one builds it while the room goes on, and opens it then.

#include "ringside/base/error.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"
#include "room_desk.h"

namespace ringside::gui {
namespace {

// Of what a build said, its last lines: the compiler's own words and where to read on.
std::string end_of(const std::string& text) {
  constexpr size_t kMost = 600;
  return text.size() <= kMost ? text : "... " + text.substr(text.size() - kMost);
}

}  // namespace

void Desk::look_what_is_built() {
  unbuilt_.clear();
  for (const FrontMatter& one : lesson_catalogue())
    if (build_for_room(one.id) != Build::kReady) unbuilt_.insert(one.id);
}

// The lesson that the room opens with: the one that is wanted, else one that is built.
std::string Desk::first_lesson(const std::string& wanted) const {
  if (!unbuilt_.contains(wanted)) return wanted;
  for (const FrontMatter& one : lesson_catalogue())
    if (!unbuilt_.contains(one.id)) return one.id;
  throw MissingError(why_not_ready(wanted));
}

void Desk::open_once_built(const std::string& id, const std::vector<std::string>& words) {
  builds_.ask(id);
  to_open_ = {id, words};
}

void Desk::build_all() {
  for (const std::string& id : unbuilt_) builds_.ask(id);
}

void Desk::follow_builds() {
  const auto done = builds_.poll();
  if (!done) return;
  look_what_is_built();
  const bool wanted = to_open_.first == done->id;
  if (!done->error.empty()) {
    if (wanted) to_open_ = {};
    return tell(tr("{} could not be built:\n{}", done->id, end_of(done->error)), true);
  }
  if (unbuilt_.contains(done->id))
    return tell(
        tr("{} was built from other sources than this room. Close the room and open it again.", done->id),
        true);
  if (!wanted) return;
  const auto [id, words] = std::exchange(to_open_, {});
  try {
    choose_lesson(id, words.empty() ? last_words(id) : words);
  } catch (const Error& error) {
    tell(error.what(), true);
  }
}

std::string Desk::building() const {
  if (!builds_.running()) return "";
  const std::string how_far = builds_.progress();
  return how_far.empty() ? tr("building {}", builds_.building())
                         : tr("building {}: {}", builds_.building(), how_far);
}

}  // namespace ringside::gui
