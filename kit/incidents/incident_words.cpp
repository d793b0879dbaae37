#include "incident_words.h"

#include <fmt/format.h>

namespace ringside::inline kit {
namespace {

template <typename T, size_t kCount>
T one_of(const T (&all)[kCount], RandomStream& random) {
  return all[random.below(kCount)];
}

int draw(RandomStream& random, int from, int to) { return from + int(random.below(uint64_t(to - from + 1))); }

struct Frame {
  const char *place, *code;
};

// From the outermost in.
Words frames(RandomStream& random) {
  static constexpr Frame kWays[][3] = {
      {{"train.py\", line {}, in main", "train(config)"},
       {"train.py\", line {}, in step", "loss = model(batch)"},
       {"model.py\", line {}, in forward", "return self.head(hidden)"}},
      {{"train.py\", line {}, in main", "train(config)"},
       {"train.py\", line {}, in step", "loss.backward()"},
       {"sharded.py\", line {}, in backward", "return gradient * scale"}},
      {{"train.py\", line {}, in main", "train(config)"},
       {"data.py\", line {}, in __iter__", "yield self.collate(samples)"},
       {"data.py\", line {}, in collate", "labels.append(sample[self.column])"}},
      {{"train.py\", line {}, in main", "evaluate(model, held_out)"},
       {"evaluate.py\", line {}, in evaluate", "metrics.update(model(batch), batch)"},
       {"metrics.py\", line {}, in update", "self.total += value"}}};
  const auto& way = kWays[random.below(std::size(kWays))];
  Words words;
  const size_t deep = 1 + random.below(std::size(way));
  for (size_t i = 0; i < deep; ++i) {
    words.push_back("  File \"/job/" + fmt::format(fmt::runtime(way[i].place), draw(random, 12, 480)));
    words.push_back(std::string("    ") + way[i].code);
  }
  return words;
}

Words traceback(const std::string& last, RandomStream& random) {
  Words words = frames(random);
  words.insert(words.begin(), "Traceback (most recent call last):");
  words.push_back(last);
  return words;
}

std::string exception_words(RandomStream& random) {
  static constexpr const char* kErrors[] = {
      "KeyError: 'label'",
      "ValueError: too many values to unpack (expected 2)",
      "FileNotFoundError: [Errno 2] No such file or directory: 'shard-7.bin'",
      "AssertionError",
      "IndexError: list index out of range",
      "TypeError: 'NoneType' object is not subscriptable",
      "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
      "OSError: [Errno 28] No space left on device: 'step-40/model.bin'",
      "ZeroDivisionError: division by zero",
      "RuntimeError: The size of tensor a (512) must match the size of tensor b (511) at dimension 1"};
  return one_of(kErrors, random);
}

std::string out_of_memory_words(int minor, RandomStream& random) {
  static constexpr const char* kSizes[] = {"2.00 GiB", "172.00 MiB", "20.00 MiB", "11.32 GiB"};
  return fmt::format(
      "{}: CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of 79.33 GiB of which {}.81 "
      "MiB is free.",
      minor >= 5 ? "torch.OutOfMemoryError" : "torch.cuda.OutOfMemoryError", one_of(kSizes, random),
      draw(random, 0, 7), draw(random, 1, 60));
}

std::string gpu_words(RandomStream& random) {
  static constexpr const char* kErrors[] = {
      "RuntimeError: CUDA error: device-side assert triggered",
      "RuntimeError: CUDA error: an illegal memory access was encountered",
      "RuntimeError: CUDA error: uncorrectable ECC error encountered",
      "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx`"};
  return one_of(kErrors, random);
}

}  // namespace

Words own_words(Cause cause, int minor, RandomStream& random) {
  switch (cause) {
    case Cause::kException: return traceback(exception_words(random), random);
    case Cause::kOutOfMemory: return traceback(out_of_memory_words(minor, random), random);
    case Cause::kGpuFault: return traceback(gpu_words(random), random);
    case Cause::kCrash: {
      if (random.below(2) == 0) return {};
      Words words = frames(random);
      std::erase_if(words, [](const std::string& line) { return line.starts_with("    "); });
      words.insert(words.begin(), {"Fatal Python error: Segmentation fault", "",
                                   "Current thread 0x00007f2a (most recent call first):"});
      return words;
    }
    default:
      if (random.below(3) == 0)
        return traceback("RuntimeError: DataLoader worker (pid 5120) is killed by signal: Killed.", random);
      return {};
  }
}

Words late_words(RandomStream& random) {
  const int percent = draw(random, 3, 96);
  switch (random.below(4)) {
    case 0: return {fmt::format("INFO Saving checkpoint to step-{}", draw(random, 40, 9000))};
    case 1:
      return {fmt::format(
          "Running tokenizer on dataset: {:>3}%|#         | {}/{} [29:{}<4:48:08, 155.57 examples/s]",
          percent, percent * 28000, 2800000, draw(random, 10, 59))};
    case 2:
      return {fmt::format("Map (num_proc=16): {:>3}%|#         | {}/{} [09:{}<1:02:11, 801.20 examples/s]",
                          percent, percent * 4800, 480000, draw(random, 10, 59))};
    default: return {"INFO Saving state of the optimizer, 31.4 GB"};
  }
}

Words network_words(RandomStream& random) {
  static constexpr const char* kErrors[] = {
      "node1:3468:3905 [4] transport/net_ib.cc:1615 NCCL WARN NET/IB : Got completion from peer "
      "10.0.0.2<54862> with status=12 opcode=0 len=0 vendor err 129 (Send)",
      "node2:3470:3911 [1] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.0.0.3<44119> "
      "failed : No route to host",
      "node1:3468:3905 [2] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_2:1 Got async event : port error"};
  return {one_of(kErrors, random)};
}

Words setup_words(int rank, int ranks, RandomStream& random) {
  switch (random.below(5)) {
    case 0:
      return {fmt::format(
          "init.cc:497 NCCL WARN Duplicate GPU detected : rank {} and rank {} both on CUDA device 1000", rank,
          (rank + 1) % ranks)};
    case 1:
      return {
          "include/shm.h:48 NCCL WARN Error while creating shared memory segment nccl-shm-1 (size 9637888)"};
    case 2:
      return traceback(
          "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared "
          "memory (shm).",
          random);
    case 3: return {"bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found"};
    default:
      return {
          "init.cc:1011 NCCL WARN Mismatched NCCL version detected : rank 0 has 2.18.5, this rank has "
          "2.19.3"};
  }
}

Words rendezvous_words(bool port_taken, RandomStream& random) {
  if (port_taken || random.below(2) == 0)
    return {
        "[E socket.cpp:957] [c10d] The client socket has timed out after 900s while trying to connect to "
        "(10.0.0.1, 29500)."};
  return {"Traceback (most recent call last):", "  File \"/job/train.py\", line 31, in main",
          "    dist.init_process_group(\"nccl\")",
          "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients "
          "joined."};
}

Words port_taken_words() {
  return {
      "[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address "
      "already in use)."};
}

Words lost_peer_words(int rank, RandomStream& random) {
  if (random.below(3) == 0)
    return traceback(fmt::format("torch.distributed.DistBackendError: [{}] is setting up NCCL communicator "
                                 "and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', "
                                 "but store->get('0') got error: Connection reset by peer",
                                 rank),
                     random);
  static constexpr const char* kErrors[] = {
      "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2006, remote process exited "
      "or there was a network error, NCCL version 2.19.3",
      "torch.distributed.DistBackendError: NCCL error: ncclRemoteError: A call failed possibly due to a "
      "network error or a remote process exiting prematurely.",
      "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer "
      "[10.0.0.2]:38321"};
  return traceback(one_of(kErrors, random), random);
}

Words stack_words(RandomStream& random) {
  static constexpr const char* kPlaces[] = {
      "/job/data.py\", line {}, in read_shard", "/job/metrics.py\", line {}, in update",
      "/job/train.py\", line {}, in early_stop", "/job/hub.py\", line {}, in upload"};
  return {"Thread 0x00007f2a (most recent call first):",
          "  File \"" + fmt::format(fmt::runtime(one_of(kPlaces, random)), draw(random, 12, 480)),
          fmt::format("  File \"/job/train.py\", line {}, in main", draw(random, 12, 480))};
}

Words checkpoint_words(int64_t step, RandomStream& random) {
  return {fmt::format("INFO Saving checkpoint to step-{}", step),
          fmt::format("INFO checkpoint step-{} is written, {}.4 s", step, draw(random, 2, 60))};
}

std::string chatter(RandomStream& random) {
  switch (random.below(10)) {
    case 0: return fmt::format("WARNING step took {}.8 s, the median is 2.6 s", draw(random, 7, 60));
    case 1: return fmt::format("INFO gradient norm 1.{}", draw(random, 10, 99));
    case 2:
      return fmt::format("WARNING loss scale is halved to {}: a gradient was infinite",
                         1024 * draw(random, 1, 64));
    case 3: return fmt::format("INFO reading shard-{}.bin", draw(random, 1, 99));
    case 4: return fmt::format("INFO the allocator gave {}.1 GiB back", draw(random, 1, 20));
    case 5: return fmt::format("WARNING retry {} of 3: the object store was slow", draw(random, 1, 2));
    case 6:
      return "UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly";
    case 7: return fmt::format("INFO GPU {} at {} degrees", draw(random, 0, 7), draw(random, 55, 84));
    case 8:
      return fmt::format("WARNING token indices sequence length is longer than the maximum ({} > 8192)",
                         draw(random, 8193, 20000));
    default:
      return fmt::format("INFO {} samples of this batch were too short and are left out", draw(random, 1, 9));
  }
}

}  // namespace ringside::inline kit
