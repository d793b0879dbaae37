// Which rank a process is, by environments as launchers set them.
#include "ringside/launch/resolve.h"

#include <catch.h>

#include <fstream>

#include "check_text.h"
#include "ringside/base/json.h"

using namespace ringside;

namespace {

const Environment kTorchrun = {{"RANK", "2"},
                               {"WORLD_SIZE", "4"},
                               {"LOCAL_RANK", "0"},
                               {"LOCAL_WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "node7"},
                               {"MASTER_PORT", "4242"},
                               {"TORCHELASTIC_RUN_ID", "id"},
                               {"TORCHELASTIC_RESTART_COUNT", "3"},
                               {"TORCHELASTIC_ERROR_FILE", "/tmp/error.json"}};
const Environment kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "3"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}};
const Environment kPmi = {{"PMI_RANK", "5"}, {"PMI_SIZE", "6"}};
const Environment kSlurm = {{"SLURM_PROCID", "7"},
                            {"SLURM_NTASKS", "8"},
                            {"SLURM_LOCALID", "3"},
                            {"SLURM_JOB_ID", "991"},
                            {"SLURM_JOB_NODELIST", "gpu[04-05],x"}};

Environment both(Environment one, const Environment& other) {
  one.insert(other.begin(), other.end());
  return one;
}
Environment without(Environment one, const std::string& name) {
  one.erase(name);
  return one;
}
std::string refusal(const Environment& environment, const LaunchFlags& flags = {}) {
  return message_of<UsageError>([&] { resolve(environment, flags); });
}

}  // namespace

TEST_CASE("resolve: each launcher's variables, by order of precedence") {
  struct Case {
    Environment environment;
    LaunchFlags flags;
    const char* launcher;
    int rank, size, local_rank;
    const char *address, *rank_from;
  };
  const Environment all = both(both(kTorchrun, kOpenMpi), both(kPmi, kSlurm));
  const Case cases[] = {
      {{}, {}, "none", 0, 1, 0, "127.0.0.1", "default"},
      {kTorchrun, {}, "torchrun", 2, 4, 0, "node7", "RANK"},
      {without(kTorchrun, "TORCHELASTIC_RUN_ID"), {}, "environment", 2, 4, 0, "node7", "RANK"},
      {kOpenMpi, {}, "Open MPI", 1, 3, 1, "127.0.0.1", "OMPI_COMM_WORLD_RANK"},
      {kPmi, {}, "PMI", 5, 6, 0, "127.0.0.1", "PMI_RANK"},
      {kSlurm, {}, "Slurm", 7, 8, 3, "gpu04", "SLURM_PROCID"},
      {{{"SLURM_NTASKS", "8"}}, {}, "none", 0, 1, 0, "127.0.0.1", "default"},  // a shell of salloc
      {{{"MASTER_ADDR", "node7"}}, {}, "none", 0, 1, 0, "127.0.0.1", "default"},
      {all, {}, "torchrun", 2, 4, 0, "node7", "RANK"},
      {both(kOpenMpi, both(kPmi, kSlurm)), {}, "Open MPI", 1, 3, 1, "127.0.0.1", "OMPI_COMM_WORLD_RANK"},
      {both(kPmi, kSlurm), {}, "PMI", 5, 6, 0, "127.0.0.1", "PMI_RANK"},
      {both(kSlurm, {{"PMI_RANK", "7"}, {"PMI_SIZE", "8"}}), {}, "Slurm", 7, 8, 3, "gpu04", "SLURM_PROCID"},
      {both(kSlurm, {{"MASTER_ADDR", "there"}}), {}, "Slurm", 7, 8, 3, "there", "SLURM_PROCID"},
      {all, {.rank = 0, .size = 2, .address = "here"}, "flags", 0, 2, 0, "here", "--rank"},
      {kTorchrun, {.rank = {}, .size = {}, .address = "here"}, "torchrun", 2, 4, 0, "here", "RANK"},
  };
  for (const Case& one : cases) {
    const Launch launch = resolve(one.environment, one.flags);
    CAPTURE(one.launcher);
    CHECK(launch.launcher == one.launcher);
    CHECK(launch.rank.value == one.rank);
    CHECK(launch.size.value == one.size);
    CHECK(launch.local_rank.value == one.local_rank);
    CHECK(launch.address.value == one.address);
    CHECK(launch.rank.from == one.rank_from);
  }
}

