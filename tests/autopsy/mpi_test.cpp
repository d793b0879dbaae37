// What MPI, UCX and UCC leave, in the forms of their sources (notes/autopsy.md).
#include "catch.h"
#include "ringside/autopsy/diagnosis.h"

using namespace ringside;

namespace {

Finding first_of(const std::string& log) { return autopsy(log).first.front(); }

void says(const std::string& log, Cause cause, Sure sure, std::vector<int> ranks) {
  INFO(log);
  const Finding found = first_of(log);
  INFO(found.sentence);
  CHECK(found.cause == cause);
  CHECK(found.sure == sure);
  CHECK(found.ranks == ranks);
}

const std::string kDetected =
    "mpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be "
    "terminated. The "
    "first process to do so was:\n\n";

}  // namespace

TEST_CASE("Open MPI: who ended first, and how") {
  const std::string node = " with PID 77 on node node-7 exited on signal ";
  says("mpirun noticed that process rank 3" + node + "9 (Killed).\n", Cause::kKilled, Sure::kCertain, {3});
  says("prterun noticed that process rank 12" + node + "11 (Segmentation fault).\n", Cause::kCrash,
       Sure::kCertain, {12});
  says("mpirun noticed that process rank 2" + node + "6 (Aborted).\n", Cause::kCrash, Sure::kCannotBeTold,
       {2});
  says(kDetected + "  Process name: [[34567,1],5]\n  Exit code:    1\n", Cause::kException,
       Sure::kCannotBeTold, {5});
  CHECK(first_of(kDetected + "  Process name: [[34567,1],5]\n  Exit code:    1\n")
            .sentence.starts_with("Rank 5 ended"));
  // PRRTE, with its own prefix of a rank before it.
  says(
      "1: prterun detected that one or more processes exited with non-zero status,\n1:\n1:    Process name: "
      "[prterun-node-7-257891@1,4]\n1:    Exit code:    127\n",
      Cause::kException, Sure::kCannotBeTold, {4});
  says("MPI_ABORT was invoked on rank 65 in communicator MPI_COMM_WORLD\nwith errorcode 1.\n",
       Cause::kException, Sure::kLikely, {65});
  says("MPI_ABORT was invoked on rank 1 in communicator MPI COMMUNICATOR 3 SPLIT\nFROM 0\n",
       Cause::kException, Sure::kLikely, {});
  says(
      "ORTE has lost communication with a remote daemon.\n\n  HNP daemon   : [[1,0],0] on node a\n  Remote "
      "daemon: "
      "[[1,0],1] on node b\n",
      Cause::kPeerLost, Sure::kLikely, {});
  says("[a:12] PMIX ERROR: UNREACHABLE in file ptl_tcp.c at line 790\n", Cause::kPeerLost, Sure::kLikely, {});
  says("The user-provided time limit for job execution has been reached:\n\n  Timeout: 60 seconds\n",
       Cause::kKilled, Sure::kCertain, {});
}

TEST_CASE("an exception without a rank is that of the rank that a launcher names") {
  const std::string raised =
      "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in f\nKeyError: 'x'\n";
  says(raised + kDetected + "  Process name: [[34567,1],5]\n  Exit code:    1\n", Cause::kException,
       Sure::kCertain, {5});
  says(raised + "MPI_ABORT was invoked on rank 6 in communicator MPI_COMM_WORLD\n", Cause::kException,
       Sure::kCertain, {6});
}

