// The reducer's rule as a picture: gradients drop into the bucket in the order in which they become ready,
// and the first that would make it larger than the limit bounces off.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/flights.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

constexpr double kDropSeconds = 0.3;
constexpr double kRoomAbove = 1.22;  // of the limit: the picture's height

float y_of(const ui::Rect& box, int64_t limit, double elements) {
  const double part = elements / (kRoomAbove * static_cast<double>(std::max<int64_t>(limit, 1)));
  return box.max.y - static_cast<float>(std::min(part, 1.0)) * box.height();
}

ImU32 fill_of(size_t group) {
  return group % 2 == 0 ? ui::colours().gradients : ui::fade(ui::colours().gradients, 0.35f);
}

// The number that the bucket is held against: the source's, or what the run here logged.
int64_t logged_of(const View& view, const std::string& plan) {
  if (plan == "plan 7B") return view.config.integer("logged");
  const SectionView* symptom = view.trace.find("symptom");
  return symptom == nullptr ? 0 : static_cast<int64_t>(number_in(*symptom, "stuck_elements").value_or(0));
}

}  // namespace

size_t Bucket::fits() const {
  int64_t total = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    total += pieces[i].elements;
    if (total > limit && i > 0) return i;  // a bucket holds at least one, however large
  }
  return pieces.size();
}

int64_t Bucket::sum(size_t count) const {
  int64_t total = 0;
  for (size_t i = 0; i < std::min(count, pieces.size()); ++i) total += pieces[i].elements;
  return total;
}

Bucket bucket_of(const SectionView& plan) {
  std::vector<Piece> pieces;
  for (const RowEvent* row : plan.rows_of(nccl_lesson::kPieces))
    pieces.push_back({row->text("name"), row->text("group"), row->integer("elements")});
  return {std::move(pieces), static_cast<int64_t>(number_in(plan, nccl_lesson::kLimit).value_or(0))};
}

// No further than to the piece that does not fit, which is tried once.
void BucketPicture::step_to(size_t count) {
  const size_t fits = bucket_.fits();
  bounced_ = count > fits && fits < bucket_.pieces.size();
  dropped_ = std::min(count, fits);
  moved_at_ = ImGui::GetTime();
}

size_t BucketPicture::end_of_group(size_t from) const {
  if (from >= bucket_.pieces.size()) return bucket_.pieces.size();
  size_t end = from;
  while (end < bucket_.pieces.size() && bucket_.pieces[end].group == bucket_.pieces[from].group) ++end;
  return end;
}

size_t BucketPicture::start_of_group(size_t from) const {
  if (from == 0) return 0;
  size_t start = from - 1;
  while (start > 0 && bucket_.pieces[start - 1].group == bucket_.pieces[from - 1].group) --start;
  return start;
}

void BucketPicture::controls(const View& view, bool quiet) {
  const bool end = dropped_ >= bucket_.fits() && (bounced_ || bucket_.fits() == bucket_.pieces.size());
  if (view.trace.find("plan 7B") != nullptr && view.trace.find("plan here") != nullptr) {
    constexpr const char* kPlans[] = {"the source's 7B", "the model here"};
    int chosen = plan_ == "plan here" ? 1 : 0;
    if (ui::choice_row("plan", kPlans, 2, chosen, std::min(px(320), ImGui::GetContentRegionAvail().x))) {
      plan_ = chosen == 1 ? "plan here" : "plan 7B";
      dropped_ = 0;
      bounced_ = false;
    }
    ui::beside(px(400), 24);
  }
  if (quiet)
    return ui::paragraph("How many of them fit? Guess first: then they drop. The source's 7B shows the rule.",
                         ui::colours().dim);
  const size_t tried = dropped_ + (bounced_ ? 1 : 0);
  if (ui::button("next", "bucket.next", true, !end, "Right, while the picture has the keys (K)"))
    step_to(tried + 1);
  ImGui::SameLine();
  if (ui::button("previous", "bucket.previous", false, tried > 0, "Left")) step_to(tried - 1);
  ImGui::SameLine();
  if (ui::button("whole layer", "bucket.layer", false, !end, "Down"))
    step_to(std::max(end_of_group(dropped_), dropped_ + 1));
  ImGui::SameLine();
  if (ui::button("all", "bucket.all", false, !end, "End")) step_to(bucket_.pieces.size() + 1);
  ImGui::SameLine();
  if (ui::button("empty", "bucket.empty", false, tried > 0, "Home")) step_to(0);
}

