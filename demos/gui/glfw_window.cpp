// The window on a screen: GLFW, OpenGL 3, and Dear ImGui's own backends for both.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#if __has_include(<backends/imgui_impl_glfw.h>)
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#endif

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <utility>

#include "platform.h"
#include "ringside/base/error.h"
#include "window.h"

namespace ringside::gui {
namespace {

constexpr int kWidth = 1280, kHeight = 800;  // in points
constexpr int kLeastWidth = 480, kLeastHeight = 320;
constexpr const char* kWithout =
    "; without a display: ringside run LESSON, or ringside gui --renderer null --script FILE";

std::string& last_error() {
  static std::string text;
  return text;
}
void on_error(int, const char* description) {
  last_error() = description;
  while (last_error().ends_with(' ')) last_error().pop_back();
}

// The few calls of OpenGL that are not ImGui's, without its headers.
struct OpenGl {
  void (*viewport)(int, int, int, int);
  void (*clear_colour)(float, float, float, float);
  void (*clear)(unsigned);
  void (*pixel_store)(unsigned, int);
  void (*read_pixels)(int, int, int, int, unsigned, unsigned, void*);
  const unsigned char* (*get_string)(unsigned);

  template <typename Function>
  static void load(Function& function, const char* name) {
    const GLFWglproc found = glfwGetProcAddress(name);
    if (found == nullptr) throw MissingError(std::string("OpenGL lacks ") + name + kWithout);
    static_assert(sizeof function == sizeof found);
    std::memcpy(&function, &found, sizeof found);
  }
  void load_all() {
    load(viewport, "glViewport");
    load(clear_colour, "glClearColor");
    load(clear, "glClear");
    load(pixel_store, "glPixelStorei");
    load(read_pixels, "glReadPixels");
    load(get_string, "glGetString");
  }
};
constexpr unsigned kColourBuffer = 0x4000, kPackAlignment = 0x0D05, kRgba = 0x1908, kUnsignedByte = 0x1401;

// Whether a title bar there could be grasped on some monitor.
bool on_some_monitor(const WindowPlace& place) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int x, y, width, height;
    glfwGetMonitorWorkarea(monitors[i], &x, &y, &width, &height);
    if (place.x + place.width > x + 40 && place.x < x + width - 40 && place.y >= y - 40 &&
        place.y < y + height - 40)
      return true;
  }
  return false;
}

// Of the primary monitor, as a window on it will report.
float monitor_scale() {
  float x = 1, y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
  return x > 0 ? x : 1;
}

bool waits_for_screen(bool visible) {
#if GLFW_VERSION_MAJOR * 100 + GLFW_VERSION_MINOR >= 304
  // There a swap waits until the window is seen, for hours perhaps; the loop's own pace is enough.
  if (glfwGetPlatform() == GLFW_PLATFORM_WAYLAND) return false;
#endif
  return visible;
}

class GlfwWindow : public Window {
 public:
  GlfwWindow(const WindowOptions& options, InputQueue& input) : input_(input), visible_(options.visible) {
    glfwSetErrorCallback(on_error);
    keep_mesa_apart();
    choose_platform();
    if (!glfwInit()) throw MissingError("no display: " + last_error() + kWithout);
    try {
      open(options);
    } catch (...) {
      if (window_ != nullptr) glfwDestroyWindow(window_);
      glfwTerminate();
      throw;
    }
  }
  ~GlfwWindow() override {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  bool wait(double seconds) override {
    stirred_ = false;
    if (seconds > 0)
      glfwWaitEventsTimeout(seconds);
    else
      glfwPollEvents();
    return stirred_;
  }
  bool iconified() const override { return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0; }
  bool take_close_request() override {
    const bool asked = glfwWindowShouldClose(window_) != 0;
    glfwSetWindowShouldClose(window_, 0);
    return asked;
  }
  std::vector<std::filesystem::path> take_dropped() override { return std::exchange(dropped_, {}); }
  float content_scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x > 0 ? x : 1;
  }
  std::optional<WindowPlace> place() const override {
    if (!visible_ || iconified() || glfwGetWindowAttrib(window_, GLFW_MAXIMIZED)) return std::nullopt;
    WindowPlace place;
    glfwGetWindowPos(window_, &place.x, &place.y);
    glfwGetWindowSize(window_, &place.width, &place.height);
    return place;
  }
  void resize(int width, int height) override { glfwSetWindowSize(window_, width, height); }

  void fonts_changed() override;
  void begin_frame() override;
  void draw(ImU32 background) override;
  Picture picture() override;
  void show() override { glfwSwapBuffers(window_); }

 private:
  void open(const WindowOptions& options);
  void place_and_size(const WindowOptions& options, int& width, int& height);
  void listen();
  void on_key(int key, int scancode, int action, int modifiers);
  void on_drop(int count, const char** paths);
  // GLFW's coordinates are points on Wayland, pixels on X11; all of ours are pixels.
  ImVec2 pixels_per_unit() const;

  static GlfwWindow& self(GLFWwindow* window) {
    auto& self = *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window));
    self.stirred_ = true;
    return self;
  }

  InputQueue& input_;
  bool visible_;
  GLFWwindow* window_ = nullptr;
  OpenGl gl_{};
  bool stirred_ = false, drew_ = false;
  std::vector<std::filesystem::path> dropped_;
};

void GlfwWindow::place_and_size(const WindowOptions& options, int& width, int& height) {
  width = options.width, height = options.height;
  if (width > 0) return;
  if (options.place && on_some_monitor(*options.place)) {
    width = std::max(options.place->width, kLeastWidth),
    height = std::max(options.place->height, kLeastHeight);
    return;
  }
  const float scale = monitor_scale();
  width = int(kWidth * scale), height = int(kHeight * scale);
  int x, y, most_wide = 0, most_high = 0;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
    glfwGetMonitorWorkarea(monitor, &x, &y, &most_wide, &most_high);
  if (most_wide > kLeastWidth && most_high > kLeastHeight)
    width = std::min(width, most_wide * 19 / 20), height = std::min(height, most_high * 18 / 20);
}

