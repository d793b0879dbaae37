// What the timeout lesson draws.
#include "ringside/panel/panel.h"

#include <algorithm>
#include <utility>

#include "panel_pictures.h"
#include "ringside/lesson/tr.h"

namespace ringside::nccl_panel {
namespace {

enum Picture : size_t { kLog, kSequences, kMemory, kBucket, kTensor, kPictures };
constexpr int kActs = 5;

// Where an act can be seen.
std::string section_of_act(const std::string& act, const std::string& number = "all") {
  if (act == "2") return "plan 7B";
  if (act == "3") return "original";
  if (act == "4") return "live";
  if (act == "5") return "case " + (number == "all" ? "1" : number);
  return "symptom";
}

std::string first_section(const Config& config) {
  if (config.text("faults") != "none") return "own";
  const std::string& act = config.text("act");
  const std::string& fix = config.text("fix");
  // Act 1's missing rank is found by looking, so that its fix begins with the symptom.
  if (act == "1" && fix != "all" && fix != "rank") return "fix " + fix;
  return section_of_act(act, config.text("case"));
}

size_t picture_of_act(const std::string& act) {
  if (act == "2") return kTensor;
  if (act == "3") return kMemory;
  return act == "4" ? kBucket : kSequences;
}

class TimeoutPanel : public Panel {
 public:
  std::vector<PictureTab> pictures() const override {
    return {{"log", tr("log line")}, "sequences", "memory", "bucket", "tensor"};
  }
  void show_picture(size_t index) override { picture_ = std::min<size_t>(index, kPictures - 1); }
  size_t shown_picture() const override { return picture_; }

  void hero(View& view, ImVec2 size) override {
    follow_scenario(view);
    if (view.asked != nullptr) sequences_.follow_question();
    follow_section(view);
    switch (shown(view)) {
      case kLog:
        return log_.draw(view, size);
      case kMemory:
        return memory_.draw(view, size);
      case kBucket:
        return bucket_.draw(view, size);
      case kTensor:
        return tensor_.draw(view, size);
      default:
        return sequences_.draw(view, size);
    }
  }
  size_t picture_for(const PredictionSpec& asked) const override {
    if (asked.id == "first_bucket") return kBucket;
    if (asked.id == "gathered_bytes") return kMemory;
    return asked.id == "timeout_x3" ? kSequences : kLog;
  }
  size_t picture_after(const PredictionSpec& asked) const override {
    if (asked.id == "what") return kBucket;
    return asked.id == "numel_in" ? size_t{kSequences} : picture_;
  }
  void focus_picture() override {
    if (picture_ == kSequences) sequences_.focus();
    if (picture_ == kBucket) bucket_.focus();
    if (picture_ == kTensor) tensor_.focus();
  }
  std::vector<std::string> main_parameters(const Lesson&) const override {
    return {"act", "ranks", "deadline", "seed"};  // cases and fixes stand beside what they change
  }
  bool folds_controls(View& view) override {
    return shown(view) == kSequences && sequences_.investigates(view);
  }
  void readout(View& view) override {
    sequences_.readout(view);
    if (shown(view) == kSequences) sequences_.answer(view);
  }
  std::string sentence(View& view) override {
    switch (shown(view)) {
      case kLog:
        return log_.sentence(view);
      case kMemory:
        return memory_.sentence(view);
      case kBucket:
        return bucket_.sentence(view);
      case kTensor:
        return tensor_.sentence(view);
      default:
        return sequences_.sentence(view);
    }
  }
  std::string section_of(const Config& config) const override { return first_section(config); }
  std::string section_before(const PredictionSpec&) const override { return "symptom"; }
  // Fixes and checks are watched when somebody asks for them.
  bool worth_watching(const std::string& section) const override {
    return !section.starts_with("fix ") && !section.ends_with(" check") && !section.ends_with(" fixed") &&
           !section.ends_with(" in turns") && !section.starts_with("plan");
  }
  bool offers(View& view, const std::string& section) override { return sequences_.offers(view, section); }
  std::string timeline_closed(View& view) override { return sequences_.timeline_closed(view); }
  // An act that is recorded is gone to; nothing runs anew.
  bool take(View& view, const std::string& parameter, const std::string& value) override {
    if (parameter != "act" || value == "all" || view.trace.find(section_of_act(value)) == nullptr)
      return false;
    go_to_act(value, view.wishes);
    return true;
  }
  std::string shown_value(View& view, const std::string& parameter) override {
    return parameter == "act" && view.config.text("act") == "all" ? act_of(view) : "";
  }
  std::optional<NextAct> next_act(View& view) override;
  std::optional<std::string> record(View& view) override {
    return view.section != nullptr && has_lanes(*view.section) ? sequences_.record(view) : std::nullopt;
  }
  void draw_record(View& view, ImVec2 size) override { sequences_.draw_record(view, size); }
  bool moves() const override {
    return (picture_ == kSequences && sequences_.moves()) || (picture_ == kBucket && bucket_.moves());
  }
  std::string invitation(View& view) override {
    return tr("A training hangs after its first evaluation. The log names {} elements. Of what?",
              view.config.text("logged"));
  }
  std::map<std::string, std::string> state() const override {
    std::map<std::string, std::string> state;
    state["picture"] = pictures()[picture_].id;
    sequences_.add_state(state);
    bucket_.add_state(state);
    tensor_.add_state(state);
    return state;
  }

