// The timeout lesson in the room: its cases, its acts, and the bucket that is filled by hand.
#include "panel_bucket.h"
#include "ringside/panel/case_panel.h"

namespace ringside::nccl_panel {
namespace {

CaseBook book() {
  CaseBook book;
  book.acts = {{"1", "symptom", "outcomes"},
               {"2", nccl_lesson::kSource, "tensor"},
               {"3", "original", "memory"},
               {"4", "live", "bucket"},
               {"5", "case 1", "calls"}};
  book.fixes = {{"timeout", tr("longer timeout")},
                {"outputs", tr("no hidden states")},
                {"barrier", tr("a barrier")},
                {"rank", tr("find the missing rank")}};
  book.cases = nccl_lesson::kCases;
  book.of_one_line = nccl_lesson::kCasesOfOneLine;
  book.shown_seconds = nccl_lesson::kSourceDeadlineS;
  book.of_fixes = "timeout_x3";
  book.of_sizes = "first_bucket";
  book.of_timeline = "what";
  book.picture_after = {{"parity", "tensor"},        {"what", "bucket"},         {"data_set", "numbers"},
                        {"accumulate", "numbers"},   {"other_head", "numbers"},  {"first_bucket", "bucket"},
                        {"numel_in", "calls"},       {"timeout_x3", "outcomes"}, {"wire_ms", "numbers"},
                        {"gathered_bytes", "memory"}};
  book.act_of_picture = {{"tensor", "2"}, {"numbers", "2"}};
  book.main_parameters = {"act", "case", "ranks", "deadline", "seed"};
  book.quiet = {"plan"};
  return book;
}

class TimeoutPanel final : public CasePanel {
 public:
  explicit TimeoutPanel(const Lesson& lesson) : CasePanel(lesson, book()) {}
  void focus_picture() override { shown() == "bucket" ? bucket_.focus() : CasePanel::focus_picture(); }
  bool has_csv(View& view) override { return shown() != "bucket" && CasePanel::has_csv(view); }
  bool moves() const override { return CasePanel::moves() || (shown() == "bucket" && bucket_.moves()); }
  std::map<std::string, std::string> state() const override {
    std::map<std::string, std::string> state = CasePanel::state();
    bucket_.add_state(state);
    return state;
  }

 private:
  void draw_figure(View& view, size_t nth, ImVec2 size) override {
    if (figures_.spec(nth).id == "bucket" && !figures_.is_closed(view, nth)) return bucket_.draw(view, size);
    CasePanel::draw_figure(view, nth, size);
  }
  BucketPicture bucket_;
};

}  // namespace
}  // namespace ringside::nccl_panel

namespace ringside::lessons::nccl_timeout {

std::unique_ptr<Panel> make_panel(const Lesson& lesson) {
  return std::make_unique<nccl_panel::TimeoutPanel>(lesson);
}

}  // namespace ringside::lessons::nccl_timeout
