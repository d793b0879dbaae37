#include "causes.h"

#include "ringside/base/check.h"

namespace ringside::inline kit {

const CauseWords& words_of(Cause cause) {
  // In the order of Cause.
  static constexpr CauseWords kWords[] = {
      {"a rank's own program raised an exception",
       "Its traceback ends in an error of the program itself, and the rank does not go on.",
       "Errors of NCCL, of the store and of closed connections in other ranks only follow from it, even "
       "where they stand before it in the file."},
      {"a GPU ran out of memory", "A rank's traceback ends in \"CUDA out of memory\".",
       "The host's memory is another: there the kernel kills the process (exit code -9), which is killed."},
      {"a process was killed from outside",
       "The launcher reports exit code -9, \"Killed\", \"oom_kill\" or a death signal; a rank may report it "
       "of its data loader. Who is killed says nothing itself: nobody can catch SIGKILL.",
       "Exit code -6 is the watchdog's own abort after a timeout, -15 the launcher's end of the others: both "
       "follow."},
      {"native code crashed", "Exit code -11 (SIGSEGV), or \"Fatal Python error: Segmentation fault\".",
       "No traceback of Python ends in an error of the program. With -9 it is killed."},
      {"CUDA or a GPU reported an error",
       "A rank's error says \"CUDA error\", a status of cuBLAS or cuDNN, ECC or Xid.",
       "CUDA reports late: the line of the traceback is often not the one at fault. Out of memory is a cause "
       "of its own."},
      {"ranks made different calls",
       "Under one number of one group (SeqNum) the ranks name different operations (OpType), or one rank is "
       "at another number.",
       "Every rank times out, the wrong one too. Where the operation is the same and NumelIn differs, it is "
       "other_size."},
      {"ranks made one call with different sizes",
       "Under one number all ranks name the same operation, and one has another NumelIn or TensorShape.",
       "A skipped call looks like this where its neighbour is the same operation with another size."},
      {"a rank never came to a call",
       "All the others time out in one call; the one without a timeout did not come. Who complains is the "
       "victim.",
       "If that rank's last line is long work (tokenizing, a checkpoint), it is busy. If every rank waits in "
       "the same call, it is transport."},
      {"a rank was late with other work",
       "One rank has no timeout, and its last line is work that takes long: tokenizing, a checkpoint.",
       "Work that was done before the rank waited too is no reason. Without such a line it is absent."},
      {"the network or a link failed",
       "NCCL warns of the network (NET/IB, \"No route to host\"), or every rank waits in the same call with "
       "the same size, so that all came.",
       "If one rank has no timeout, look for what it did: that is absent or busy.", false},
      {"another rank ended first, and which is not said",
       "A connection was closed or reset, and no line tells of the first failure.",
       "Look for a traceback or an exit code of another rank: that comes first.", false},
      {"the ranks never all met",
       "The store says so before any collective: \"clients joined\", \"client socket has timed out\", "
       "\"Address already in use\".",
       "Where ranks already made steps they had met.", false},
      {"the job is set up so that it cannot work",
       "NCCL or the loader names it: one GPU for two ranks, shared memory, versions that differ, no network "
       "interface.",
       "Other ranks lose their connections and fail too; these lines follow.", false},
      {"there is no sign of a failure", "No line tells of one.", "", false}};
  const auto index = size_t(cause);
  RINGSIDE_CHECK_LT(index, std::size(kWords));
  return kWords[index];
}

}  // namespace ringside::inline kit
