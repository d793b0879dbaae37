#include "line_events.h"

namespace ringside::inline logs {

std::span<const std::string_view> words_of_work() {
  static constexpr std::string_view kWords[] = {"Running tokenizer", "Tokenizing",    "Saving checkpoint",
                                                "Saving model",      "Map (num_proc", "Converting format",
                                                "Grouping texts",    "Saving state"};
  return kWords;
}

std::span<const std::string_view> words_of_failure() {
  static constexpr std::string_view kWords[] = {
      // Python, PyTorch, a process's end
      "WorkNCCL(", "operation timeout", "last enqueued", "Traceback (most recent", "Error", "Exception",
      "exitcode", "out of memory", "watchdog got stuck", "eartbeat", " signal", "global timeout",
      "Detected mismatch", "didn't join", "didn't finish", "Timed out", "timed out", "monitoredBarrier",
      "onnection", "Broken pipe", "clients joined", "ddress already in use", "setting up NCCL",
      "most recent call first", "(local_rank:", "return code", "Mismatched", "Process ", "Thread ",
      "orch version", "torch==", "oom", "OOM", "Killed", "SIGKILL", "Segmentation", "low on memory",
      // NCCL, CUDA and the devices
      "NCCL WARN", "nranks ", "Duplicate GPU", "ncclRemote", "remote process", "no socket interface",
      "Got completion", "CUDA error", "CUDNN_STATUS", "CUBLAS_STATUS", "Xid", "ECC", "shared memory",
      "posix_fallocate",
      // launchers and what they print of a job
      "torchrun ", "torch.distributed.run ", "torch.distributed.launch ", "accelerate launch ", "deepspeed ",
      "mpirun ", "mpiexec ", "srun ", "zero_config", "num_local_procs=", "dist_world_size=",
      "using world size: ", "Num processes: ", "nproc_per_node   : ", "Exited with exit code",
      // MPI, UCX and UCC
      "MPI_ABORT", "MPI_Abort", "noticed that", "MPI_ERR", "reported by process", "RUNNING AT",
      "KILLED BY SIGNAL", "EXIT CODE", "EXIT STATUS", "EXIT STRING", "Exit code:", "time limit", "TIME LIMIT",
      "TIMED OUT", "unexpectedly disc", "lost communication", "PMIX ERROR", "essage truncated",
      "Communication error", "UCX", "UCC", "Transport retry", "Caught signal", "progress communication"};
  return kWords;
}

}  // namespace ringside::inline logs
