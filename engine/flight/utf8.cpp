#include "utf8.h"

#include <nlohmann/json.hpp>

namespace ringside::flight {

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string valid_utf8(std::string_view text) {
  return nlohmann::json::parse(json_quoted(text)).get<std::string>();
}

}  // namespace ringside::flight
