#include "badges.h"

#include <algorithm>
#include <cctype>

namespace ringside::gui {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string initials(const std::string& id) {
  std::string letters;
  for (size_t i = 0; i < id.size() && letters.size() < 2; ++i)
    if (id[i] != '_' && (i == 0 || id[i - 1] == '_')) letters += id[i];
  return upper(letters);
}

}  // namespace

std::vector<std::string> badges_of(const std::vector<std::string>& ids) {
  std::vector<std::string> badges;
  for (const std::string& id : ids) {
    const auto is_taken = [&](const std::string& badge) {
      return std::find(badges.begin(), badges.end(), badge) != badges.end();
    };
    std::string badge = initials(id);
    for (size_t i = 1; i < id.size() && is_taken(badge); ++i)
      if (id[i] != '_') badge = upper(id.substr(0, 1) + id[i]);
    for (int number = 2; is_taken(badge); ++number) badge = upper(id.substr(0, 1)) + std::to_string(number);
    badges.push_back(badge);
  }
  return badges;
}

}  // namespace ringside::gui
