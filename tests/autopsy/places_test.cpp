// Who is where: a picture of a job that stopped.
#include "catch.h"
#include "causes.h"
#include "rank_places.h"
#include "ringside/base/field.h"
#include "ringside/base/text.h"

using namespace ringside;

namespace {

const std::string kSumCall =
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, "
    "NumelOut=8, Timeout(ms)=6) ran for 7";

}  // namespace

TEST_CASE("ranks that tell the same stand together, those without a line too") {
  Log log = read_log(
      "[rank0]: INFO Saving checkpoint to step-4\n"
      "[rank0]: " +
          kSumCall + "\n[rank2]: KeyError: 'label'\n[rank3]: " + kSumCall + "\n[rank2]: " + kSumCall +
          "\n[rank1]: INFO step 4\n",
      "log");
  log.world = 5;
  CHECK(places_text(log, 80) ==
        "ranks 0 to 4, a column a rank\n"
        "█··█·  timed out in #5 ALLREDUCE of 8 elements: 2 ranks\n"
        "·█···  no word of a failure: 1 rank (1)\n"
        "··█··  raised KeyError: 'label': 1 rank (2)\n"
        "····█  no line: 1 rank (4)\n");
}

TEST_CASE("a picture stays within its columns; of too many ranks it has their numbers") {
  std::string text;
  for (int rank = 0; rank < 70; ++rank) text += "[rank" + std::to_string(rank) + "]: " + kSumCall + "\n";
  const Log log = read_log(text, "log");
  for (const size_t width : {60, 80, 200}) {
    std::string rest = places_text(log, width);
    CHECK((rest.find("██") == std::string::npos) == (width == 60));
    for (size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      CHECK(columns(rest.substr(0, end)) <= width);
  }
  CHECK(places_text(read_log("no rank\n", "log"), 80) == "No line names a rank.\n");
}

TEST_CASE("each cause has words for somebody who learns") {
  for (size_t i = 0; i < texts(Cause()).size(); ++i) {
    INFO(texts(Cause())[i]);
    CHECK(!words_of(static_cast<Cause>(i)).is.empty());
    CHECK(words_of(static_cast<Cause>(i)).shows.ends_with('.'));
  }
}