TEST_CASE("resolve: port, run and restart") {
  CHECK(resolve(kTorchrun).port.value == 4242);
  CHECK(resolve(both(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}})).port.value == 4242);
  const Launch agent = resolve(both(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}));
  CHECK((agent.port.value == 0 && agent.port.from == "torchrun's store"));
  CHECK((agent.agent_port.value == 4242 && agent.agent_port.from == "MASTER_PORT"));
  const Launch flag = resolve(both(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
                              {.rank = {}, .size = {}, .port = 77});
  CHECK((flag.port.value == 77 && flag.agent_port.value == 0));
  CHECK(resolve(kTorchrun).run() == RunName{"id", 4, 3});
  CHECK(resolve(kTorchrun, {.rank = {}, .size = {}, .run_id = "mine"}).run().run_id == "mine");
  CHECK(resolve(both(kPmi, {{"RINGSIDE_RUN_ID", "mine"}})).run_id.from == "RINGSIDE_RUN_ID");
  // Each job has a port of its own, the same for all of its ranks.
  const Launch slurm = resolve(kSlurm);
  CHECK((slurm.port.from == "SLURM_JOB_ID" && slurm.run_id.value == "991"));
  Environment other = kSlurm;
  other["SLURM_JOB_ID"] = "992";
  CHECK(resolve(other).port.value != slurm.port.value);
  CHECK(resolve(both(kSlurm, {{"MASTER_PORT", "81"}})).port.value == 81);
  CHECK(resolve(both(kSlurm, {{"SLURM_STEP_NUM_NODES", "1"}})).local_size.value == 8);
  CHECK(resolve(both(kSlurm, {{"SLURM_STEP_NUM_NODES", "2"}})).local_size.from == "default");
  CHECK(resolve({}).run() == RunName{"", 1, 0});
}

TEST_CASE("resolve: a half-set environment is refused by what is missing") {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
    CHECK(lacks(refusal(without(kTorchrun, name)), {std::string(name) + " is missing"}) == "");
  CHECK(lacks(refusal(both(kSlurm, {{"WORLD_SIZE", "4"}})), {"RANK, MASTER_ADDR, MASTER_PORT are missing"}) ==
        "");
  CHECK(lacks(refusal(without(kOpenMpi, "OMPI_COMM_WORLD_SIZE")), {"OMPI_COMM_WORLD_SIZE is missing"}) == "");
  CHECK(lacks(refusal(without(kPmi, "PMI_RANK")), {"PMI_RANK is missing"}) == "");
  CHECK(lacks(refusal(without(kSlurm, "SLURM_NTASKS")), {"SLURM_NTASKS is missing"}) == "");
  CHECK(lacks(refusal({}, {.rank = 1, .size = {}}), {"--world-size is missing"}) == "");
  CHECK(lacks(refusal({}, {.rank = {}, .size = 2}), {"--rank is missing"}) == "");
  Environment hosts = kOpenMpi;
  hosts["OMPI_COMM_WORLD_LOCAL_SIZE"] = "2";
  CHECK(lacks(refusal(hosts), {"MASTER_ADDR is missing", "2 of 3 ranks"}) == "");
}

TEST_CASE("resolve: a value out of range is named with what is allowed") {
  Environment wrong = kTorchrun;
  wrong["RANK"] = "4";
  CHECK(lacks(refusal(wrong), {"RANK=4", "0 to 3", "WORLD_SIZE is 4"}) == "");
  wrong["RANK"] = "two";
  CHECK(lacks(refusal(wrong), {"RANK=two"}) == "");
  wrong = kTorchrun;
  wrong["MASTER_PORT"] = "70000";
  CHECK(lacks(refusal(wrong), {"MASTER_PORT=70000", "1 to 65535"}) == "");
  CHECK(lacks(refusal({}, {.rank = -1, .size = 2}), {"--rank=-1"}) == "");
}

TEST_CASE("resolve: Slurm's lists of hosts") {
  using Hosts = std::vector<std::string>;
  CHECK(hosts_of_slurm("a") == Hosts{"a"});
  CHECK(hosts_of_slurm("gnode[10,20-22],b,c[08-10]") ==
        Hosts{"gnode10", "gnode20", "gnode21", "gnode22", "b", "c08", "c09", "c10"});
  CHECK(hosts_of_slurm("n[4294967295]") == Hosts{"n4294967295"});
  CHECK(hosts_of_slurm("n[4294967294-4294967295]") == Hosts{"n4294967294", "n4294967295"});
  CHECK(hosts_of_slurm("a[1-65536]").size() == 65536);
  std::string many = "a";
  for (int i = 0; i < 65536; ++i) many += ",a";
  many += "[1-2]";
  for (const std::string wrong : {"", ",", "a[1", "a[]", "a[2-1]", "a[x]", "a]b", "a[1]b", "a[1-99999999]",
                                  "a[0-4294967295]", "a,b[1-65536]", many.c_str()})
    CHECK(lacks(message_of<UsageError>([&] { hosts_of_slurm(wrong); }), {"no list of hosts"}) == "");
}

TEST_CASE("resolve: the error file's time tells a culprit from who lost it") {
  const std::string path = "resolve_test_error.json";
  const Launch launch =
      resolve(both(without(kTorchrun, "TORCHELASTIC_ERROR_FILE"), {{"TORCHELASTIC_ERROR_FILE", path}}));
  const auto time_of = [&](int blamed) {
    write_error_file(launch, "rank 3 was lost", blamed);
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const Json json = parse_json(text, {.bytes = 4096, .depth = 4, .values = 16});
    CHECK(json["message"]["message"] == "rank 3 was lost");
    return std::stoll(json["message"]["extraInfo"]["timestamp"].get<std::string>());
  };
  const int64_t own = time_of(2), unknown = time_of(-1), others = time_of(3);
  std::remove(path.c_str());
  CHECK(unknown - own <= 1);
  CHECK(others - own >= 6);
}