TEST_CASE("Open MPI and MPICH: errors that MPI itself finds") {
  const std::string open_mpi =
      "[a:7] *** An error occurred in MPI_Allreduce\n[a:7] *** reported by process [3213557761,3]\n"
      "[a:7] *** on communicator MPI_COMM_WORLD\n[a:7] *** MPI_ERR_";
  says(open_mpi + "RANK: invalid rank\n", Cause::kException, Sure::kCertain, {3});
  says(open_mpi + "TRUNCATE: message truncated\n", Cause::kOtherSize, Sure::kLikely, {});
  says("Fatal error in PMPI_Allreduce: Message truncated, error stack:\n", Cause::kOtherSize, Sure::kLikely,
       {});
  says("MPIDI_CH3_PktHandler: Communication error with rank 4\n", Cause::kPeerLost, Sure::kLikely, {});
  says("application called MPI_Abort(MPI_COMM_WORLD, 1) - process 2\n", Cause::kException, Sure::kLikely,
       {2});
  says(
      "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 3 PID 1234 RUNNING AT n1\n=   "
      "KILLED BY SIGNAL: 9 "
      "(Killed)\n",
      Cause::kKilled, Sure::kCertain, {3});
  // As MPICH 4.0 wrote it of a rank 2 that got SIGSEGV: the code is that of another rank, which it killed.
  says(
      "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 1994 RUNNING AT vm\n=   EXIT CODE: "
      "9\n"
      "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n",
      Cause::kCrash, Sure::kLikely, {});
  says("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n", Cause::kKilled, Sure::kLikely,
       {});
  says("APPLICATION TIMED OUT, TIMEOUT = 60s\n", Cause::kKilled, Sure::kCertain, {});
}

TEST_CASE("UCX's network, and UCC's timeouts beside each other") {
  says(
      "[1700000000.123456] [a:88   :0]  ib_mlx5_log.c:177  UCX  ERROR Transport retry count exceeded on "
      "mlx5_0:1/RoCE (synd "
      "0x15 vend 0x81 hw_synd 0/0)\n",
      Cause::kTransport, Sure::kLikely, {});
  says("[a:12 :0:12]    ud_iface.c:737  UCX Fatal: transport error: Endpoint timeout\n", Cause::kTransport,
       Sure::kLikely, {});
  says("[a:12 :0:12] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)\n",
       Cause::kCrash, Sure::kCertain, {});
  std::string log = "[rank3]: step 4\n";
  for (const char* rank : {"0", "1", "2", "4"})
    log +=
        "[1.0] [a:1:0] ucc_schedule.h:127  UCC  WARN  timeout 600 sec has expired on task 0x55, seq_num 12, "
        "req 0x5: "
        "Allreduce Cuda bytes=32768 team id 1 size 5 rank " +
        std::string(rank) + " ctx_rank 2\n";
  const Diagnosis said = autopsy(log);
  CHECK(said.first.front().cause == Cause::kAbsent);
  CHECK(said.first.front().ranks == std::vector<int>{3});
  CHECK(said.waits.front().sentence.find("#12 ALLREDUCE") != std::string::npos);
  CHECK(said.no_help.front().find("than 600 s") != std::string::npos);
  CHECK(
      first_of(
          "[E ProcessGroupUCC.cpp:560] [Rank 1][ProcessGroupUCC-0][COLL_PROGRESS][ERROR] Failed to progress "
          "communicationTimeout expired\n")
          .cause == Cause::kAbsent);
}

TEST_CASE("a task of srun is a rank, but a node under torchrun") {
  const std::string raised =
      "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in f\nKeyError: 'x'\n";
  const std::string ended = "srun: error: n7: task 3: ";
  says(raised + ended + "Exited with exit code 1\n", Cause::kException, Sure::kCertain, {3});
  says(ended + "Exited with exit code 2\n", Cause::kException, Sure::kCannotBeTold, {3});
  says(ended + "Segmentation fault (core dumped)\n", Cause::kCrash, Sure::kCertain, {3});
  const std::string torchrun = "+ torchrun --nnodes 4 --nproc-per-node 8 t.py\n";
  says(torchrun + raised + ended + "Exited with exit code 1\n", Cause::kException, Sure::kCertain, {});
  says(torchrun + ended + "Killed\n", Cause::kKilled, Sure::kCertain, {});
}

TEST_CASE("the scheduler's time limit, and a timeout before it") {
  const std::string limit =
      "slurmstepd: error: *** JOB 42221 ON n7 CANCELLED AT 2022-04-14T16:20:46 DUE TO TIME LIMIT ***\n";
  says(limit, Cause::kKilled, Sure::kCertain, {});
  const std::string call =
      ":[E] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, "
      "NumelIn=8, "
      "NumelOut=8, Timeout(ms)=600000) ran for 600013 milliseconds\n";
  CHECK(first_of("[rank0]" + call + "[rank1]" + call + limit).cause == Cause::kAbsent);
}
