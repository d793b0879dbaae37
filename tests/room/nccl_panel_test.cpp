// The timeout lesson's pictures, drawn from traces made by hand: sizes and themes, and what may be seen when.
#include <catch.h>

#include <memory>
#include <string>
#include <vector>

#include "ringside/panel/panel.h"
#include "windowless.h"

namespace ringside::lessons::nccl_timeout {
std::unique_ptr<Panel> make_panel(const Lesson&);
}

using namespace ringside;
using ringside::test::Windowless;

namespace {

constexpr int64_t kMs = 1000000;

// One training: five steps in step, then rank `odd` goes into dp #last while the others wait in default.
struct Script {
  std::string name, kind = "hang", act = "5";
  int ranks = 4, odd = 3;
  bool stuck = true;
  Attributes more = {};
  bool cycle = true;  // false: killed, and nothing but its call is waited for
};

class Pen {
 public:
  Pen(TraceStore& store, Recorder& recorder) : store_(store), recorder_(recorder) {}
  void call(const std::string& group, int64_t seq, Op op, const std::string& tag, int64_t created,
            int64_t ended, bool failed = false) {
    CollectiveEvent event;
    event.group = store_.intern(group);
    event.tag = store_.intern(tag);
    event.unit = store_.intern("bucket 0");
    event.op = op;
    event.collective_seq_id = seq;
    event.elements = group == "dp" ? 1167547 : 40;
    event.time_created_ns = created;
    recorder_.collective(event);
    event.state = CollectiveState::kStarted;
    event.time_started_ns = created + 1000;
    recorder_.collective(event);
    event.state = failed ? CollectiveState::kFailed : CollectiveState::kCompleted;
    event.time_completed_ns = ended;
    recorder_.collective(event);
  }

