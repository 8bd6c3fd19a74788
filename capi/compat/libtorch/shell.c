/* A library of which only the name is wanted: extensions name it among those that they need, and everything is in libtorch_cpu.so. */
