// libtorch's C++ interface, which is not here: this header exists to say so.
#error \
    "mindtorch has no C++ interface of libtorch: include torch/csrc/stable/*.h and torch/headeronly/*.h, and define operators with STABLE_TORCH_LIBRARY"
