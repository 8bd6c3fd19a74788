// Stops compilation with a clear error: libtorch's C++ interface is not available.
#error \
    "mindtorch has no C++ interface of libtorch: include torch/csrc/stable/*.h and torch/headeronly/*.h, and define operators with STABLE_TORCH_LIBRARY"