void BucketPicture::figures(const View& view) {
  const int64_t sum = bucket_.sum(dropped_), logged = logged_of(view, plan_);
  {
    const ui::FontScope font(Type::kNumber);
    ImGui::TextUnformatted(format_count(sum).c_str());
    ui::mark("bucket.sum");
  }
  const std::string much =
      fmt::format("elements in the bucket, {} of {} gradients", dropped_, bucket_.pieces.size());
  ui::beside(ui::text_width(Type::kLabel, much));
  ui::paragraph(much, ui::colours().dim, Type::kLabel);
  if (logged == 0) return;  // nothing has hung yet
  std::string line = fmt::format("the log says {}", format_count(logged));
  if (sum > 0)
    line += fmt::format(": {} {}", format_count(std::abs(logged - sum)), sum < logged ? "more" : "less");
  if (sum == logged) line = fmt::format("✓ equals the logged {}", format_count(logged));
  ui::paragraph(line, sum == logged ? Type::kBold : Type::kBody);
}

// Blocks of a layer each, with their names beside them: those of thin ones are moved apart.
void BucketPicture::draw_stack(ImDrawList& list, const ui::Rect& box, float right, float moved) const {
  const float line = ui::line_height(Type::kLabel);
  float free_below = box.max.y;  // labels go upwards
  int64_t base = 0;
  size_t group = 0;
  for (size_t begin = 0; begin < dropped_; ++group) {
    const size_t end = std::min(end_of_group(begin), dropped_);
    const int64_t elements = bucket_.sum(end) - bucket_.sum(begin);
    float bottom = y_of(box, bucket_.limit, static_cast<double>(base));
    float top = y_of(box, bucket_.limit, static_cast<double>(base + elements));
    if (end == dropped_ && !bounced_) {  // the newest piece is still falling: its layer with it
      const float fall = (1 - moved) * (top - box.min.y);
      top -= fall;
      bottom -= fall;
    }
    top = std::min(top, bottom - 1);
    list.AddRectFilled({box.min.x + px(2), top}, {box.max.x - px(2), bottom}, fill_of(group));
    if (bottom - top > px(4))
      list.AddRect({box.min.x + px(2), top}, {box.max.x - px(2), bottom}, ui::colours().background);
    const float label = std::min((top + bottom - line) / 2, free_below - line);
    free_below = label - px(1);
    list.AddLine({box.max.x, (top + bottom) / 2}, {box.max.x + px(12), label + line / 2}, ui::colours().line);
    const size_t count = end - begin;
    ui::draw_text_in(list, {{box.max.x + px(16), label}, {right, label + line}}, ui::colours().text,
                     fmt::format("{}  {}{}", bucket_.pieces[begin].group, format_count(elements),
                                 count > 1 ? fmt::format("  ({} gradients)", count) : ""),
                     Type::kLabel, false);
    ui::mark("bucket." + bucket_.pieces[begin].group, {box.min.x, top}, {box.max.x, bottom});
    base += elements;
    begin = end;
  }
}

// Before they may drop: what there is, in the order in which it becomes ready.
void BucketPicture::draw_waiting(ImDrawList& list, const ui::Rect& box, float right) const {
  const float line = ui::line_height(Type::kLabel);
  const float limit = y_of(box, bucket_.limit, static_cast<double>(bucket_.limit));
  float y = limit + line;
  for (size_t begin = 0; begin < bucket_.pieces.size() && y + line <= box.max.y; y += line + px(1)) {
    const size_t end = end_of_group(begin);
    ui::draw_text_in(list, {{box.max.x + px(16), y}, {right, y + line}}, ui::colours().dim,
                     fmt::format("{}  {}", bucket_.pieces[begin].group,
                                 format_count(bucket_.sum(end) - bucket_.sum(begin))),
                     Type::kLabel, false);
    begin = end;
  }
}

// What does not fit hangs over the limit, dashed, with the sum that it would make.
void BucketPicture::draw_bounce(ImDrawList& list, const ui::Rect& box, float right, float moved) const {
  const Piece& piece = bucket_.pieces[dropped_];
  const int64_t sum = bucket_.sum(dropped_), would = sum + piece.elements;
  const float height =
      y_of(box, bucket_.limit, 0) - y_of(box, bucket_.limit, static_cast<double>(piece.elements));
  const float low = y_of(box, bucket_.limit, static_cast<double>(sum));
  const float high = std::min(y_of(box, bucket_.limit, static_cast<double>(bucket_.limit)) - px(3), low);
  // Falls to the stack in the first half, and back above the limit.
  const float part = moved < 0.5f ? moved * 2 : 1 - (moved - 0.5f) * 2;
  const float bottom = high + (low - high) * part,
              top = std::max(box.min.y + 1, bottom - std::max(height, px(2)));
  ui::dashed_rect(list, {{box.min.x + px(6), top}, {box.max.x - px(6), bottom}}, ui::colours().text);
  const float line = ui::line_height(Type::kLabel);
  const ui::Rect text{{box.max.x + px(16), box.min.y}, {right, box.min.y + line}};
  ui::draw_text_in(list, text, ui::colours().text,
                   fmt::format("{} more would make {}: over the limit  ({})", format_count(piece.elements),
                               format_count(would), ui::short_name("", piece.name)),
                   Type::kLabel, false);
  ui::mark("bucket.bounced", {box.min.x, top}, {box.max.x, bottom});
}

