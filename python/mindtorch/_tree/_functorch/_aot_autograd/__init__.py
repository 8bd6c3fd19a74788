"""Parts of torch._functorch.aot_autograd."""
