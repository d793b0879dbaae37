#include "ringside/base/units.h"

#include <cstdint>

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("counts are grouped by thousands") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1048576) == "1,048,576");
  CHECK(format_count(-999) == "-999");
  CHECK(format_count(-123456) == "-123,456");
  CHECK(format_count(INT64_MAX) == "9,223,372,036,854,775,807");
  CHECK(format_count(INT64_MIN) == "-9,223,372,036,854,775,808");
}

TEST_CASE("bytes take the unit that keeps them short") {
  CHECK(format_mib(16.0 * (1 << 20)) == "16.00 MiB");
  CHECK(format_mib(0) == "0.00 MiB");
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(12) == "12 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1023.6) == "1.00 KiB");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(3072) == "3.00 KiB");
  CHECK(format_bytes(1024.0 * 1024 - 1) == "1.00 MiB");
  CHECK(format_bytes(16.0 * (1 << 20)) == "16.00 MiB");
  CHECK(format_bytes(2.1 * (1 << 30)) == "2.10 GiB");
  CHECK(format_bytes(-2048) == "-2.00 KiB");
}

TEST_CASE("durations") {
  CHECK(format_duration(0) == "0 s");
  CHECK(format_duration(800e-9) == "800 ns");
  CHECK(format_duration(120e-6) == "120 µs");
  CHECK(format_duration(1.4e-9) == "1.4 ns");
  CHECK(format_duration(10.2388e-6) == "10.2 µs");
  CHECK(format_duration(999.4e-9) == "999 ns");
  CHECK(format_duration(999.7e-6) == "1.0 ms");
  CHECK(format_duration(35.2e-3) == "35.2 ms");
  CHECK(format_duration(0.99999) == "1.0 s");
  CHECK(format_duration(6.1) == "6.1 s");
  CHECK(format_duration(59.97) == "1 min 00 s");
  CHECK(format_duration(125) == "2 min 05 s");
  CHECK(format_duration(3725) == "1 h 02 min");
  CHECK(format_duration(-6.1) == "-6.1 s");
}

TEST_CASE("a count is read in each of its notations") {
  CHECK(parse_count("0", "k") == 0);
  CHECK(parse_count("4096", "k") == 4096);
  CHECK(parse_count("64Ki", "k") == 65536);
  CHECK(parse_count("1Mi", "k") == 1048576);
  CHECK(parse_count("3Gi", "k") == int64_t{3} << 30);
  CHECK(parse_count("1Ti", "k") == int64_t{1} << 40);
  CHECK(parse_count("2.5e6", "k") == 2500000);
  CHECK(parse_count("0.5Ki", "k") == 512);
  CHECK(parse_count("7.5e9", "k") == 7500000000);
  CHECK(parse_count("9223372036854775807", "k") == INT64_MAX);
}

TEST_CASE("what is no count is refused by name") {
  const char* const texts[] = {"",
                               "Ki",
                               "1Zi",
                               "1K",
                               "nan",
                               "inf",
                               "-inf",
                               "-1",
                               "-0.5",
                               "1.5",
                               "0.3Ki",
                               "1e",
                               "0x10",
                               " 1",
                               "1 ",
                               "+1",
                               "1,000",
                               "1e19",
                               "1e400",
                               "NaNKi",
                               "1KiKi",
                               "9223372036854775808",
                               "9223372036854775807Ki",
                               "8388608Ti",
                               "--1",
                               "1e-400",
                               "٣"};
  for (const std::string text : texts) {
    INFO("text '" << text << "'");
    CHECK_THROWS_AS(parse_count(text, "bucket"), UsageError);
  }
  try {
    parse_count("1Zi", "bucket");
    FAIL("1Zi was read");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("bucket=1Zi") == 0);
    CHECK(error.code() == ExitCode::kUsage);
  }
}