 private:
  TraceStore& store_;
  Recorder& recorder_;
};

const char* const kLog =
    "[rank3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=45, OpType=ALLREDUCE, "
    "NumelIn=467019003, "
    "NumelOut=467019003, Timeout(ms)=1000)";

// What the lesson records when such a training is over.
void add_rows(TraceStore& store, const Script& script, const std::vector<Recorder*>& recorders) {
  const TablePtr waits = store.declare({"waits",
                                        {{"rank", ColumnKind::kInteger},
                                         {"group"},
                                         {"call", ColumnKind::kInteger},
                                         {"for rank", ColumnKind::kInteger}}});
  const TablePtr last = store.declare(
      {"last of ranks",
       {{"rank", ColumnKind::kInteger}, {"log"}, {"did last"}, {"dumped", ColumnKind::kBoolean}}});
  const auto wait = [&](int rank, const char* group, int64_t call, int for_rank) {
    recorders[0]->row(waits, {rank, group, call, for_rank});
  };
  if (script.cycle)
    for (const int other : {0, 1, 2}) wait(3, "dp", 45, other);
  for (const int rank : {0, 1, 2}) wait(rank, "default", 10, script.cycle ? 3 : script.odd);
  for (int rank = 0; rank < script.ranks; ++rank)
    recorders[static_cast<size_t>(rank)]->row(
        last, {rank, rank == 3 ? kLog : "",
               "completed default #9 all_gather of 40 float32 (evaluation logits), 1.5 s ago",
               script.cycle || rank != script.odd});
}

void add(TraceStore& store, const Script& script) {
  Attributes attributes = {
      {"act", script.act}, {"kind", script.kind}, {"deadline_ms", "1000"}, {"title", script.name}};
  if (script.stuck) {
    attributes.insert({{"shown_log", kLog},
                       {"stuck", "default#10"},
                       {"missing", "3"},
                       {"ended", "timeout"},
                       {"ended_after_ms", "1003"},
                       {"culprit", "3"},
                       {"cause", "one_batch_more"},
                       {"sentence", "Rank 3 went into training step 3 while the others evaluate."}});
  } else {
    attributes["ended"] = "completed";
  }
  for (const auto& [key, value] : script.more) attributes[key] = value;
  const auto recorders = store.add_section(script.name, attributes, script.ranks);
  if (script.stuck) add_rows(store, script, recorders);
  for (int rank = 0; rank < script.ranks; ++rank) {
    Pen pen(store, *recorders[static_cast<size_t>(rank)]);
    int64_t t = 1000 * kMs + rank * 20000;
    for (int64_t seq = 0; seq < 45; ++seq, t += 4 * kMs)
      pen.call("dp", seq, Op::kAllReduce, seq % 5 == 4 ? "norm" : "gradients", t, t + 3 * kMs);
    for (int64_t seq = 0; seq < 10; ++seq, t += 2 * kMs)
      pen.call("default", seq, Op::kAllGather, "evaluation", t, t + kMs);
    if (!script.stuck) continue;
    if (rank == script.odd)
      pen.call("dp", 45, Op::kAllReduce, "gradients", t + 5 * kMs, t + 1008 * kMs, true);
    else
      pen.call("default", 10, Op::kAllGather, "evaluation", t, t + 1003 * kMs, true);
  }
}

void add_outputs(TraceStore& store, const std::string& name, double scale) {
  const auto recorders = store.add_section(name,
                                           {{"act", "3"},
                                            {"kind", "outputs"},
                                            {"title", name},
                                            {"training_peak_bytes", std::to_string(9e6 * scale)},
                                            {"evaluation_peak_bytes", std::to_string(2e6 * scale)},
                                            {"gathered_bytes", std::to_string(4e6 * scale)},
                                            {"step_ms", "21.5"},
                                            {"evaluation_ms", "8.25"},
                                            {"returned_in_training", scale > 1 ? "yes" : "no"},
                                            {"returned_in_evaluation", "yes"},
                                            {"ended", "completed"}},
                                           2);
  for (Recorder* recorder : recorders) {
    int64_t live = 0;
    for (int i = 0; i < 40; ++i) {
      const int64_t delta = i % 10 < 5 ? 1000000 : -1000000;
      live += delta;
      recorder->memory({.time_ns = 5000 * kMs + i * kMs,
                        .delta_bytes = delta,
                        .live_bytes = live,
                        .peak_bytes = 5000000,
                        .total_bytes = live,
                        .category = Category::kActivations});
    }
  }
}

std::shared_ptr<TraceStore> made_store(int ranks) {
  auto store = TraceStore::create("nccl_timeout");
  add(*store, {"symptom", "hang", "1", ranks});
  add(*store,
      {"fix timeout", "hang", "1", ranks, 3, true, {{"ended_after_ms", "3002"}, {"deadline_ms", "3000"}}});
  const TablePtr pieces =
      store->declare({"pieces", {{"name"}, {"group"}, {"elements", ColumnKind::kInteger}}});
  Recorder& plan = *store
                        ->add_section("plan 7B",
                                      {{"kind", "plan"},
                                       {"act", "2"},
                                       {"model", "Qwen2.5-VL-7B, 251 classes"},
                                       {"hidden", "3584"},
                                       {"reduce_bucket_size", "500000000"}},
                                      1)
                        .front();
  plan.row(pieces, {"score.bias", "head", 251});
  plan.row(pieces, {"score.weight", "head", 899584});
  plan.row(pieces, {"model.norm.weight", "norm", 3584});
  const int64_t sizes[] = {1835008, 1835008, 512,  512,      12845056, 12845056,
                           3584,    3584,    3584, 67895296, 67895296, 67895296};
  for (int number = 27; number >= 25; --number) {
    const std::string layer = std::to_string(number);
    for (const int64_t size : sizes)
      plan.row(pieces, {"model.layers." + layer + ".weight", "layer " + layer, size});
  }
  Recorder& here =
      *store
           ->add_section("plan here",
                         {{"kind", "plan"}, {"act", "2"}, {"model", "here"}, {"reduce_bucket_size", "1000"}},
                         1)
           .front();
  here.row(pieces, {"a", "head", 600});
  here.row(pieces, {"b", "head", 500});
  for (const char* name :
       {"original", "V1", "V1 mismatch", "V2", "V2 mismatch", "V3", "chunked", "compressed"})
    add_outputs(*store, name, std::string(name) == "original" ? 1.5 : 0.75);
  add(*store, {"live", "hang", "4", ranks});
  add(*store, {"case 2", "hang", "5", ranks});
  add(*store,
      {"case 2 check", "check", "5", ranks, 3, true, {{"ended", "mismatch"}, {"ended_after_ms", "2.5"}}});
  add(*store, {"case 2 fixed", "fixed", "5", ranks, 3, false});
  add(*store, {"case 4",
               "hang",
               "5",
               ranks,
               1,
               true,
               {{"cause", "killed"}, {"culprit", "1"}, {"missing", "1"}},
               false});
  store->set_complete();
  return store;
}

Lesson made_lesson() {
  Lesson lesson;
  lesson.id = "nccl_timeout";
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"act", "all"},
                                                                                    {"fix", "all"},
                                                                                    {"case", "all"},
                                                                                    {"faults", "none"},
                                                                                    {"logged", "467019003"},
                                                                                    {"ranks", "4"},
                                                                                    {"seed", "0"}}) {
    ParameterSpec spec{name, name, "", name == "logged" ? ParameterKind::kInteger : ParameterKind::kText,
                       value};
    spec.maximum = 1e15;
    lesson.parameters.push_back(spec);
  }
  return lesson;
}