 private:
  // While a question is open that the picture would answer, or that it has nothing for: the log line.
  size_t shown(const View& view) const {
    const bool nothing = view.section == nullptr && picture_ == kSequences;
    return asks_what(view) || (view.asked != nullptr && nothing) ? size_t{kLog} : picture_;
  }

  // Another act is another picture, until somebody chooses one.
  void follow_scenario(const View& view) {
    const std::string now = first_section(view.config) + view.config.text("fix");
    if (now == shown_) return;
    const bool first = shown_.empty();
    shown_ = now;
    if (view.config.text("act") == "1" && view.config.text("fix") == "rank") sequences_.search(view);
    if (first && first_section(view.config) == "symptom") return;  // a question may have chosen its picture
    picture_ =
        view.config.text("faults") != "none" ? size_t{kSequences} : picture_of_act(view.config.text("act"));
  }

  // Who goes to a case wants to see it.
  void follow_section(const View& view) {
    const std::string now = view.section == nullptr ? "" : view.section->name();
    if (std::exchange(watched_, now) != now && picture_ != kSequences && case_of(now) > 0)
      picture_ = kSequences;
  }

  std::string act_of(const View& view) const {
    if (picture_ == kTensor) return "2";
    if (view.section == nullptr) return view.config.text("act");
    const std::string act = attribute(*view.section, nccl_lesson::kAct);
    return act.size() == 1 ? act : view.config.text("act");
  }
  void go_to_act(const std::string& act, Wishes& wishes) {
    picture_ = picture_of_act(act);
    wishes.watch = section_of_act(act);
  }

  size_t picture_ = kSequences;
  std::string watched_;  // the section, in the frame before
  std::string shown_;
  LogPicture log_;
  Sequences sequences_;
  Memory memory_;
  BucketPicture bucket_;
  TensorPicture tensor_;
};

// Acts and cases lead on by themselves. The whole lesson follows its questions until a case is opened.
std::optional<NextAct> TimeoutPanel::next_act(View& view) {
  if (view.section == nullptr) return std::nullopt;
  if (view.revealing && !record(view)) return std::nullopt;  // Reveal is of a question
  const bool whole = view.config.text("act") == "all" && view.config.text("faults") == "none";
  if (whole && !sequences_.leads(view)) return std::nullopt;
  if (picture_ == kSequences) {
    if (auto next = sequences_.next(view)) return next;
  }
  const std::string now = act_of(view);
  const int act = now.size() == 1 ? now[0] - '0' : kActs;
  if (act >= kActs) {
    picture_ = kSequences;
    return sequences_.next(view);
  }
  const std::string next = std::to_string(act + 1);
  const bool recorded = view.trace.find(section_of_act(next)) != nullptr;
  const std::string line = view.config.with({"act=" + next, "fix=all", "case=all"}).scenario();
  return NextAct{tr("act {} ▸", next), [this, next, recorded, line](Wishes& wishes) {
                   if (recorded) return go_to_act(next, wishes);
                   wishes.scenario = line;
                 }};
}

}  // namespace
}  // namespace ringside::nccl_panel

namespace ringside::lessons::nccl_timeout {

std::unique_ptr<Panel> make_panel(const Lesson&) { return std::make_unique<nccl_panel::TimeoutPanel>(); }

}  // namespace ringside::lessons::nccl_timeout
