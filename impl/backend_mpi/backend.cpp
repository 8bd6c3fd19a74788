// The backend "mpi": the machine's MPI, as a plugin that sees the public headers and `distributed/plugin.h` alone.
//
// Waits poll MPI, so that each has a deadline and messages proceed during a collective. If MPI does not allow calls from several threads,
// a lock serialises them.
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/plugin.h"

namespace {

using mt::plugin::Failure, mt::plugin::guard, mt::plugin::need_ok, mt::plugin::StoredValue;
using Clock = std::chrono::steady_clock;

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Failure{"DistBackendError", std::string(what) + ": " + std::string(text, size_t(length))};
}

// ---- the library ---------------------------------------------------------------------------------------------------

struct Library {
  std::mutex mutex;  // of calls, for an MPI that allows one at a time
  bool takes_turns = false;
  bool is_ours_to_end = false;
};
Library& mpi_state() {
  static auto* one = new Library;
  return *one;
}

void finalize_mpi() {
  int ended = 0;
  MPI_Finalized(&ended);
  // Ends MPI at exit only if this library started it; a program that started MPI ends it itself.
  if (!ended && mpi_state().is_ours_to_end) MPI_Finalize();
}

// Starts MPI once, unless the program has started it.
void initialize_mpi() {
  static std::once_flag once;
  std::call_once(once, [] {
    int started = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&started);
    if (started) {
      MPI_Query_thread(&level);
    } else {
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
      mpi_state().is_ours_to_end = true;
      std::atexit(finalize_mpi);
    }
    if (level < MPI_THREAD_SERIALIZED)
      throw Failure{"RuntimeError", "this MPI takes calls from one thread only; torch.distributed needs MPI_THREAD_SERIALIZED or more"};
    mpi_state().takes_turns = level < MPI_THREAD_MULTIPLE;
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  });
}

template <class F>
void call_mpi(F&& body) {
  if (!mpi_state().takes_turns) return body();
  std::lock_guard lock(mpi_state().mutex);
  body();
}

// ---- types ------------------------------------------------------------------------------------------------------------

// Transfers bytes, or elements if the number of bytes exceeds an int.
MPI_Datatype type_of_size(int64_t size) {
  switch (size) {
    case 2: return MPI_UINT16_T;
    case 4: return MPI_UINT32_T;
    case 8: return MPI_UINT64_T;
    default: return MPI_UINT8_T;
  }
}
int to_mpi_count(int64_t count) {
  if (count > INT_MAX)
    throw Failure{"ValueError", "MPI takes " + std::to_string(INT_MAX) + " elements at most, not " + std::to_string(count)};
  return int(count);
}

// All dtypes use the library's reduction functions, whether MPI has the dtype or not. MPI passes no context to a user function, so this
// variable holds the function of the current reduction. A group runs one collective at a time, and `running` serialises those of several
// groups.
std::mutex running;
std::atomic<mt_join_fn> current_join{nullptr};
void join_elements(void* in, void* in_out, int* count, MPI_Datatype*) {
  // MPI defines the result as `in op in_out`, in rank order.
  current_join.load()(in_out, in, in_out, size_t(*count));
}
MPI_Op join_operation() {
  static const MPI_Op op = [] {
    MPI_Op made;
    check(MPI_Op_create(join_elements, /*commute=*/0, &made), "MPI_Op_create");
    return made;
  }();
  return op;
}

// ---- groups -----------------------------------------------------------------------------------------------------------

struct Group {
  MPI_Comm collectives = MPI_COMM_NULL, messages = MPI_COMM_NULL;
  int rank = 0, size = 0;
  std::atomic<bool> aborted{false};

  // Waits for a request with a deadline.
  void wait(MPI_Request& request, int64_t milliseconds, MPI_Status* status, const char* what) const {
    const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
    for (int round = 0;; ++round) {
      int done = 0;
      call_mpi([&] { check(MPI_Test(&request, &done, status), what); });
      if (done) return;
      if (aborted) throw Failure{"DistBackendError", "the group was aborted"};
      if (Clock::now() > deadline)
        throw Failure{"DistBackendError", "Timed out waiting " + std::to_string(milliseconds) + "ms for " + what + " to complete"};
      // Polls without sleeping at first, for short waits.
      if (round > 2000)
        std::this_thread::sleep_for(std::chrono::microseconds(round > 20000 ? 500 : 20));
      else if (round > 200)
        std::this_thread::yield();
    }
  }
};
Group& group_of(void* self) { return *static_cast<Group*>(self); }