// A panel before a trace, and a person in front of it.
class Seat {
 public:
  explicit Seat(float width = 1056, float height = 525, float scale = 1, ui::Mode mode = ui::Mode::kDark,
                int ranks = 4)
      : window_(width * scale, height * scale, scale, mode),
        lesson_(made_lesson()),
        config_(Config::parse("nccl_timeout", lesson_.parameters, {})),
        trace_(made_store(ranks)->snapshot()),
        panel(lessons::nccl_timeout::make_panel(lesson_)) {
    watch("symptom");
    frame();
  }
  void watch(const std::string& name) {
    playhead.section = name;
    memory_ = {};
    const SectionView* section = trace_.find(name);
    REQUIRE(section != nullptr);
    memory_.update(*section);
    playhead.time_ns = time_range(*section).last;
  }
  void frame() {
    Wishes wishes;
    View view{.lesson = lesson_,
              .config = config_,
              .draft = config_,
              .trace = trace_,
              .run = 1,
              .section = trace_.find(playhead.section),
              .playhead = playhead,
              .memory = &memory_,
              .asked = asked,
              .wishes = wishes};
    window_.in_window([&] {
      panel->hero(view, ImGui::GetContentRegionAvail());
      sentence = panel->sentence(view);
    });
    if (wishes.watch && trace_.find(*wishes.watch) != nullptr) watch(*wishes.watch);
    if (wishes.scenario) scenario = *wishes.scenario;
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  // Scrolled into sight as a person would; false where it is not to be touched.
  bool click(const std::string& item) {
    frame();
    const ui::Item* found = ui::find_item(item);
    if (found == nullptr || !found->enabled) return false;
    window_.mouse_to(item);
    frame();
    window_.button(true);
    frame();
    window_.button(false);
    frames(3);
    return true;
  }
  void key(ui::Key key) {
    window_.key(key, true);
    frame();
    window_.key(key, false);
    frame();
  }
  void show(const std::string& picture) {
    const auto all = panel->pictures();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const PictureTab& one) { return one.id == picture; });
    panel->show_picture(static_cast<size_t>(found - all.begin()));
    window_.mouse_to(ImVec2(1, 1));
    frames(3);
  }
  std::string at(const std::string& key) const {
    const auto state = panel->state();
    const auto found = state.find(key);
    return found == state.end() ? "" : found->second;
  }
  std::string faults() const { return window_.faults(); }

 private:
  Windowless window_;
  Lesson lesson_;
  Config config_;
  Trace trace_;
  ui::MemoryHistory memory_;

 public:
  std::unique_ptr<Panel> panel;
  Playhead playhead;
  const PredictionSpec* asked = nullptr;
  std::string sentence, scenario;
};

}  // namespace

TEST_CASE("every picture of the timeout lesson is drawn without a fault") {
  const auto [width, height, scale, mode, ranks] = GENERATE(
      std::tuple{1056.f, 525.f, 1.f, ui::Mode::kDark, 4}, std::tuple{604.f, 306.f, 1.f, ui::Mode::kLight, 4},
      std::tuple{604.f, 306.f, 2.f, ui::Mode::kDark, 8}, std::tuple{1056.f, 525.f, 2.f, ui::Mode::kLight, 3},
      std::tuple{1500.f, 700.f, 1.f, ui::Mode::kDark, 8});
  Seat seat(width, height, scale, mode, ranks);
  INFO(width << " x " << height << " at " << scale << ", ranks " << ranks);
  for (const char* section :
       {"symptom", "fix timeout", "plan 7B", "V1", "live", "case 2", "case 2 check", "case 4"}) {
    seat.watch(section);
    for (const auto& picture : seat.panel->pictures()) {
      seat.show(picture.id);
      INFO(section << ", " << picture.id);
      CHECK(seat.faults() == "");
    }
  }
  seat.watch("case 2");
  seat.show("sequences");
  for (const char* item : {"look.logs", "look.counters", "look.dump"}) {
    REQUIRE(seat.click(item));
    INFO(item);
    CHECK(seat.faults() == "");
  }
  seat.panel->focus_picture();
  seat.frame();
  for (const ui::Key key : {ui::Key::kLeft, ui::Key::kEnter, ui::Key::kSpace}) {
    seat.key(key);
    CHECK(seat.faults() == "");
  }
  CHECK(seat.at("align") == "time");
}

TEST_CASE("a case shows one lane until somebody looks, and each look is counted") {
  Seat seat(1056, 900);
  seat.watch("case 2");
  seat.frame();
  CHECK(seat.at("lanes") == "one");
  CHECK(seat.at("looks") == "0");
  CHECK(ui::find_item("lane.3") != nullptr);
  CHECK(ui::find_item("lane.0") == nullptr);
  CHECK(ui::find_item("waits") == nullptr);
  CHECK(seat.sentence == "Rank 3 waits in dp #45 since 1.00 s. Who is missing, its log does not say.");
  REQUIRE(seat.click("look.counters"));
  CHECK(seat.at("lanes") == "one");
  CHECK(ui::find_item("counters") != nullptr);
  REQUIRE(seat.click("look.dump"));
  CHECK_FALSE(seat.click("look.dump"));
  CHECK(seat.at("looks") == "2");
  CHECK(seat.at("lanes") == "all");
  CHECK(seat.at("missing") == "dp#45:0 dp#45:1 dp#45:2 default#10:3");
  CHECK(seat.at("cycle") == "3 ─dp #45─▸ 0,1,2 ─default #10─▸ 3");
  CHECK(ui::find_item("3.default#10") != nullptr);
}

