/* An empty library: extensions list its name as a dependency, and libtorch_cpu.so contains the functions. */