// Each member writes its rank in MPI to the store; makes a communicator of these ranks, in that order.
MPI_Comm make_communicator(const mt_group_options& options, const char* purpose, int tag) {
  int world_rank = 0, world_size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  const std::string prefix = std::string("mpi/") + purpose + "/", mine = std::to_string(world_rank);
  need_ok(mt_store_set(options.store, (prefix + std::to_string(options.rank)).c_str(), mine.data(), int64_t(mine.size())));
  std::vector<int> ranks;
  for (int peer = 0; peer < options.size; ++peer) {
    StoredValue found;
    need_ok(mt_store_get(options.store, (prefix + std::to_string(peer)).c_str(), &found.value));
    const int rank = std::atoi(found.text().c_str());
    for (const int other : ranks)
      if (other == rank) throw Failure{"RuntimeError", "two members have one rank of MPI: start the program with mpirun"};
    if (rank < 0 || rank >= world_size) throw Failure{"RuntimeError", "a member has a rank that MPI does not know"};
    ranks.push_back(rank);
  }
  MPI_Group world, members;
  MPI_Comm out = MPI_COMM_NULL;
  call_mpi([&] {
    check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
    check(MPI_Group_incl(world, int(ranks.size()), ranks.data(), &members), "MPI_Group_incl");
  });
  call_mpi([&] { check(MPI_Comm_create_group(MPI_COMM_WORLD, members, tag, &out), "MPI_Comm_create_group"); });
  call_mpi([&] {
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    check(MPI_Comm_set_errhandler(out, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  });
  return out;
}

mt_status* create_group(void*, const mt_group_options* options, void** self) {
  return guard([&] {
    initialize_mpi();
    auto group = std::make_unique<Group>();
    group->rank = options->rank;
    group->size = options->size;
    group->collectives = make_communicator(*options, "collectives", 1);
    group->messages = make_communicator(*options, "messages", 2);
    *self = group.release();
  });
}

void destroy_group(void*, void* self) {
  Group& group = group_of(self);
  int ended = 0;
  MPI_Finalized(&ended);
  // After an abort, messages may still be in transit, so the communicators are not freed; MPI frees them at exit.
  if (!ended && !group.aborted) {
    call_mpi([&] {
      MPI_Comm_free(&group.collectives);
      MPI_Comm_free(&group.messages);
    });
  }
  delete &group;
}

void run_transfer(Group& group, const mt_transfer& what) {
  const MPI_Datatype type = type_of_size(what.item_size);
  const int count = to_mpi_count(what.count);
  const MPI_Comm comm = group.collectives;
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<int> given, taken, given_at, taken_at;
  std::unique_lock<std::mutex> turn(running, std::defer_lock);
  if (what.kind == MT_ALL_REDUCE || what.kind == MT_REDUCE || what.kind == MT_REDUCE_SCATTER || what.kind == MT_REDUCE_SCATTER_SINGLE) {
    mt_join_fn join = nullptr;
    need_ok(mt_join_function(what.reduction, what.dtype, &join));
    turn.lock();
    current_join = join;
  }
  const auto start = [&]() -> int {
    switch (what.kind) {
      case MT_ALL_REDUCE: return MPI_Iallreduce(MPI_IN_PLACE, what.output, count, type, join_operation(), comm, &request);
      case MT_REDUCE:
        return group.rank == what.root ? MPI_Ireduce(MPI_IN_PLACE, what.output, count, type, join_operation(), what.root, comm, &request)
                                       : MPI_Ireduce(what.output, nullptr, count, type, join_operation(), what.root, comm, &request);
      case MT_BROADCAST: return MPI_Ibcast(what.output, count, type, what.root, comm, &request);
      case MT_ALL_GATHER_SINGLE: return MPI_Iallgather(what.input, count, type, what.output, count, type, comm, &request);
      case MT_GATHER: return MPI_Igather(what.input, count, type, what.output, count, type, what.root, comm, &request);
      case MT_SCATTER: return MPI_Iscatter(what.input, count, type, what.output, count, type, what.root, comm, &request);
      case MT_REDUCE_SCATTER:
      case MT_REDUCE_SCATTER_SINGLE:
        return MPI_Ireduce_scatter_block(what.input, what.output, count, type, join_operation(), comm, &request);
      case MT_ALL_TO_ALL_SINGLE: {
        int64_t from = 0, to = 0;
        for (int peer = 0; peer < group.size; ++peer) {
          given.push_back(to_mpi_count(what.input_counts[peer]));
          taken.push_back(to_mpi_count(what.output_counts[peer]));
          given_at.push_back(to_mpi_count(from));
          taken_at.push_back(to_mpi_count(to));
          from += given.back();
          to += taken.back();
        }
        return MPI_Ialltoallv(what.input, given.data(), given_at.data(), type, what.output, taken.data(), taken_at.data(), type, comm,
                              &request);
      }
      case MT_BARRIER: return MPI_Ibarrier(comm, &request);
      default: throw Failure{"NotImplementedError", "mpi has no collective of kind " + std::to_string(what.kind)};
    }
  };
  call_mpi([&] { check(start(), "the collective"); });
  group.wait(request, what.timeout, MPI_STATUS_IGNORE, "the collective");
}

mt_status* run_collective(void*, void* self, const mt_transfer* transfer) {
  return guard([&] { run_transfer(group_of(self), *transfer); });
}

struct Request {
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_send = false;
  int peer = 0;
};

mt_status* post_message(void*, void* self, const mt_transfer* transfer, void** request) {
  return guard([&] {
    Group& group = group_of(self);
    auto made = std::make_unique<Request>();
    made->is_send = transfer->kind == MT_SEND;
    made->peer = transfer->root;
    const MPI_Datatype type = type_of_size(transfer->item_size);
    const int count = to_mpi_count(transfer->count), tag = int(transfer->tag & 0x7fff);
    if (transfer->tag > 0x7fff) throw Failure{"ValueError", "MPI takes tags up to 32767"};
    call_mpi([&] {
      if (made->is_send)
        check(MPI_Isend(transfer->input, count, type, made->peer, tag, group.messages, &made->request), "send");
      else
        check(MPI_Irecv(transfer->output, count, type, made->peer < 0 ? MPI_ANY_SOURCE : made->peer, tag, group.messages, &made->request),
              "recv");
    });
    *request = made.release();
  });
}

mt_status* wait_for_message(void*, void* self, void* request, int64_t timeout, int32_t* source) {
  return guard([&] {
    auto& own = *static_cast<Request*>(request);
    MPI_Status status;
    group_of(self).wait(own.request, timeout, &status, own.is_send ? "send" : "recv");
    *source = own.is_send ? own.peer : status.MPI_SOURCE;
  });
}

void drop_message(void*, void*, void* request) {
  auto* own = static_cast<Request*>(request);
  int ended = 0;
  MPI_Finalized(&ended);
  if (own->request != MPI_REQUEST_NULL && !ended)
    call_mpi([&] {
      if (!own->is_send) MPI_Cancel(&own->request);
      MPI_Request_free(&own->request);
    });
  delete own;
}

void abort_all(void*, void* self) { group_of(self).aborted = true; }

// Makes a store whose server is in rank 0; broadcasts its address to the others over MPI.
mt_status* make_world_store(void*, int32_t* rank, int32_t* size, mt_store** store) {
  return guard([&] {
    initialize_mpi();
    int own_rank = 0, own_size = 0, here = 0;
    MPI_Comm machine;
    call_mpi([&] {
      MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
      MPI_Comm_size(MPI_COMM_WORLD, &own_size);
      check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "MPI_Comm_split_type");
      MPI_Comm_size(machine, &here);
      MPI_Comm_free(&machine);
    });
    struct {
      int32_t port = 0;
      char host[MPI_MAX_PROCESSOR_NAME] = "localhost";
    } place;
    mt_tcp_store_options options{};
    options.struct_size = sizeof options;
    options.host = place.host;
    options.is_server = own_rank == 0;
    options.secret = secure_getenv("MINDTORCH_STORE_SECRET");
    if (own_rank == 0) {
      int length = 0;
      if (here < own_size) MPI_Get_processor_name(place.host, &length);
      // If all ranks share a machine, the server need not be reachable from others.
      options.listen_address = here < own_size ? nullptr : "localhost";
      need_ok(mt_store_tcp_create(&options, store));
      need_ok(mt_store_tcp_info(*store, &place.port, nullptr));
    }
    call_mpi([&] { check(MPI_Bcast(&place, sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast"); });
    options.port = place.port;
    if (own_rank != 0) need_ok(mt_store_tcp_create(&options, store));
    *rank = own_rank;
    *size = own_size;
  });
}

}  // namespace

extern "C" MT_API mt_status* mindtorch_backend_plugin(mt_status* (*)(int32_t, int32_t, int32_t*, const mt_api**)) {
  mt_backend table{};
  table.struct_size = sizeof table;
  table.name = "mpi";
  table.class_name = "ProcessGroupMPI";
  table.device_type = MT_CPU;
  table.create = create_group;
  table.destroy = destroy_group;
  table.run = run_collective;
  table.post = post_message;
  table.wait = wait_for_message;
  table.drop = drop_message;
  table.abort = abort_all;
  table.world = make_world_store;
  return mt_backend_register(&table);
}