TEST_CASE("aligning anew slides, and is over after 0.3 s") {
  Seat seat;
  seat.watch("live");
  ui::look().motion = true;
  seat.frames(2);
  const float before = ui::find_item("3.dp#44")->min.x;
  REQUIRE(seat.click("align=by time"));
  const float sliding = ui::find_item("3.dp#44")->min.x;
  for (int i = 0; i < 9; ++i) {
    seat.frame();
    CHECK(seat.faults() == "");
  }
  const float after = ui::find_item("3.dp#44")->min.x;
  CHECK(sliding != before);
  CHECK(sliding != after);
  seat.frames(3);
  CHECK(ui::find_item("3.dp#44")->min.x == after);
}

TEST_CASE("the truth waits for an answer, and a wrong one lets look on") {
  Seat seat(1056, 1000);
  seat.watch("case 2 check");
  seat.frame();
  CHECK(ui::find_item("outcome") == nullptr);
  CHECK(ui::find_item("lanes") == nullptr);
  REQUIRE(seat.click("case.back"));
  CHECK(seat.playhead.section == "case 2");
  CHECK_FALSE(seat.click("answer"));
  REQUIRE(seat.click("look.dump"));
  REQUIRE(seat.click("culprit=rank 1"));
  REQUIRE(seat.click("cause.one_batch_more"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "only cause");
  CHECK(ui::find_item("case.fix") == nullptr);
  REQUIRE(seat.click("culprit=rank 3"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "right");
  CHECK(seat.at("tries") == "2");
  REQUIRE(seat.click("case.check"));
  CHECK(seat.playhead.section == "case 2 check");
  CHECK(ui::find_item("outcome") != nullptr);
  REQUIRE(seat.click("case.fix"));
  CHECK(seat.playhead.section == "case 2 fixed");
}

TEST_CASE("fixes of act 1 are watched where they are recorded, and run where they are not") {
  Seat seat(1056, 700);
  CHECK(seat.at("lanes") == "one");
  REQUIRE(seat.click("fix.timeout"));
  CHECK(seat.playhead.section == "fix timeout");
  CHECK(seat.at("tried") == "timeout");
  CHECK(ui::find_item("outcome.fix timeout") != nullptr);
  REQUIRE(seat.click("fix.rank"));
  CHECK(seat.scenario == "nccl_timeout act=1 fix=rank");
}

TEST_CASE("gradients drop into the bucket until one does not fit") {
  Seat seat(1056, 700);
  seat.show("bucket");
  CHECK(seat.at("bucket_sum") == "0");
  REQUIRE(seat.click("bucket.next"));
  CHECK(seat.at("bucket_sum") == "251");
  REQUIRE(seat.click("bucket.layer"));
  CHECK(seat.at("bucket_sum") == "899835");
  REQUIRE(seat.click("bucket.all"));
  CHECK(seat.at("bucket_bounced") == "yes");
  CHECK(std::stoll(seat.at("bucket_sum")) <= 500000000);
  CHECK_FALSE(seat.click("bucket.next"));
  seat.panel->focus_picture();
  seat.frame();
  seat.key(ui::Key::kLeft);
  CHECK(seat.at("bucket_bounced") == "no");
  seat.key(ui::Key::kHome);
  CHECK(seat.at("bucket_sum") == "0");
  PredictionSpec asked;
  asked.id = "first_bucket";
  seat.asked = &asked;
  seat.frame();
  CHECK(ui::find_item("bucket.all") != nullptr);  // the source's model shows the rule
  REQUIRE(seat.click("plan=the model here"));
  CHECK(seat.faults() == "");
  CHECK(ui::find_item("bucket.all") == nullptr);
  CHECK(ui::find_item("bucket.sum") == nullptr);
}

TEST_CASE("no batch and no length hit the logged number") {
  Seat seat(1056, 700);
  seat.show("tensor");
  CHECK(seat.at("tensor_difference") == std::to_string(467019003 - 8ll * 2048 * 3584));
  seat.panel->focus_picture();
  seat.frame();
  seat.key(ui::Key::kRight);
  CHECK(seat.at("tensor_difference") == std::to_string(467019003 - 8ll * 2049 * 3584));
  CHECK(seat.sentence == "No batch and no length make 467,019,003 out of rows of 3584.");
}
