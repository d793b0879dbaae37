// The reducer's rule by hand: gradients drop until one does not fit, and the digits of the sum lock.
#include "panel_bucket.h"
#include "bucket_bars.h"
#include "ringside/base/text.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::nccl_panel {
namespace {

using nccl_lesson::Bucket;
using ui::px;
constexpr double kDropSeconds = 0.3, kLockSeconds = 0.08;
constexpr double kSettled = kDropSeconds + 14 * kLockSeconds;  // when the last digit has locked

int64_t agreeing_digits(int64_t a, int64_t b) {
  int64_t count = 0;
  for (; b > 0 && a > 0 && a % 10 == b % 10; a /= 10, b /= 10) ++count;
  return count;
}

}  // namespace

bool BucketPicture::moves() const {
  return ui::look().motion && moved_at_ >= 0 && (playing_ || ImGui::GetTime() - moved_at_ < kSettled);
}

// No further than to the piece that does not fit, which is tried once.
void BucketPicture::step_to(View& view, size_t count) {
  const Bucket bucket(*view.trace.find(plan_));
  fits_ = bucket.fits();
  bounced_ = count > fits_ && fits_ < bucket.pieces.size();
  dropped_ = std::min(count, fits_);
  before_ = sum_;
  sum_ = bucket.sum(dropped_);
  moved_at_ = ImGui::GetTime();
  ++version_;
}

void BucketPicture::take_keys(View& view, const Bucket& bucket) {
  keys_ = !ImGui::IsMouseClicked(0);
  const auto on = [&](ui::Key key, size_t count) {
    if (ui::pressed({key}, true)) step_to(view, count);
  };
  on(ui::Key::kRight, dropped_ + 1);
  on(ui::Key::kLeft, bounced_ ? dropped_ : std::max<size_t>(dropped_, 1) - 1);
  on(ui::Key::kDown, std::max(bucket.end_of_group(dropped_), dropped_ + 1));
  on(ui::Key::kEnd, bucket.pieces.size() + 1);
  on(ui::Key::kHome, 0);
  if (ui::pressed({ui::Key::kSpace})) playing_ = !playing_;
}

// The sum over the log's number: from the right, digits that agree lock, one after the other.
void BucketPicture::digits(int64_t sum, int64_t logged) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double since = moves() ? ImGui::GetTime() - moved_at_ : kSettled;
  const double part = std::clamp(since / kDropSeconds, 0.0, 1.0);
  const auto shown = before_ + int64_t(double(sum - before_) * part);
  const int64_t locked =
      part < 1 ? 0 : std::min(agreeing_, int64_t((since - kDropSeconds) / kLockSeconds) + 1);
  const float digit = ui::text_width(ui::Type::kNumber, "0") + px(4),
              high = ui::line_height(ui::Type::kNumber);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (const auto& [row, value] : {std::pair{0, shown}, {1, logged}}) {
    const std::string number = pad_left(format_count(value), 14);
    int64_t from_right = 0;
    for (size_t i = number.size(); i-- > 0;) {
      const ImVec2 corner(at.x + digit * float(i), at.y + high * float(row));
      const ui::Rect cell{corner, {corner.x + digit - 1, corner.y + high}};
      const bool is_digit = number[i] >= '0' && number[i] <= '9', on = is_digit && from_right++ < locked;
      if (on) list.AddRectFilled(cell.min, cell.max, ui::colours().activations, px(2));
      ui::draw_text_in(list, cell, on ? ui::text_on(ui::colours().activations) : ui::colours().text,
                       std::string(1, number[i]), ui::Type::kNumber);
    }
  }
  ImGui::Dummy({digit * 14, 2 * high + px(4)});
  ui::mark("bucket.sum", at, {at.x + digit * 14, at.y + high});
  ImGui::SameLine();
  ui::paragraph(tr("in the bucket, over the number of the log"), ui::colours().dim, ui::Type::kLabel);
}

