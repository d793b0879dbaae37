#include "platform.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <dlfcn.h>

#include <cstdlib>

namespace ringside::gui {

void keep_mesa_apart() {
#if !defined(__SANITIZE_ADDRESS__) && defined(RTLD_DEEPBIND)  // which the sanitizer refuses
  for (const char* library : {"libGLX_mesa.so.0", "libEGL_mesa.so.0"})
    dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
#endif
}

void choose_platform() {
#if GLFW_VERSION_MAJOR * 100 + GLFW_VERSION_MINOR >= 304
  if (std::getenv("WAYLAND_DISPLAY") == nullptr && std::getenv("WAYLAND_SOCKET") == nullptr)
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

}  // namespace ringside::gui
