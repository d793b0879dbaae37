#include "loop.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <sstream>
#include <utility>

#include "folders.h"
#include "frame_times.h"
#include "leaving.h"
#include "pacing.h"
#include "ringside/widgets/items.h"
#include "room.h"
#include "script.h"
#include "window.h"

namespace ringside::gui {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestWait = 0.25;  // signals and a time limit are looked for that often
constexpr double kPictureDeadline = 120;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Context {
  explicit Context(ui::Look& look) {
    ImGui::CreateContext();
    ui::set_look(&look);
  }
  ~Context() {
    ui::set_look(nullptr);
    ImGui::DestroyContext();
  }
  Context& operator=(Context&&) = delete;
};

// A script is not the learner: what it does is kept only where a folder is named.
Folders folders_of(const GuiOptions& options) {
  Folders folders = options.scripted() ? Folders{} : home_folders();
  if (!options.data_folder.empty()) folders.data = options.data_folder;
  if (!options.config_folder.empty()) folders.config = options.config_folder;
  if (!options.scripted() && folders.data.empty())
    std::cerr << "ringside: HOME is not set; what you answer is not kept\n";
  return folders;
}

RoomOptions room_options(const GuiOptions& options, const Folders& folders) {
  RoomOptions room;
  room.lesson = options.lesson;
  room.words = options.words;
  if (!options.trace_file.empty()) room.trace = options.trace_file;
  if (!options.training.empty()) room.training = options.training;
  room.autopsy = options.autopsy;
  room.data_folder = folders.data;
  room.config_folder = folders.config;
  if (!options.theme.empty()) room.mode = options.theme == "dark" ? ui::Mode::kDark : ui::Mode::kLight;
  room.scale = options.scale;
  room.processes = options.processes;
  return room;
}

// --screenshot is a script of three lines.
std::vector<ScriptLine> script_of(const GuiOptions& options) {
  if (!options.script.empty()) return read_script(options.script);
  std::istringstream lines(fmt::format("wait /run/busy == false {}\nframes 20\nscreenshot \"\"\n",
                                       options.seconds.value_or(kPictureDeadline)));
  std::vector<ScriptLine> script = parse_script(lines, "--screenshot");
  script.back().words[0] = options.screenshot;
  return script;
}

class Loop {
 public:
  explicit Loop(const GuiOptions& options);
  ExitCode run();

 private:
  void open_window();
  void open_script(std::vector<ScriptLine> lines);
  void until_left();
  bool leaves(double now);
  void leave(ExitCode code);
  double wait_before_frame(double now);
  void frame(double now);
  void show();
  void build_fonts();
  void save_failure();
  void remember_place();
  void report() const;

