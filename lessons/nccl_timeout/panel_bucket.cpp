// The reducer's rule as a picture: gradients drop into the bucket in the order in which they become ready,
// and the first that would make it larger than the limit bounces off.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "panel_pictures.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/flights.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

constexpr double kDropSeconds = 0.3, kLockSeconds = 0.08;
constexpr double kSettled = kDropSeconds + 14 * kLockSeconds;  // when the last digit has locked
constexpr double kRoomAbove = 1.22;                            // of the limit: the picture's height

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

bool BucketPicture::is_full() const {
  return dropped_ >= bucket_.fits() && (bounced_ || bucket_.fits() == bucket_.pieces.size());
}

bool BucketPicture::moves() const {
  return ui::look().motion && moved_at_ >= 0 && (playing_ || ImGui::GetTime() - moved_at_ < kSettled);
}

// The next one drops as soon as the last one lies.
void BucketPicture::play() {
  if (!playing_) return;
  playing_ = !is_full();
  if (!ui::look().motion) return step_to(bucket_.pieces.size() + 1);
  if (playing_ && ImGui::GetTime() - moved_at_ > kDropSeconds) step_to(dropped_ + 1);
}

// No further than to the piece that does not fit, which is tried once.
void BucketPicture::step_to(size_t count) {
  const size_t fits = bucket_.fits();
  before_ = bucket_.sum(dropped_);
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

// The question is about the model here; the source's shows the rule.
void BucketPicture::choose_plan(const View& view) {
  const bool asked = asks(view, "first_bucket");
  if (asked && !std::exchange(asked_, asked) && view.trace.find("plan here") != nullptr) plan_ = "plan here";
  asked_ = asked;
}

void BucketPicture::controls(const View& view, bool quiet) {
  const bool end = is_full();
  if (view.trace.find("plan 7B") != nullptr && view.trace.find("plan here") != nullptr) {
    constexpr const char* kPlans[] = {"the source's 7B", "the model here"};
    int chosen = plan_ == "plan here" ? 1 : 0;
    if (ui::choice_row("plan", kPlans, 2, chosen, std::min(px(320), ImGui::GetContentRegionAvail().x))) {
      plan_ = chosen == 1 ? "plan here" : "plan 7B";
      dropped_ = 0;
      bounced_ = playing_ = false;
    }
    ui::beside(px(400), 24);
  }
  if (quiet)
    return ui::paragraph(
        tr("Backward makes gradients in this order, and they wait in a bucket. It is sent before the "
           "one that would pass the limit. How many elements are sent first?"),
        ui::colours().dim);
  const size_t tried = dropped_ + (bounced_ ? 1 : 0);
  if (ui::button(tr("next").c_str(), "bucket.next", !playing_, !end,
                 tr("one gradient more (Right, after K)")))
    step_to(tried + 1);
  ImGui::SameLine();
  if (ui::button(playing_ ? tr("stop").c_str() : tr("play ▸").c_str(), "bucket.play", playing_,
                 playing_ || !end, tr("one after the other (Space, after K)")))
    playing_ = !playing_;
  ImGui::SameLine();
  if (ui::button(tr("previous").c_str(), "bucket.previous", false, tried > 0, tr("(Left, after K)")))
    step_to(tried - 1);
  ImGui::SameLine();
  if (ui::button(tr("whole layer").c_str(), "bucket.layer", false, !end, tr("(Down, after K)")))
    step_to(std::max(end_of_group(dropped_), dropped_ + 1));
  ImGui::SameLine();
  if (ui::button(tr("all").c_str(), "bucket.all", false, !end, tr("until one does not fit (End, after K)")))
    step_to(bucket_.pieces.size() + 1);
  ImGui::SameLine();
  if (ui::button(tr("empty").c_str(), "bucket.empty", false, tried > 0, tr("(Home, after K)"))) step_to(0);
}

namespace {

// "  467,019,003", a cell a digit, the last `locked` of them in colour; from the right edge.
void draw_number(ImDrawList& list, ImVec2 right_top, const std::string& number, size_t locked, bool lid,
                 Type type) {
  const float digit = ui::text_width(type, "0") + px(4), comma = px(9), high = ui::line_height(type);
  float x = right_top.x;
  size_t from_right = 0;
  for (auto at = number.rbegin(); at != number.rend(); ++at) {
    const bool is_digit = *at != ',';
    x -= is_digit ? digit : comma;
    const bool on = is_digit && from_right < locked;
    from_right += is_digit ? 1 : 0;
    const ui::Rect cell{{x, right_top.y}, {x + (is_digit ? digit : comma), right_top.y + high}};
    if (on) list.AddRectFilled(cell.min, {cell.max.x - 1, cell.max.y}, ui::colours().activations, px(2));
    if (on && lid)
      list.AddRectFilled({cell.min.x, cell.max.y + px(1)}, {cell.max.x - 1, cell.max.y + px(4)},
                         ui::colours().activations);
    ui::draw_text_in(list, cell, on ? ui::text_on(ui::colours().activations) : ui::colours().text,
                     std::string(1, *at), type);
  }
}

int64_t agreeing_digits(int64_t a, int64_t b) {
  int64_t count = 0;
  while (b > 0 && a > 0 && a % 10 == b % 10) {
    ++count;
    a /= 10;
    b /= 10;
  }
  return count;
}

}  // namespace

// The sum over the log's number. From the right, digits that agree lock, one after the other.
void BucketPicture::digits(int64_t sum, int64_t logged, bool low) {
  const Type type = low ? Type::kBold : Type::kNumber;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double since = moves() ? ImGui::GetTime() - moved_at_ : kSettled;
  const double part = std::clamp(since / kDropSeconds, 0.0, 1.0);
  const auto shown = before_ + static_cast<int64_t>(static_cast<double>(sum - before_) * part);
  const double locks = (since - kDropSeconds) / kLockSeconds;
  const int64_t locked = part < 1 ? 0 : std::min(agreeing_, static_cast<int64_t>(locks) + 1);
  const float label = px(120), high = ui::line_height(type) + px(6);
  const std::string widest = format_count(std::max({logged, sum, bucket_.limit}));
  const float width = static_cast<float>(widest.size()) * (ui::text_width(type, "0") + px(4));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto row = [&](int nth, const std::string& name, int64_t value) {
    const float y = at.y + static_cast<float>(nth) * high;
    ui::draw_text_in(list, {{at.x, y}, {at.x + label, y + high}}, ui::colours().dim, name, Type::kBody,
                     false);
    draw_number(list, {at.x + label + width, y}, format_count(value), static_cast<size_t>(locked), nth == 0,
                type);
  };
  row(0, tr("in the bucket"), shown);
  if (logged > 0) row(1, tr("in the log"), logged);
  ImGui::Dummy({label + width, (logged > 0 ? 2 : 1) * high});
  ui::mark("bucket.sum", at, {at.x + label + width, at.y + high});
}

// What the number rests on: the run says how many other answers there are.
std::string BucketPicture::how_sure(const View& view) const {
  const auto& outcome = view.trace.rows().outcome;
  const auto allowed = outcome.find("explain_allowed");
  if (allowed == outcome.end() || plan_ != "plan 7B") return "";
  const std::string classes = view.config.text("classes");
  if (allowed->second == 1)
    return tr(
        "Given this text stack, the order of backward, this bucket size and one linear head with a bias, "
        "{} classes is the only answer.",
        classes);
  return tr(
      "Given this text stack, the order of backward, this bucket size and one linear head, {:.0f} answers "
      "are left; {} classes is one.",
      allowed->second, classes);
}

void BucketPicture::figures(const View& view, bool low) {
  const int64_t sum = bucket_.sum(dropped_), logged = logged_of(view, plan_);
  agreeing_ = logged > 0 ? agreeing_digits(sum, logged) : 0;
  digits(sum, logged, low);
  if (!low)
    ui::paragraph(tr("{} of {} gradients are in the bucket.", dropped_, bucket_.pieces.size()),
                  ui::colours().dim, Type::kLabel);
  if (logged == 0) return;  // nothing has hung yet
  if (sum != logged) {
    if (sum > 0)
      ui::paragraph(sum < logged ? tr("The log says {} more.", format_count(logged - sum))
                                 : tr("The log says {} less.", format_count(sum - logged)));
    return;
  }
  ui::paragraph(tr("✓ equals the logged {}: all {} digits agree.", format_count(logged), agreeing_),
                Type::kBold);
  ui::mark("bucket.equal");
  const std::string sure = bounced_ && !low ? how_sure(view) : "";
  if (!sure.empty()) ui::paragraph(sure);
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
    const float middle = (top + bottom) / 2;  // where it comes to lie: its name waits there
    if (end == dropped_ && !bounced_) {       // the newest piece is still falling: its layer with it
      const float fall = (1 - moved) * (top - box.min.y);
      top -= fall;
      bottom -= fall;
    }
    top = std::min(top, bottom - 1);
    list.AddRectFilled({box.min.x + px(2), top}, {box.max.x - px(2), bottom}, fill_of(group));
    if (bottom - top > px(4))
      list.AddRect({box.min.x + px(2), top}, {box.max.x - px(2), bottom}, ui::colours().background);
    const float label = std::min(middle - line / 2, free_below - line);
    free_below = label - px(1);
    list.AddLine({box.max.x, middle}, {box.max.x + px(12), label + line / 2}, ui::colours().line);
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
    const std::string& group = bucket_.pieces[begin].group;
    const std::string whole = format_count(bucket_.sum(end) - bucket_.sum(begin));
    ui::draw_text_in(list, {{box.max.x + px(16), y}, {right, y + line}}, ui::colours().text,
                     end - begin == 1 ? tr("{}  {}", group, whole)
                                      : tr("{}  {} in {} gradients, the first {}", group, whole, end - begin,
                                           format_count(bucket_.pieces[begin].elements)),
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
                   tr("{} more would make {}: over the limit  ({})", format_count(piece.elements),
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
    ui::draw_text_in(list, label, ui::colours().text, tr("limit {}", format_count(bucket_.limit)),
                     Type::kLabel, false);
  if (canvas.focused()) canvas.draw_focus();
  if (!canvas.focused() || quiet) return;
  const size_t tried = dropped_ + (bounced_ ? 1 : 0);
  if (ui::pressed({ui::Key::kRight}, true)) step_to(tried + 1);
  if (ui::pressed({ui::Key::kLeft}, true) && tried > 0) step_to(tried - 1);
  if (ui::pressed({ui::Key::kDown}, true)) step_to(std::max(end_of_group(dropped_), dropped_ + 1));
  if (ui::pressed({ui::Key::kUp}, true)) step_to(start_of_group(dropped_));
  if (ui::pressed({ui::Key::kSpace})) playing_ = !playing_ && !is_full();
  if (ui::pressed({ui::Key::kHome})) step_to(0);
  if (ui::pressed({ui::Key::kEnd})) step_to(bucket_.pieces.size() + 1);
}

void BucketPicture::draw(View& view, ImVec2 size) {
  choose_plan(view);
  const SectionView* plan = view.trace.find(plan_);
  if (plan == nullptr) plan = view.trace.find(plan_ == "plan 7B" ? "plan here" : "plan 7B");
  if (plan == nullptr)
    return ui::paragraph(
        view.running ? tr("Act 2 is still to come.") : tr("Act 2 is not in this run: set act to 2."),
        ui::colours().dim);
  plan_ = plan->name();
  bucket_ = bucket_of(*plan);
  play();
  const bool quiet = asks(view, "first_bucket") && plan_ == "plan here";
  dropped_ = std::min(dropped_, bucket_.fits());
  bounced_ = bounced_ && dropped_ < bucket_.pieces.size();
  const float start = ImGui::GetCursorPosY();
  const std::string model = attribute(*plan, nccl_lesson::kModel);
  if (!model.empty()) ui::paragraph(model, ui::colours().dim, Type::kLabel);
  controls(view, quiet);
  if (!quiet) figures(view, size.y < px(360));
  const float rest = size.y - (ImGui::GetCursorPosY() - start);
  picture(view, {size.x, std::max(rest, px(90))}, quiet);
}

std::string BucketPicture::sentence(const View& view) const {
  if (bucket_.pieces.empty() || (asks(view, "first_bucket") && plan_ == "plan here")) return "";
  const int64_t sum = bucket_.sum(dropped_);
  if (bounced_)
    return tr("The bucket is sent with {} elements: one more gradient would make {}, over {}.",
              format_count(sum), format_count(sum + bucket_.pieces[dropped_].elements),
              format_count(bucket_.limit));
  if (dropped_ == 0) return tr("Backward begins at the head: its gradients are ready first.");
  return tr("{} is ready: {} elements wait to be sent.", bucket_.pieces[dropped_ - 1].name,
            format_count(sum));
}

void BucketPicture::add_state(std::map<std::string, std::string>& state) const {
  state["plan"] = plan_;
  state["bucket_dropped"] = std::to_string(dropped_);
  state["bucket_sum"] = std::to_string(bucket_.sum(dropped_));
  state["bucket_digits"] = std::to_string(agreeing_);
  state["bucket_bounced"] = bounced_ ? "yes" : "no";
}

}  // namespace ringside::nccl_panel