void BucketPicture::picture(const View& view, ImVec2 size, bool quiet) {
  const ui::Canvas canvas("bucket", size, focus_next_);
  focus_next_ = false;
  ImDrawList& list = canvas.list();
  const ui::Rect& r = canvas.rect();
  const float line = ui::line_height(Type::kLabel), width = std::clamp(r.width() * 0.3f, px(120), px(280));
  const ui::Rect box{{r.min.x + px(8), r.min.y + px(6)}, {r.min.x + px(8) + width, r.max.y - px(6)}};
  list.AddLine(box.min, {box.min.x, box.max.y}, ui::colours().dim, px(2));
  list.AddLine({box.min.x, box.max.y}, box.max, ui::colours().dim, px(2));
  list.AddLine({box.max.x, box.min.y}, box.max, ui::colours().dim, px(2));
  const float limit = y_of(box, bucket_.limit, static_cast<double>(bucket_.limit));
  const bool motion = ui::look().motion && moved_at_ >= 0;
  const auto moved =
      static_cast<float>(motion ? std::clamp((ImGui::GetTime() - moved_at_) / kDropSeconds, 0.0, 1.0) : 1.0);
  if (quiet) draw_waiting(list, box, r.max.x - px(4));
  if (!quiet) draw_stack(list, box, r.max.x - px(4), moved);
  if (!quiet && bounced_) draw_bounce(list, box, r.max.x - px(4), moved);
  list.AddLine({box.min.x - px(4), limit}, {box.max.x + px(8), limit}, ui::colours().text, px(2));
  const ui::Rect label{{box.max.x + px(16), limit - line / 2}, {r.max.x - px(4), limit + line / 2}};
  if (!bounced_ || label.min.y > box.min.y + line)
    ui::draw_text_in(list, label, ui::colours().text, "limit " + format_count(bucket_.limit), Type::kLabel,
                     false);
  if (canvas.focused()) canvas.draw_focus();
  if (!canvas.focused() || quiet) return;
  const size_t tried = dropped_ + (bounced_ ? 1 : 0);
  if (ui::pressed({ui::Key::kRight}, true)) step_to(tried + 1);
  if (ui::pressed({ui::Key::kLeft}, true) && tried > 0) step_to(tried - 1);
  if (ui::pressed({ui::Key::kDown}, true)) step_to(std::max(end_of_group(dropped_), dropped_ + 1));
  if (ui::pressed({ui::Key::kUp}, true)) step_to(start_of_group(dropped_));
  if (ui::pressed({ui::Key::kHome})) step_to(0);
  if (ui::pressed({ui::Key::kEnd})) step_to(bucket_.pieces.size() + 1);
}

void BucketPicture::draw(View& view, ImVec2 size) {
  const SectionView* plan = view.trace.find(plan_);
  if (plan == nullptr) plan = view.trace.find(plan_ == "plan 7B" ? "plan here" : "plan 7B");
  if (plan == nullptr)
    return ui::paragraph(view.running ? "Act 2 is still to come." : "Act 2 is not in this run: set act to 2.",
                         ui::colours().dim);
  plan_ = plan->name();
  bucket_ = bucket_of(*plan);
  const bool quiet = asks(view, "first_bucket") && plan_ == "plan here";
  dropped_ = std::min(dropped_, bucket_.fits());
  bounced_ = bounced_ && dropped_ < bucket_.pieces.size();
  const float start = ImGui::GetCursorPosY();
  const std::string model = attribute(*plan, nccl_lesson::kModel);
  if (!model.empty()) ui::paragraph(model, ui::colours().dim, Type::kLabel);
  controls(view, quiet);
  if (!quiet) figures(view);
  const float rest = size.y - (ImGui::GetCursorPosY() - start);
  picture(view, {size.x, std::max(rest, px(90))}, quiet);
}

std::string BucketPicture::sentence(const View& view) const {
  if (bucket_.pieces.empty() || (asks(view, "first_bucket") && plan_ == "plan here")) return "";
  const int64_t sum = bucket_.sum(dropped_);
  if (bounced_)
    return fmt::format("The bucket is sent with {} elements: one more gradient would make {}, over {}.",
                       format_count(sum), format_count(sum + bucket_.pieces[dropped_].elements),
                       format_count(bucket_.limit));
  if (dropped_ == 0) return "Backward begins at the head: its gradients are ready first.";
  return fmt::format("{} is ready: {} elements wait to be sent.", bucket_.pieces[dropped_ - 1].name,
                     format_count(sum));
}

void BucketPicture::add_state(std::map<std::string, std::string>& state) const {
  state["plan"] = plan_;
  state["bucket_dropped"] = std::to_string(dropped_);
  state["bucket_sum"] = std::to_string(bucket_.sum(dropped_));
  state["bucket_bounced"] = bounced_ ? "yes" : "no";
}

}  // namespace ringside::nccl_panel