void GlfwWindow::open(const WindowOptions& options) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
  glfwWindowHint(GLFW_VISIBLE, 0);  // until it stands where it should
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "ringside");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "ringside");
  int width, height;
  place_and_size(options, width, height);
  window_ = glfwCreateWindow(width, height, "Ringside", nullptr, nullptr);
  if (window_ == nullptr) throw MissingError("no window with OpenGL 3.0: " + last_error() + kWithout);
  glfwMakeContextCurrent(window_);
  gl_.load_all();
  glfwSwapInterval(waits_for_screen(visible_) ? 1 : 0);
  if (options.width == 0 && options.place && on_some_monitor(*options.place))
    glfwSetWindowPos(window_, options.place->x, options.place->y);
  glfwSetWindowSizeLimits(window_, kLeastWidth, kLeastHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  if (visible_) glfwShowWindow(window_);

  if (!ImGui_ImplGlfw_InitForOpenGL(window_, false)) throw MissingError("ImGui refused the window");
  if (!ImGui_ImplOpenGL3_Init("#version 130")) {
    const auto* version = reinterpret_cast<const char*>(gl_.get_string(0x1F02));
    ImGui_ImplGlfw_Shutdown();
    throw MissingError(std::string("OpenGL ") + (version ? version : "?") + " is older than 3.0" + kWithout);
  }
  glfwSetWindowUserPointer(window_, this);
  if (options.takes_input) return listen();
  // Else the backends look where the real mouse is.
  ImGui_ImplGlfw_CursorEnterCallback(window_, 1);
  input_.move({-FLT_MAX, -FLT_MAX});
}

void GlfwWindow::listen() {
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int k, int s, int a, int m) { self(w).on_key(k, s, a, m); });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned letter) { self(w).input_.letter(letter); });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int) {
    self(w).input_.button(button, action == GLFW_PRESS);
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
    const ImVec2 unit = self(w).pixels_per_unit();
    self(w).input_.move({float(x) * unit.x, float(y) * unit.y});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double y) { self(w).input_.wheel(float(y)); });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int entered) {
    if (!entered) self(w).input_.move({-FLT_MAX, -FLT_MAX});
    ImGui_ImplGlfw_CursorEnterCallback(w, entered);
  });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int focused) {
    self(w);
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
  });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int n, const char** paths) { self(w).on_drop(n, paths); });
  // These only ask for a frame.
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { self(w); });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { self(w); });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) { self(w); });
  glfwSetWindowIconifyCallback(window_, [](GLFWwindow* w, int) { self(w); });
  glfwSetWindowCloseCallback(window_, [](GLFWwindow* w) { self(w); });
}

void GlfwWindow::on_key(int key, int scancode, int action, int modifiers) {
  if (action == GLFW_REPEAT) return;  // ImGui repeats by itself
  input_.key(key, action == GLFW_PRESS,
             [=, this] { ImGui_ImplGlfw_KeyCallback(window_, key, scancode, action, modifiers); });
}

void GlfwWindow::on_drop(int count, const char** paths) {
  for (int i = 0; i < count; ++i) dropped_.emplace_back(paths[i]);
}

ImVec2 GlfwWindow::pixels_per_unit() const {
  int width, height, pixels_wide, pixels_high;
  glfwGetWindowSize(window_, &width, &height);
  glfwGetFramebufferSize(window_, &pixels_wide, &pixels_high);
  if (width <= 0 || height <= 0) return {1, 1};
  return {float(pixels_wide) / float(width), float(pixels_high) / float(height)};
}

void GlfwWindow::fonts_changed() {
#if IMGUI_VERSION_NUM < 19200  // later the backend follows the atlas by itself
  if (!drew_) return;          // its first frame uploads it
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

void GlfwWindow::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  drew_ = true;
  int width, height;
  glfwGetFramebufferSize(window_, &width, &height);
  ImGui::GetIO().DisplaySize = {float(width), float(height)};
  ImGui::GetIO().DisplayFramebufferScale = {1, 1};
}

void GlfwWindow::draw(ImU32 background) {
  int width, height;
  glfwGetFramebufferSize(window_, &width, &height);
  const ImVec4 colour = ImGui::ColorConvertU32ToFloat4(background);
  gl_.viewport(0, 0, width, height);
  gl_.clear_colour(colour.x, colour.y, colour.z, 1);
  gl_.clear(kColourBuffer);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

Picture GlfwWindow::picture() {
  Picture picture;
  glfwGetFramebufferSize(window_, &picture.width, &picture.height);
  const size_t row = size_t(picture.width) * 4, rows = size_t(picture.height);
  picture.rgba.resize(row * rows);
  gl_.pixel_store(kPackAlignment, 1);
  gl_.read_pixels(0, 0, picture.width, picture.height, kRgba, kUnsignedByte, picture.rgba.data());
  for (size_t i = 0; i < rows / 2; ++i) {  // OpenGL's first row is the lowest
    uint8_t* const top = picture.rgba.data() + i * row;
    std::swap_ranges(top, top + row, picture.rgba.data() + (rows - 1 - i) * row);
  }
  for (size_t i = 3; i < picture.rgba.size(); i += 4) picture.rgba[i] = 0xFF;
  return picture;
}

}  // namespace

std::unique_ptr<Window> open_glfw_window(const WindowOptions& options, InputQueue& input) {
  return std::make_unique<GlfwWindow>(options, input);
}

}  // namespace ringside::gui
