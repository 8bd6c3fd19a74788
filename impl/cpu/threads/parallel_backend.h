// The functions that a thread pool provides to parallel.cpp: run task(i, i + 1) for i in [0, count), each on its own thread.
#pragma once

#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {

// Run the tasks on std::thread or on oneTBB; rethrow the first exception after all tasks have ended.
void run_tasks_std(int count, RangeFunction task);
void run_tasks_tbb(int count, RangeFunction task);

// Abandons the std::thread pool in a forked child, without using its locks or threads.
void forget_threads_after_fork();

const char* std_backend_name();
const char* tbb_backend_name();

}  // namespace mt::cpu::detail
