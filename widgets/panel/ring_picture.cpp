#include "ringside/panel/ring_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using figure::Carried;

constexpr Op kOps[] = {Op::kAllReduce, Op::kReduceScatter, Op::kAllGather};

// "Now: reduce-scatter of gradients, bucket 3. Rank 0 sends 3 of 4 quarters = 0.18 Ψ = 369.75 KiB."
std::string words(const View& view, const Carried& carried, bool under_way, bool quiet) {
  const int ranks = view.section->ranks();
  const double psi = figure::psi_of(*view.section) * figure::bytes_per_element(*view.section);
  const int times = carried.op == Op::kAllReduce ? 2 : 1;  // its halves
  const double parts = carried.whole > 0 ? carried.sent / carried.whole * ranks / times : 0;
  const std::string names = ranks == 2 ? "halves" : figure::part_name(ranks) + "s";
  const std::string share = tr("{:.3g} of {} {}", parts, ranks, names), bytes = format_bytes(carried.sent);
  // Where the model is one bucket, this is all that a step sends.
  const std::string all = quiet     ? tr("guess first")
                          : psi > 0 ? tr("{:.2f} Ψ = {}", carried.sent / psi, bytes)
                                    : bytes;
  const std::string sent = fmt::format("{}{} = {}", times == 2 ? tr("twice ") : "", share, all);
  const std::string what = name_of(carried.op), &unit = view.trace.name(carried.unit),
                    subject = carried.parameters ? tr("parameters") : tr("gradients");
  return under_way ? tr("Now: {} of {}, {}. Rank 0 sends {}.", what, subject, unit, sent)
                   : tr("Nothing is under way. The last one: {} of {}, {}. Rank 0 sent {}.", what, subject,
                        unit, sent);
}

}  // namespace

std::string name_of(Op op) {
  std::string name(to_string(op));
  std::ranges::replace(name, '_', '-');
  return name;
}

void RingPicture::choices(float width) {
  const ui::FontScope font(ui::Type::kLabel);
  const float gap = ui::px(16), part = (width - gap) * 0.62f;
  const bool other =
      ui::choice_row("ring.half", {tr("now"), "all-reduce", "reduce-scatter", "all-gather"}, what_, part);
  ImGui::SameLine(0, gap);
  const bool otherwise =
      ui::choice_row("ring.algorithm", {tr("direct"), tr("textbook's ring")}, algorithm_, width - gap - part);
  if (other || otherwise) step_ = 0;
}

// Of what is only imagined, or of the other algorithm.
std::string RingPicture::what_if(int ranks, Op op, int steps) const {
  if (algorithm_ == 1)
    return tr("What if it were the textbook's ring: the same bytes, to the next rank only, in {} steps.",
              steps);
  return what_ == 0 ? "" : tr("What if: {} of one bucket, on {} ranks.", name_of(op), ranks);
}

void RingPicture::draw(View& view, ImVec2 size, const figure::SectionIndex* index, bool quiet) {
  const float above = ImGui::GetCursorPosY();
  choices(size.x);
  const int64_t now = view.playhead.time_ns;
  const Carried* carried = index == nullptr ? nullptr : index->carried_at(now);
  const bool bound = what_ == 0 && carried != nullptr;
  const bool under_way = bound && carried->start_ns <= now && now < carried->end_ns;
  const int ranks = bound ? view.section->ranks() : int(view.draft.integer("ranks"));
  const Op op = bound ? carried->op : kOps[std::max(0, what_ - 1)];
  const auto transfers = algorithm_ == 0 ? ui::direct_transfers(ranks, op) : ui::ring_transfers(ranks, op);
  const int steps = ui::steps_of(transfers);
  said_ = bound ? words(view, *carried, under_way, quiet) : "";
  if (what_ == 0 && !bound)
    said_ = tr("Rank 0 has sent no gradients or parameters yet. An all-reduce would look like this.");
  if (const std::string more = what_if(ranks, op, steps); !more.empty())
    said_ += (said_.empty() ? "" : "\n") + more;
  ui::paragraph(said_, ui::Type::kLabel);
  ui::mark("ring.words");

  ui::RingData data;
  data.ranks = ranks;
  data.op = op;
  data.transfers = &transfers;
  data.tag = (bound ? carried->parameters : op == Op::kAllGather) ? "parameters" : "gradients";
  data.step = step_;
  if (bound) {
    const auto length = double(std::max<int64_t>(carried->end_ns - carried->start_ns, 1));
    data.step = steps * (under_way ? double(now - carried->start_ns) / length : 1.0);
  }
  const float used = ImGui::GetCursorPosY() - above;
  const auto asked = ring_.draw("ring", {size.x, size.y - used}, data);
  if (!asked) return;
  step_ = *asked;
  if (bound && steps > 0) {  // the slider moves the playhead inside this collective
    const auto length = double(carried->end_ns - carried->start_ns);
    view.playhead.time_ns = carried->start_ns + int64_t(length * std::min(*asked / steps, 0.9999));
    view.playhead.follow = view.playhead.playing = false;
  }
}

}  // namespace ringside
