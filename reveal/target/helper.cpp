// reprosum-target PARENT group|alone blas|clblast LIBRARY THREADS SETTERS SETTER... SYMBOL...
// reprosum-target PARENT group|alone exec COMMAND
// The process that a target is probed in: started by child_process.cpp, ended with the thread that
// started it. For a library, descriptor 3 is the socket and 4 the shared memory.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "reveal/target/blas_server.h"

namespace {

using namespace reprosum::reveal;

constexpr int kSocket = 3, kMemory = 4;

void prepare(pid_t parent, bool own_group) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before the line above
  // Ctrl-C reaches the whole group: what to do then is for the parent to say, and if it dies, so
  // does this.
  if (!own_group) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

void serve_library(char** words, int count) {
  if (count < 4) return;
  TargetOptions options;
  options.threads = std::atoi(words[2]);
  const int setters = std::atoi(words[3]);
  for (int k = 4; k < count; ++k)
    (k < 4 + setters ? options.thread_setters : options.identity_symbols).emplace_back(words[k]);
  const SharedMemory memory(kMemory, kSharedBytes);
  run_blas_child(memory, kSocket, words[0], words[1], options);
}

void run_command(const char* command) {
  close_range(3, ~0U, 0);
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return 70;
  prepare(static_cast<pid_t>(std::atol(words[1])), std::strcmp(words[2], "group") == 0);
  try {
    if (std::strcmp(words[3], "exec") == 0) run_command(words[4]);
    serve_library(words + 3, count - 3);
  } catch (const std::exception&) {
    // The parent is told by the exit code.
  }
  _exit(70);
}