  const GuiOptions& options_;
  const Folders folders_;
  SettingsFile settings_;
  std::string ini_;
  ui::Look look_;
  Context context_;
  InputQueue input_;
  Leaving leaving_;  // outlives the room, whose end it watches
  std::unique_ptr<Room> room_;
  std::unique_ptr<Window> window_;
  std::optional<ScriptPlayer> player_;
  Pacing pacing_;
  double began_ = now_seconds();
  float built_scale_ = 0;
  std::optional<float> display_scale_;  // a script's
  fs::path picture_;                    // to be written of the next frame
  bool left_ = false;
  ExitCode code_ = ExitCode::kOk;
};

Loop::Loop(const GuiOptions& options)
    : options_(options), folders_(folders_of(options)), settings_(folders_.config), context_(look_) {
  std::vector<ScriptLine> script;
  if (options.scripted()) script = script_of(options);
  if (!folders_.config.empty()) {
    std::error_code ignored;
    fs::create_directories(folders_.config, ignored);
    ini_ = fs::absolute(folders_.config / "imgui.ini").string();
    if (options.reset_layout) fs::remove(ini_, ignored);
  }
  if (options.reset_layout) settings_.change([](Settings& settings) { settings.window.reset(); });
  ImGui::GetIO().IniFilename = ini_.empty() ? nullptr : ini_.c_str();
  ImGui::GetIO().LogFilename = nullptr;
  room_ = std::make_unique<Room>(room_options(options, folders_), look_);
  open_window();
  if (options.scripted()) open_script(std::move(script));
}

void Loop::open_window() {
  WindowOptions window;
  window.width = options_.width;
  window.height = options_.height;
  window.place = settings_.get().window;
  window.visible = options_.shows_window();
  window.takes_input = !options_.scripted();
  if (options_.renderer == GuiRenderer::kNull) {
    window_ = open_null_window(window);
  } else {
    window_ = open_glfw_window(window, input_);
    survive_display_loss();
  }
}

void Loop::open_script(std::vector<ScriptLine> lines) {
  ScriptStage stage;
  stage.state = [this](const std::string& part) { return room_->state(part); };
  stage.command = [this](const std::string& line) { room_->command(line); };
  stage.screenshot = [this](const fs::path& file) {
    if (options_.renderer == GuiRenderer::kNull) throw MissingError("a screenshot needs --renderer opengl");
    picture_ = file;
  };
  stage.resize = [this](int width, int height) { window_->resize(width, height); };
  stage.scale = [this](float scale) {
    if (options_.scale) throw UsageError("--scale stands instead of the display's");
    display_scale_ = scale;
  };
  player_.emplace(std::move(lines), options_.script.empty() ? "--screenshot" : options_.script,
                  std::move(stage));
}

ExitCode Loop::run() {
  try {
    until_left();
  } catch (const Error& error) {
    leaving_.because(error.code(), error.what());
    leaving_.begin();
    if (error.code() == ExitCode::kCheckFailed) save_failure();
    throw;
  }
  remember_place();
  leaving_.because(code_, "");
  leaving_.begin();
  report();
  return code_;
}

void Loop::until_left() {
  for (;;) {
    if (window_->wait(wait_before_frame(now_seconds()))) pacing_.input();
    const double now = now_seconds();
    if (leaves(now)) return;
    if (const auto dropped = window_->take_dropped(); !dropped.empty()) room_->take_dropped(dropped);
    const bool seen = player_ || !window_->iconified();
    if (seen && wait_before_frame(now) == 0) frame(now);
    if (player_ && player_->finished()) return;
  }
}

// Asks the room to stop where someone wants to leave; true once it has.
bool Loop::leaves(double now) {
  if (leaving_.signalled()) leave(ExitCode::kInterrupted);
  if (window_->take_close_request()) leave(ExitCode::kOk);
  if (options_.seconds && options_.screenshot.empty() && now - began_ >= *options_.seconds)
    leave(ExitCode::kOk);
  if (room_->leaving()) leave(ExitCode::kOk);
  return room_->closing();
}

void Loop::leave(ExitCode code) {
  if (left_) return;
  left_ = true;
  code_ = code;
  remember_place();  // the program may end before it comes to its end
  leaving_.because(code, "");
  leaving_.begin();
  room_->close();
  pacing_.input();
}

double Loop::wait_before_frame(double now) {
  if (input_.pending()) pacing_.input();
  if (player_ && !player_->waiting()) return 0;
  // It looks at the state before each frame, as often as a person would see it change.
  if (player_) return pacing_.wait(now, std::clamp(room_->idle_seconds(), Pacing::kWithout, 0.125));
  if (!player_ && window_->iconified()) return Pacing::kIconified;
  return std::min(kLongestWait, pacing_.wait(now, left_ ? Pacing::kWithout : room_->idle_seconds()));
}

void Loop::frame(double now) {
  if (player_) player_->before_frame(now, input_);
  room_->display_scale(display_scale_.value_or(window_->content_scale()));
  build_fonts();
  window_->begin_frame();
  if (input_.feed()) pacing_.input();
  {
    const FrameTimeScope time(frame_times());
    ImGui::NewFrame();
    ui::begin_items();
    room_->frame();
    ImGui::Render();
  }
  show();
  pacing_.drawn(now);
  if (look_.fonts.stale() || room_->scale() != built_scale_) pacing_.input();
}

// A window that nobody sees is drawn for its picture alone.
void Loop::show() {
  if (!options_.shows_window() && picture_.empty()) return;
  window_->draw(ui::colours().background);
  if (!picture_.empty()) write_png(window_->picture(), std::exchange(picture_, {}));
  window_->show();
}

void Loop::build_fonts() {
  const float scale = room_->scale();
  if (!look_.fonts.stale() && scale == built_scale_) return;
  look_.scale = built_scale_ = scale;
  look_.fonts.build(*ImGui::GetIO().Fonts, scale);
  unsigned char* pixels;
  int width, height;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  window_->fonts_changed();
  ui::apply_style();
}

// What there was to see where a script failed, beside the script.
void Loop::save_failure() {
  if (options_.script.empty() || options_.renderer == GuiRenderer::kNull) return;
  try {
    player_.reset();
    picture_ = options_.script + ".failed.png";
    std::cerr << "ringside: what there is to see: " << picture_.string() << '\n';
    frame(now_seconds());
  } catch (const Error& error) {
    std::cerr << "ringside: no picture: " << error.what() << '\n';
  }
}

void Loop::remember_place() {
  const auto place = window_->place();
  if (place && options_.width == 0) settings_.change([&](Settings& settings) { settings.window = place; });
}

void Loop::report() const {
  if (!options_.frame_times) return;
  const FrameTimes& times = frame_times();
  fmt::print("{} frames in {:.1f} s; CPU time of a frame: p50 {:.2f} ms, p99 {:.2f} ms\n{}\n", times.count(),
             now_seconds() - began_, times.overall(0.5), times.overall(0.99), times.histogram());
  if (const FrameTimes& live = live_panel_times(); live.count() > 0)
    fmt::print("the live panel in {} of them: p50 {:.3f} ms, p99 {:.3f} ms\n", live.count(),
               live.overall(0.5), live.overall(0.99));
}

}  // namespace

ExitCode run_room(const GuiOptions& options) { return Loop(options).run(); }

}  // namespace ringside::gui