void BucketPicture::buttons(View& view, const Bucket& bucket) {
  const bool end = bounced_ || (version_ > 0 && dropped_ == bucket.pieces.size());
  playing_ = playing_ && !end;
  const auto step = [&](const std::string& label, const char* name, bool enabled, size_t count) {
    ui::beside(px(90), 8);
    if (ui::button(label.c_str(), name, false, enabled)) step_to(view, count);
  };
  step(tr("next"), "bucket.next", !end, dropped_ + 1);
  step(tr("previous"), "bucket.previous", dropped_ > 0, dropped_ - (bounced_ ? 0 : 1));
  step(tr("whole layer"), "bucket.layer", !end, std::max(bucket.end_of_group(dropped_), dropped_ + 1));
  step(tr("all"), "bucket.all", !end, bucket.pieces.size() + 1);
  step(tr("empty"), "bucket.empty", dropped_ > 0, 0);
  ui::beside(px(90), 8);
  if (ui::button((playing_ ? tr("stop") : tr("play ▸")).c_str(), "bucket.play", true, playing_ || !end))
    playing_ = !playing_;
}

// At Reveal the bucket that was asked for is filled, once; then it is the learner's again.
void BucketPicture::show_answer(View& view) {
  const std::string question = view.revealed == nullptr ? "" : view.revealed->id;
  if (std::exchange(revealed_, question) == question || question.empty()) return;
  const std::string plan = question == "first_bucket" ? nccl_lesson::kHere : nccl_lesson::kSource;
  if (view.trace.find(plan) == nullptr) return;
  plan_ = plan;
  sum_ = 0;
  step_to(view, Bucket(*view.trace.find(plan_)).pieces.size() + 1);
}

void BucketPicture::draw(View& view, ImVec2 size) {
  const float start = ImGui::GetCursorPosY();
  if (view.trace.find(plan_) == nullptr)
    return ui::paragraph(tr("No plan of buckets is in this run: set act to 4."), ui::colours().dim);
  int chosen = plan_ == nccl_lesson::kHere ? 1 : 0;
  if (ui::choice_row("plan", {"the source's 7B", "the model here"}, chosen,
                     std::min(px(320), ImGui::GetContentRegionAvail().x))) {
    plan_ = chosen == 1 ? nccl_lesson::kHere : nccl_lesson::kSource;
    sum_ = 0;
    step_to(view, 0);
  }
  show_answer(view);
  const Bucket bucket(*view.trace.find(plan_));
  if (playing_ && !ui::look().motion) step_to(view, bucket.pieces.size() + 1);
  if (playing_ && ImGui::GetTime() - moved_at_ > kDropSeconds) step_to(view, dropped_ + 1);
  if (keys_) take_keys(view, bucket);
  buttons(view, bucket);
  const auto logged = plan_ == nccl_lesson::kSource
                          ? view.config.integer("logged")
                          : int64_t(number_in(view.trace, "symptom", kStuckElements).value_or(0));
  agreeing_ = agreeing_digits(sum_, logged);
  digits(sum_, logged);
  if (sum_ == logged && sum_ > 0) {
    ui::paragraph(tr("✓ equals the logged {}: all {} digits agree.", format_count(logged), agreeing_),
                  ui::Type::kBold);
    ui::mark("bucket.equal");
  }
  FigureView::Options options;
  options.version = version_;
  const float rest = size.y - (ImGui::GetCursorPosY() - start);
  picture_.draw("bucket.bars", {size.x, std::max(rest, px(80))},
                nccl_lesson::bucket_bars(bucket, dropped_, bounced_), options);
}

void BucketPicture::add_state(std::map<std::string, std::string>& state) const {
  state["plan"] = plan_;
  state["bucket_sum"] = std::to_string(sum_);
  state["bucket_bounced"] = bounced_ ? "yes" : "no";
  state["digits"] = std::to_string(agreeing_);
}

}  // namespace ringside::nccl_panel
