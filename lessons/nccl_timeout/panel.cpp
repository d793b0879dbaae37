// What the timeout lesson draws.
#include "ringside/panel/panel.h"

#include <algorithm>

#include "panel_parts.h"

namespace ringside::nccl_panel {
namespace {

enum Picture : size_t { kSequences, kMemory, kBucket, kTensor };

// Where an act can be seen.
std::string first_section(const Config& config) {
  if (config.text("faults") != "none") return "own";
  const std::string& act = config.text("act");
  const std::string& fix = config.text("fix");
  const std::string& number = config.text("case");
  if (act == "1" && fix != "all") return "fix " + fix;
  if (act == "2") return "plan 7B";
  if (act == "3") return "original";
  if (act == "4") return "live";
  if (act == "5") return "case " + (number == "all" ? "1" : number);
  return "symptom";
}

class TimeoutPanel : public Panel {
 public:
  std::vector<PictureTab> pictures() const override { return {"sequences", "memory", "bucket", "tensor"}; }
  void show_picture(size_t index) override { picture_ = std::min<size_t>(index, kTensor); }
  size_t shown_picture() const override { return picture_; }

  void hero(View& view, ImVec2 size) override {
    follow_scenario(view);
    switch (picture_) {
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
    if (asked.id == "hidden_bytes") return kTensor;
    if (asked.id == "gathered_bytes") return kMemory;
    return kSequences;
  }
  void focus_picture() override {
    if (picture_ == kSequences) sequences_.focus();
    if (picture_ == kBucket) bucket_.focus();
    if (picture_ == kTensor) tensor_.focus();
  }
  std::vector<std::string> main_parameters(const Lesson&) const override {
    return {"act", "case", "fix", "ranks", "deadline"};
  }
  void readout(View& view) override { sequences_.readout(view); }
  std::string sentence(View& view) override {
    if (picture_ == kBucket) return bucket_.sentence(view);
    if (picture_ == kTensor) return tensor_.sentence(view);
    return picture_ == kMemory ? memory_.sentence(view) : sequences_.sentence(view);
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
  std::string invitation(View& view) override {
    return "This training hangs after its first evaluation, in one all-reduce. How many elements will the "
           "log name?";
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
  // Another act is another picture, until somebody chooses one.
  void follow_scenario(const View& view) {
    const std::string now = first_section(view.config);
    if (now == shown_) return;
    const bool first = shown_.empty();
    shown_ = now;
    if (first && now == "symptom") return;  // a question may have chosen its picture already
    picture_ = now.starts_with("plan") ? kBucket : now == "original" ? kMemory : kSequences;
  }

  size_t picture_ = kSequences;
  std::string shown_;
  Sequences sequences_;
  Memory memory_;
  BucketPicture bucket_;
  TensorPicture tensor_;
};

}  // namespace
}  // namespace ringside::nccl_panel

namespace ringside::lessons::nccl_timeout {

std::unique_ptr<Panel> make_panel(const Lesson&) { return std::make_unique<nccl_panel::TimeoutPanel>(); }

}  // namespace ringside::lessons::nccl_timeout
