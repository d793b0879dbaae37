#include <stb_image_write.h>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "window.h"

namespace ringside::gui {

void write_png(const Picture& picture, const std::filesystem::path& file) {
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), size_t(size));
  };
  if (stbi_write_png_to_func(append, &bytes, picture.width, picture.height, 4, picture.rgba.data(),
                             picture.width * 4) == 0)
    throw InputError(file.string() + ": the picture could not be packed");
  write_file_atomically(file, [&](std::ostream& out) { out << bytes; });
}

}  // namespace ringside::gui
