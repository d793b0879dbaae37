#include "ringside/figures/holding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/training_rows.h"

namespace ringside::figure {

bool is_state(Category category) { return std::ranges::find(kStateKinds, category) != std::end(kStateKinds); }

int64_t whole_elements(const CollectiveEvent& event, int ranks) {
  return event.op == Op::kAllGather ? event.elements * ranks : event.elements;
}

int64_t live_at(const SectionView& section, int rank, Category category, int64_t time_ns) {
  const auto events = section.memory(rank, category);
  const size_t after = section.memory_pyramid(rank, category).lower_bound(time_ns + 1, events.size());
  return after == 0 ? 0 : events[after - 1].live_bytes;
}

Holding::Extent extent_of(int64_t bytes, int64_t whole, int ranks) {
  if (whole <= 0 || bytes <= 0 || ranks <= 0) return Holding::Extent::kUnknown;
  if (bytes == whole) return Holding::Extent::kWhole;
  if (bytes * ranks == whole) return Holding::Extent::kShare;
  if ((bytes - whole) * ranks == whole) return Holding::Extent::kShareAndWhole;
  return Holding::Extent::kUnknown;
}

Holding::Bytes bytes_of(const std::map<int, std::string>& hashes, int ranks) {
  if (ranks < 2 || std::ssize(hashes) < ranks) return Holding::Bytes::kNotCompared;
  const bool equal =
      std::ranges::all_of(hashes, [&](const auto& one) { return one.second == hashes.begin()->second; });
  return equal ? Holding::Bytes::kEqual : Holding::Bytes::kDifferent;
}

Holding::Bytes bytes_beside(const std::map<int, std::string>& hashes, int rank, int other) {
  const auto mine = hashes.find(rank), theirs = hashes.find(other);
  if (mine == hashes.end() || theirs == hashes.end()) return Holding::Bytes::kNotCompared;
  return mine->second == theirs->second ? Holding::Bytes::kEqual : Holding::Bytes::kDifferent;
}

std::string part_name(int ranks) {
  constexpr const char* kNames[] = {"half", "third", "quarter", "fifth", "sixth", "seventh", "eighth"};
  return ranks >= 2 && ranks <= 8 ? kNames[ranks - 2] : fmt::format("1/{}", ranks);
}

}  // namespace ringside::figure

