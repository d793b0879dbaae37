// The run's settings: launchers' lines, DeepSpeed's, FSDP's and accelerate's files; and what they change.
#include <fmt/format.h>

#include "catch.h"
#include "ringside/autopsy/diagnosis.h"
#include "ringside/autopsy/files.h"
#include "ringside/base/error.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

JobSettings of_launch(const std::string& line) {
  JobSettings settings;
  REQUIRE(add_launch(line, {"--launch", line}, settings));
  return settings;
}

JobSettings of_file(const std::string& name, const std::string& text) {
  const testing::TempFolder folder;
  folder.write(name, text);
  JobSettings settings;
  REQUIRE(add_settings_file(folder.file(name), settings));
  return settings;
}

std::string refused(const std::string& name, const std::string& text) {
  const testing::TempFolder folder;
  folder.write(name, text);
  JobSettings settings;
  try {
    return add_settings_file(folder.file(name), settings) ? "taken" : "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::pair<int64_t, int64_t> size_of(const JobSettings& settings) {
  return {settings.world(), settings.ranks_per_node()};
}
using Size = std::pair<int64_t, int64_t>;

std::string timeouts(int from, int to, const std::string& call) {
  std::string text;
  for (int rank = from; rank < to; ++rank)
    text += fmt::format(
        "[rank{}]:[E ProcessGroupNCCL.cpp:632] [Rank {}] Watchdog caught collective operation timeout: "
        "WorkNCCL({}, "
        "Timeout(ms)=600000) ran for 600013 milliseconds before timing out.\n",
        rank, rank, call);
  return text;
}
const std::string kBucketSum = "SeqNum=5, OpType=ALLREDUCE, NumelIn=200000000, NumelOut=200000000";

std::string sentences(const std::vector<Finding>& all) {
  std::string text;
  for (const Finding& one : all) text += one.sentence + "\n";
  return text;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a launcher's line says how many ranks there are, and how many on each node") {
  CHECK(size_of(of_launch("torchrun --nnodes=2 --nproc-per-node 8 train.py --num_processes 4")) ==
        Size(16, 8));
  CHECK(size_of(of_launch("OMP_NUM_THREADS=1 /opt/bin/torchrun --nproc_per_node=4 train.py")) == Size(4, 4));
  CHECK(size_of(of_launch("srun --ntasks-per-node=1 -n 4 torchrun --nnodes 4 --nproc-per-node=8 a.py")) ==
        Size(32, 8));
  CHECK(size_of(of_launch("python -m torch.distributed.run --nnodes 2:2 --nproc-per-node 8 -m pkg --np 3")) ==
        Size(16, 8));
  CHECK(size_of(of_launch("torchrun --nnodes 1:4 --nproc-per-node 8 train.py")) == Size(0, 8));
  CHECK(size_of(of_launch("torchrun --nnodes $NODES --nproc-per-node gpu train.py")) == Size(0, 0));
  CHECK(size_of(of_launch("accelerate launch --num_processes 16 --num_machines 2 train.py")) == Size(16, 8));
  CHECK(size_of(of_launch("mpirun -np 12 ./train")) == Size(12, 0));
  CHECK(of_launch("torchrun train.py --ddp_timeout 7200").number("timeout_s") == 7200);
  CHECK(of_launch("torchrun pretrain_gpt.py --distributed-timeout-minutes=30").number("timeout_s") == 1800);
  JobSettings settings;
  CHECK_FALSE(add_launch("python train.py --nnodes 2", {}, settings));
  for (const std::string bad : {"--nnodes 0", "--nnodes -1", "--nnodes 99999999999", "--nproc-per-node 8x"})
    CHECK_THROWS_AS(add_launch("torchrun " + bad + " a.py", {"--launch", ""}, settings), InputError);
  // Each is allowed, both together are more ranks than there can be.
  CHECK(of_launch("torchrun --nnodes 1000000 --nproc-per-node 4096 a.py").world() == 0);
}

TEST_CASE("files of settings are told apart by their content") {
  const JobSettings deepspeed = of_file(
      "a.json",
      R"({"zero_optimization": {"stage": 2, "reduce_bucket_size": 2e8, "allgather_bucket_size": "auto"}, "bf16": {"enabled": true}})");
  CHECK(deepspeed.number("zero_stage") == 2);
  CHECK(deepspeed.number("reduce_bucket_size") == 200'000'000);
  CHECK(deepspeed.find("allgather_bucket_size") == nullptr);
  CHECK(deepspeed.number("bf16") == 1);
  const JobSettings accelerate =
      of_file("b",
              "compute_environment: LOCAL_MACHINE\nfsdp_config:\n  fsdp_sharding_strategy: 1\n"
              "  fsdp_transformer_layer_cls_to_wrap: 'LlamaDecoderLayer'  # a layer\n"
              "num_machines: 2\nnum_processes: 16\n");
  CHECK(size_of(accelerate) == Size(16, 8));
  CHECK(accelerate.word("fsdp_sharding_strategy") == "FULL_SHARD");
  CHECK(accelerate.word("fsdp_wraps") == "LlamaDecoderLayer");
  CHECK(accelerate.find("fsdp_wraps")->from.place.ends_with("b:4"));
  const JobSettings trainer = of_file(
      "d.json",
      R"({"fsdp": "shard_grad_op auto_wrap", "fsdp_config": {"transformer_layer_cls_to_wrap": ["QwenBlock", "X"]}})");
  CHECK(trainer.word("fsdp_sharding_strategy") == "SHARD_GRAD_OP");
  CHECK(trainer.word("fsdp_wraps") == "QwenBlock");
  CHECK(of_file("e.yaml", "fsdp_reshard_after_forward: true\n").word("fsdp_sharding_strategy") ==
        "FULL_SHARD");
  CHECK(of_file("e.yaml", "fsdp: sometimes\n").find("fsdp_sharding_strategy") == nullptr);
  CHECK(of_file("c.json", R"({"model_type": "llama", "hidden_size": 8})").model_config.ends_with("c.json"));
  const JobSettings script =
      of_file("run",
              "#!/bin/bash\n#SBATCH --nodes=2\nexport GPUS=8\n# torchrun --nnodes 7\n"
              "torchrun --nnodes ${SLURM_NNODES} \\\n  --nproc-per-node \"$GPUS\" \\\n  train.py\n");
  CHECK(script.ranks_per_node() == 8);
  CHECK(script.find("ranks_per_node")->from.place.ends_with("run:7"));
  CHECK(script.find("nodes") == nullptr);
}

TEST_CASE("a file of settings that is none, or has what cannot be, is refused by name") {
  CHECK(refused("a.txt", "epoch 3\n") == "none");
  CHECK(refused("a.json", R"({"hidden": 3})") == "none");
  CHECK(holds(refused("a.json", R"({"zero_optimization": {"stage": 9}})"),
              "zero_optimization.stage 9: allowed are whole numbers from 0 to 3"));
  CHECK(holds(refused("a.json", R"({"zero_optimization": {"stage": 1,)"), "a.json: not JSON from byte"));
  CHECK(
      holds(refused("a.json", R"({"zero_optimization": )" + std::string(100, '[')), "nested deeper than 32"));
  CHECK(holds(refused("a.yaml", "num_processes: -4\n"), "a.yaml:1: num_processes -4"));
  CHECK(holds(refused("run.sh", "#!/bin/sh\ntorchrun --nnodes 1e300 a.py\n"), "run.sh:2: --nnodes 1e300"));
  CHECK(holds(refused("a.json", std::string((1 << 20) + 1, ' ')), "a.json"));
}

TEST_CASE("the number of ranks names those that left no line, and on which node one is") {
  AutopsyOptions options;
  options.settings = of_launch("torchrun --nnodes 2 --nproc-per-node 8 train.py");
  Diagnosis said = autopsy(timeouts(0, 12, kBucketSum) + timeouts(13, 16, kBucketSum), options);
  CHECK(said.first[0].cause == Cause::kAbsent);
  CHECK(said.first[0].ranks == std::vector<int>{12});
  CHECK(said.first[0].sure == Sure::kCannotBeTold);
  CHECK(holds(said.first[0].sentence, "rank 12: node 1, local rank 4"));
  CHECK(holds(sentences(said.job), "16 ranks on 2 nodes, 8 on each"));
  CHECK(holds(sentences(said.job), "Rank 12 left no line here"));
  // The log of one node: the other node's ranks are not said to be absent from the call.
  said = autopsy(timeouts(0, 8, kBucketSum), options);
  CHECK(said.first[0].ranks.empty());
  CHECK(holds(sentences(said.job), "Ranks 8, 9, 10, 11, 12, 13, 14 and 15 left no line"));
  // All are here, so that none is absent.
  CHECK(autopsy(timeouts(0, 16, kBucketSum), options).first[0].cause == Cause::kTransport);
  // A rank that the settings do not have.
  said = autopsy(timeouts(15, 18, kBucketSum), options);
  CHECK(holds(sentences(said.job), "the log names rank 17, so that these settings are of another job"));
  CHECK_FALSE(holds(sentences(said.job), "left no line"));
}

TEST_CASE("the line of a launcher in the log itself, over several lines") {
  const std::string line =
      "+ torchrun --nnodes 2 \\\n  --nproc-per-node 8 \\\n  train.py --ddp_timeout 7200\n";
  const Diagnosis said = autopsy(line + timeouts(0, 12, kBucketSum) + timeouts(13, 16, kBucketSum));
  CHECK(said.first[0].ranks == std::vector<int>{12});
  CHECK(said.job[0].evidence[0].place == "log:3");
  CHECK(holds(sentences(said.job), "A timeout of 7,200 s; the group that waited has 600 s"));
  const Diagnosis deepspeed = autopsy(
      "[INFO] [launch.py:152:main] nnodes=2, num_local_procs=8, node_rank=0\n[INFO] [config.py:1003:print]   "
      "zero_config "
      ".................. stage=3 reduce_scatter=True reduce_bucket_size=50000000 overlap_comm=True\n" +
      timeouts(0, 15, kBucketSum));
  CHECK(deepspeed.first[0].ranks == std::vector<int>{15});
  CHECK(holds(sentences(deepspeed.job), "DeepSpeed with stage 3 of ZeRO, reduce_bucket_size 50,000,000"));
  for (const std::string printed :
       {"[INFO] [launch.py:163:main] dist_world_size=8", "using world size: 8, data-parallel size: 8",
        "Distributed environment: MULTI_GPU  Backend: nccl\nNum processes: 8"})
    CHECK(autopsy(printed + "\n" + timeouts(0, 7, kBucketSum)).first[0].ranks == std::vector<int>{7});
  const std::string operator_lines =
      "Starting elastic_operator with launch configs:\n  nproc_per_node   : 4\n";
  CHECK(autopsy(operator_lines + timeouts(0, 3, kBucketSum)).job.empty());  // how many nodes, is not said
  // Lines that look like one do not crowd out what failed.
  std::string many;
  for (int i = 0; i < 60'000; ++i) many += fmt::format("deepspeed --step {}\n", i);
  CHECK(autopsy(many + "[rank1]: KeyError: 'x'\n").first[0].cause == Cause::kException);
  // What cannot be is passed over in a log.
  CHECK(autopsy("torchrun --nnodes 0 --nproc-per-node 8 a.py\n" + timeouts(0, 2, kBucketSum)).job.empty());
}

TEST_CASE("what the waiting call is for, by how the job shards") {
  const auto carried = [](const std::string& call, const std::string& json) {
    AutopsyOptions options;
    options.settings = of_file("a.json", json);
    return sentences(autopsy(timeouts(0, 2, call), options).carries);
  };
  const std::string two = R"({"zero_optimization": {"stage": 2, "reduce_bucket_size": 2e8}})";
  CHECK(holds(carried(kBucketSum, two), "a bucket of gradients, of at most 200,000,000 elements"));
  CHECK(holds(carried("SeqNum=5, OpType=ALLREDUCE, NumelIn=200000001, NumelOut=200000001", two),
              "more than a bucket"));
  const std::string gather = "SeqNum=5, OpType=_ALLGATHER_BASE, NumelIn=1024, NumelOut=8192";
  CHECK(holds(carried(gather, two), "updated parameters, which the ranks share after the optimizer's step"));
  const std::string three = R"({"zero_optimization": {"stage": 3}})";
  CHECK(holds(carried(gather, three), "parameters, which stage 3 gathers just before a layer uses them"));
  CHECK(holds(carried("SeqNum=5, OpType=_REDUCE_SCATTER_BASE, NumelIn=8192, NumelOut=1024", three),
              "a bucket of gradients"));
  const std::string padded = "SeqNum=5, OpType=_REDUCE_SCATTER_BASE, NumelIn=500000008, NumelOut=62500001";
  CHECK(holds(carried(padded, three), "500,000,000 elements and what it is padded by"));
  CHECK(holds(carried(kBucketSum, three), "no bucket of stage 3"));
  const std::string fsdp =
      R"({"fsdp_sharding_strategy": "FULL_SHARD", "fsdp_transformer_layer_cls_to_wrap": "QwenBlock"})";
  CHECK(holds(carried(gather, fsdp), "the parameters of one QwenBlock"));
  CHECK(carried("SeqNum=5, OpType=BROADCAST, NumelIn=8192, NumelOut=8192", fsdp).find("QwenBlock") ==
        std::string::npos);
}

TEST_CASE("settings among the files of a folder") {
  const testing::TempFolder folder;
  folder.write("train.log", timeouts(0, 4, kBucketSum));
  folder.write("run.sh", "#!/bin/sh\ntorchrun --nproc-per-node 5 a.py\n");
  folder.write("ds.json", R"({"zero_optimization": {"stage": 7}})");
  folder.write("config.json", R"({"model_type": "nothing"})");
  folder.write("lines.json", "{\"message\": \"KeyError: 'x'\"}\n{\"message\": 2}\n");
  std::istringstream nothing;
  const CaseFiles files = read_case({folder.path.string()}, nothing);
  CHECK(files.settings.world() == 5);
  CHECK(files.settings.model_config.empty());
  REQUIRE(files.not_read.size() == 2);
  CHECK(holds(files.not_read[0], "config.json"));
  CHECK(holds(files.not_read[1], "zero_optimization.stage 7"));
  CHECK(files.log.files == std::vector<std::string>{"lines.json", "train.log"});
}
