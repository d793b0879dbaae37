#include "json_text.h"

#include <limits>
#include <sstream>

#include "catch.h"

using namespace ringside;

namespace {

std::string written(const Json& document) {
  std::ostringstream out;
  write_json(document, out);
  return out.str();
}

}  // namespace

TEST_CASE("Documents are indented, arrays of numbers are not") {
  CHECK(written({{"a", 1}, {"b", {1.5, 2, 3}}, {"c", Json::object()}, {"d", Json::array()}}) ==
        "{\n  \"a\": 1,\n  \"b\": [1.5,2,3],\n  \"c\": {},\n  \"d\": []\n}\n");
  CHECK(written(Json::array({{{"k", "v"}}})) == "[\n  {\n    \"k\": \"v\"\n  }\n]\n");
}

TEST_CASE("What is written is read back") {
  const Json document = {
      {"text", "q\" \\ \n \t Ψ"}, {"deep", {{{"x", {{{"y", {1, 2}}}}}}}}, {"none", nullptr}};
  CHECK(Json::parse(written(document)) == document);
}

TEST_CASE("NaN, infinity and broken UTF-8 become what JSON can say") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(written({{"n", nan}, {"i", {infinity, -infinity}}}) ==
        "{\n  \"n\": null,\n  \"i\": [null,null]\n}\n");
  CHECK(written({{"t", "\xff"}}) == "{\n  \"t\": \"\xEF\xBF\xBD\"\n}\n");
}
