#include "card_pictures.h"

#include <algorithm>
#include <ostream>

#include "kept_pictures.h"
#include "limited_run.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/read_file.h"

namespace ringside {

namespace fs = std::filesystem;

std::string copy_picture(const fs::path& data, const std::string& card, const fs::path& folder) {
  constexpr std::string_view kAsked = "asked/";
  if (!card.starts_with(kAsked)) return "";
  std::string name = card.substr(kAsked.size());
  std::ranges::replace(name, '/', '.');
  const fs::path from = kept_picture(data, name);
  std::error_code failed;
  if (data.empty() || !fs::exists(from, failed)) return "";
  fs::create_directories(folder, failed);
  const std::string png = "ringside." + name + ".png";
  const coding::LimitedRun run =
      coding::run_limited({"rsvg-convert", "--output", (folder / png).string(), from.string()},
                          {.cpu_seconds = 10}, [] { return false; });
  if (run.code == 0) return png;
  const std::string svg = read_file(from, kMostPictureBytes);
  const std::string same = "ringside." + name + ".svg";
  write_file_atomically(folder / same, [&](std::ostream& out) { out << svg; });
  return same;
}

}  // namespace ringside
