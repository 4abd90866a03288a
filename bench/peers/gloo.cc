/*
 * Gloo's AllReduce, AllGather and Broadcast, in place, under the protocol of
 * protocol.h, over Gloo's TCP transport on the loopback address.
 *
 * Own options:
 *   --alg NAME     new_ring, new_bcube            gloo::allreduce (what PyTorch calls)
 *                  ring, ring_chunked,
 *                  halving_doubling, bcube        the older algorithm classes (float32)
 *                  for AllReduce only: of the others Gloo has one algorithm each
 *   --np P         start P ranks here (default 2), with a rendezvous in a temporary
 *                  directory that is removed at the end
 *   --rank R --size P --store DIR
 *                  be one rank of a group somebody else starts (or the variables
 *                  RANK, WORLD_SIZE and GLOO_STORE); DIR must be empty and shared
 *
 * Options objects and algorithm objects are made once per size, outside the timed
 * call, which is the cheapest way Gloo allows. The additions are Gloo's header
 * templates, so they are compiled here (-O3 -march=native); the library itself is the
 * distribution's build.
 */
#include "protocol.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_bcube.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

namespace {

std::string algorithm = "new_ring";
std::shared_ptr<gloo::Context> context;
std::function<void()> run;          // the collective, for the current buffer
std::unique_ptr<gloo::BarrierOptions> barrier_options;

enum Tag : uint32_t { kCollective = 1, kFold = 2, kBarrier = 3 };

void sum(void *c, const void *a, const void *b, size_t n) { gloo::sum<float>(c, a, b, n); }

// Gloo has no bfloat16, but takes any function.
void sum_bf16(void *c, const void *a, const void *b, size_t n) {
  add_bf16(static_cast<uint16_t *>(c), static_cast<const uint16_t *>(a), static_cast<const uint16_t *>(b), n);
}

template <typename T> std::function<void()> new_style(gloo::AllreduceOptions::Algorithm kind, const job &j, gloo::AllreduceOptions::Func add) {
  auto options = std::make_shared<gloo::AllreduceOptions>(context);
  options->setAlgorithm(kind);
  options->setOutput(static_cast<T *>(j.out), j.count);
  options->setReduceFunction(add);
  options->setTag(kCollective);
  return [options] { gloo::allreduce(*options); };
}

std::function<void()> new_style(gloo::AllreduceOptions::Algorithm kind, const job &j) {
  return j.element == FLOAT32 ? new_style<float>(kind, j, sum) : new_style<uint16_t>(kind, j, sum_bf16);
}

template <template <typename> class Algorithm> std::function<void()> old_style(const job &j) {
  if (j.element != FLOAT32) fail("this algorithm adds float32 only", algorithm.c_str());
  auto a = std::make_shared<Algorithm<float>>(context, std::vector<float *>{static_cast<float *>(j.out)}, static_cast<int>(j.count));
  return [a] { a->run(); };
}

std::function<void()> allreduce(const job &j) {
  if (algorithm == "new_ring") return new_style(gloo::AllreduceOptions::Algorithm::RING, j);
  if (algorithm == "new_bcube") return new_style(gloo::AllreduceOptions::Algorithm::BCUBE, j);
  if (algorithm == "ring") return old_style<gloo::AllreduceRing>(j);
  if (algorithm == "ring_chunked") return old_style<gloo::AllreduceRingChunked>(j);
  if (algorithm == "halving_doubling") return old_style<gloo::AllreduceHalvingDoubling>(j);
  if (algorithm == "bcube") return old_style<gloo::AllreduceBcube>(j);
  fail("unknown algorithm", algorithm.c_str());
  return nullptr;
}

std::function<void()> allgather(const job &j) {
  auto options = std::make_shared<gloo::AllgatherOptions>(context);
  options->setOutput(static_cast<char *>(j.out), j.count * j.width); // the input is in its place
  options->setTag(kCollective);
  return [options] { gloo::allgather(*options); };
}

std::function<void()> broadcast(const job &j) {
  auto options = std::make_shared<gloo::BroadcastOptions>(context);
  options->setOutput(static_cast<char *>(j.out), j.count * j.width);
  options->setRoot(0);
  options->setTag(kCollective);
  return [options] { gloo::broadcast(*options); };
}

void begin(peer *, const job *j) {
  switch (j->collective) {
  case ALLREDUCE: run = allreduce(*j); break;
  case ALLGATHER: run = allgather(*j); break;
  case BROADCAST: run = broadcast(*j); break;
  case REDUCESCATTER: fail("Gloo has no ReduceScatter of this kind", nullptr);
  }
}

void *perform(peer *, const job *j) {
  run();
  return j->out;
}

void barrier(peer *) { gloo::barrier(*barrier_options); }

void end(peer *p) {
  barrier(p);
  run = nullptr;
}

void fold(peer *, double *v, int n, enum fold how) {
  gloo::AllreduceOptions options(context);
  options.setOutput(v, static_cast<size_t>(n));
  if (how == FOLD_MAX) options.setReduceFunction([](void *c, const void *a, const void *b, size_t k) { gloo::max<double>(c, a, b, k); });
  else options.setReduceFunction([](void *c, const void *a, const void *b, size_t k) { gloo::sum<double>(c, a, b, k); });
  options.setTag(kFold);
  gloo::allreduce(options);
}

int be_rank(int rank, int size, const std::string &store_dir, bool own_store, const options &o) {
  try {
    gloo::transport::tcp::attr address("127.0.0.1");
    auto device = gloo::transport::tcp::CreateDevice(address);
    gloo::rendezvous::FileStore store(store_dir);
    auto c = std::make_shared<gloo::rendezvous::Context>(rank, size);
    c->setTimeout(std::chrono::seconds(120));
    c->connectFullMesh(store, device);
    context = c;
    barrier_options = std::make_unique<gloo::BarrierOptions>(context);
    barrier_options->setTag(kBarrier);
    barrier(nullptr); // all are connected, and nobody needs the store any more
    if (own_store && rank == 0) {
      std::error_code ignored;
      std::filesystem::remove_all(store_dir, ignored);
    }

    peer p{};
    p.library = "gloo";
    p.config = algorithm.c_str();
    p.rank = rank;
    p.size = size;
    p.begin = begin;
    p.run = perform;
    p.end = end;
    p.barrier = barrier;
    p.fold = fold;
    measure(&p, &o);
    barrier(&p);
  } catch (const std::exception &e) {
    fprintf(stderr, "gloo rank %d of %d: %s\n", rank, size, e.what());
    fflush(nullptr);
    _exit(1);
  }
  // Tearing connections down one by one gains nothing and may wait for a peer.
  fflush(nullptr);
  _exit(0);
}

volatile sig_atomic_t interrupted;
void interrupt(int) { interrupted = 1; }

// Starts the ranks, waits for all; the first failure ends the others.
int be_launcher(int np, const options &o) {
  char dir[] = "/tmp/gloo_peer.XXXXXX";
  if (!mkdtemp(dir)) fail("cannot make a temporary directory", dir);
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < np; rank++) {
    pid_t pid = fork();
    if (pid == 0) {
      die_with_parent();
      be_rank(rank, np, dir, true, o);
    }
    if (pid > 0) ranks.push_back(pid);
  }
  bool failed = ranks.size() != static_cast<size_t>(np);
  struct sigaction act {};
  act.sa_handler = interrupt;
  sigaction(SIGTERM, &act, nullptr);
  sigaction(SIGINT, &act, nullptr);
  while (!ranks.empty()) {
    if (failed || interrupted)
      for (pid_t r : ranks) kill(r, SIGKILL);
    int status = 0;
    pid_t pid = wait(&status);
    if (pid < 0) {
      if (errno == EINTR) continue;
      break;
    }
    ranks.erase(std::remove(ranks.begin(), ranks.end(), pid), ranks.end());
    if (status != 0) failed = true;
  }
  std::error_code ignored;
  std::filesystem::remove_all(dir, ignored);
  return failed || interrupted ? 1 : 0;
}

const char *env(const char *name, const char *otherwise) {
  const char *v = getenv(name);
  return v && *v ? v : otherwise;
}

} // namespace

int main(int argc, char **argv) {
  options o = default_options();
  int np = 2;
  int rank = atoi(env("RANK", "-1")), size = atoi(env("WORLD_SIZE", "0"));
  std::string store = env("GLOO_STORE", "");
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (a == "--alg") algorithm = next, i++;
    else if (a == "--np") np = atoi(next), rank = -1, i++;
    else if (a == "--rank") rank = atoi(next), i++;
    else if (a == "--size") size = atoi(next), i++;
    else if (a == "--store") store = next, i++;
    else if (!common_option(&o, argc, argv, &i)) fail("unknown option", argv[i]);
  }
  if (o.out_of_place) fail("only in place", nullptr);
  if (rank < 0) {
    if (np < 1) fail("--np wants a positive number", nullptr);
    return be_launcher(np, o);
  }
  if (rank >= size || store.empty()) fail("one rank needs --rank, --size and --store", nullptr);
  return be_rank(rank, size, store, false, o);
}