namespace ringside::inline kit {
namespace {

using namespace figure;

std::string name_of(Category category) {
  return category == Category::kOptimizer ? tr("optimizer state") : std::string(to_string(category));
}
std::string capital(std::string text) {
  if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// Of all buckets of gradients, with their padding; 0 before one was summed.
int64_t bucket_elements(const Trace& trace, const SectionView& section) {
  std::map<NameId, int64_t> buckets;
  for (const CollectiveEvent& event : section.collectives(0)) {
    if (trace.name(event.tag) == "gradients" && event.state == CollectiveState::kCompleted)
      buckets[event.unit] = whole_elements(event, section.ranks());
  }
  int64_t elements = 0;
  for (const auto& [unit, whole] : buckets) elements += whole;
  return elements;
}

// Of all tensors of a kind: equal where each has one hash on all ranks, different where each has more.
Holding::Bytes compared(const SectionView& section, Category category) {
  std::map<std::string, std::map<int, std::string>> hashes;  // by tensor
  for (const RowEvent* event : section.rows_of(TensorHash::kTable)) {
    const auto row = row_as<TensorHash>(*event);
    if (row && row->category == to_string(category)) hashes[row->tensor][event->rank] = row->hash;
  }
  std::optional<Holding::Bytes> all;
  for (const auto& [tensor, by_rank] : hashes) {
    const Holding::Bytes one = bytes_of(by_rank, section.ranks());
    if (all && *all != one) return Holding::Bytes::kNotCompared;
    all = one;
  }
  return all.value_or(Holding::Bytes::kNotCompared);
}

struct Kind {
  Category category;
  Holding holding;  // of rank 0
  int64_t whole;    // bytes
};

std::vector<Kind> kinds_of(const FigureInput& input, StateWidth width) {
  const SectionView& section = *input.section;
  const int64_t elements = bucket_elements(input.trace, section);
  std::vector<Kind> kinds;
  for (const Category category : kStateKinds) {
    Kind kind{category, {}, elements * width(section, category)};
    kind.holding.extent =
        extent_of(live_at(section, 0, category, input.time_ns), kind.whole, section.ranks());
    kind.holding.bytes = compared(section, category);
    kinds.push_back(kind);
  }
  return kinds;
}

std::string detail_of(const Kind& kind, int rank, int ranks, int64_t bytes) {
  const std::string size = format_bytes(double(bytes)), name = name_of(kind.category);
  if (kind.holding.extent == Holding::Extent::kShare)
    return tr("rank {}'s {} of all {}: {}", rank, part_name(ranks), name, size);
  if (kind.holding.extent == Holding::Extent::kWhole && kind.holding.bytes == Holding::Bytes::kEqual)
    return tr("all {}, after the last step the same bytes on every rank: {}", name, size);
  return tr("{}: {}", name, size);
}

figure::Value holdings(const FigureInput& input, StateWidth width) {
  if (input.section == nullptr || input.section->ranks() == 0)
    return figure::Nothing{tr("No stage has begun.")};
  const SectionView& section = *input.section;
  figure::Boxes boxes;
  const auto kinds = kinds_of(input, width);
  for (int rank = 0; rank < section.ranks(); ++rank) {
    figure::BoxRow row{tr("rank {}", rank), {}, {}};
    int64_t all = 0;
    const auto add = [&](std::string text, Category category, int64_t bytes, bool filled,
                         std::string detail) {
      if (bytes <= 0) return;
      if (filled) all += bytes;
      row.boxes.push_back(
          {std::move(text), figure::ink_of(category), double(bytes), filled, std::move(detail)});
    };
    for (const Kind& kind : kinds) {
      const int64_t bytes = live_at(section, rank, kind.category, input.time_ns);
      const std::string letter = capital(name_of(kind.category)).substr(0, 1);
      add(letter, kind.category, bytes, true, detail_of(kind, rank, section.ranks(), bytes));
      add("", kind.category, kind.whole - bytes, false, tr("{} on other ranks", name_of(kind.category)));
    }
    add("A", Category::kActivations, live_at(section, rank, Category::kActivations, input.time_ns), true,
        tr("activations of its own samples"));
    row.word = format_bytes(double(all));
    if (!row.boxes.empty()) boxes.rows.push_back(std::move(row));
  }
  if (boxes.rows.empty()) return figure::Nothing{tr("Nothing is held at this instant.")};
  return boxes;
}

// "Of parameters each rank holds a quarter." for each kind.
std::string kind_in_words(const Kind& kind, int ranks) {
  const std::string name = name_of(kind.category);
  if (kind.holding.extent == Holding::Extent::kShare)
    return tr("Of {} each rank holds its own {}.", name, part_name(ranks));
  if (kind.holding.extent != Holding::Extent::kWhole) return "";
  if (kind.holding.bytes == Holding::Bytes::kEqual) return tr("Of {} all ranks hold copies.", name);
  if (kind.holding.bytes == Holding::Bytes::kDifferent)
    return tr("Of {} each rank holds a whole of its own: the bytes differ.", name);
  return tr("Of {} each rank holds a whole.", name);
}

std::string holdings_in_words(const FigureInput& input, StateWidth width) {
  if (input.section == nullptr || input.section->ranks() < 2) return "";
  std::string text;
  for (const Kind& kind : kinds_of(input, width)) {
    const std::string one = kind_in_words(kind, input.section->ranks());
    if (!one.empty()) text += (text.empty() ? "" : " ") + one;
  }
  return text;
}

}  // namespace

FigureSpec figure_of_holdings(StateWidth width, std::string section, std::vector<std::string> answers) {
  return {.id = "blocks",
          .title = "blocks",
          .value = [width](const FigureInput& input) { return holdings(input, width); },
          .sentence = [width](const FigureInput& input) { return holdings_in_words(input, width); },
          .section = std::move(section),
          .of_last_step = true,
          .follows_playhead = true,
          .answers = std::move(answers),
          .live = {"memory"}};
}

}  // namespace ringside::inline kit
