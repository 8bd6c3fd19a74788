"""The reducer's texts for gradients that do not arrive as expected."""

NOTHING_UNUSED = (
    "find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the "
    "forward pass. This flag results in an extra traversal of the autograd graph every iteration,  which can "
    "adversely affect performance. If your model indeed never has any unused parameters in the forward pass, consider "
    "turning this flag off. Note that this warning may be a false positive if your model has flow control causing "
    "later iterations to have unused parameters."
)
CREATES_GRAPH = (
    "Using DistributedDataParallel with create_graph=True  is not well-supported. The higher-order gradient will  not "
    "be synchronized across ranks, and backpropagation  through all_reduce operations will not occur. If you require  "
    "DDP to work with higher-order gradients for your use case,  please ping "
    "https://github.com/pytorch/pytorch/issues/63929"
)
GRAPH_CHANGED = (
    "Your training graph has changed in this iteration, e.g., one parameter is unused in first iteration, but then got "
    "used in the second iteration. this is not compatible with static_graph set to True."
)
BUCKET_VIEW_LOST = (
    "Detected at least one parameter gradient is not the expected DDP bucket view with gradient_as_bucket_view=True. "
    "This may happen (for example) if multiple allreduce hooks were registered onto the same parameter. If you hit "
    "this error, please file an issue with a minimal repro."
)
READY_TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a "
    "module parameter outside the `forward` function. Please make sure model parameters are not shared across multiple "
    "concurrent forward-backward passes. or try to use _set_static_graph() as a workaround if this module graph does "
    "not change during training loop.2) Reused parameters in multiple reentrant backward passes. For example, if you "
    "use multiple `checkpoint` functions to wrap the same part of your model, it would result in the same set of "
    "parameters been used by different reentrant backward passes multiple times, and hence marking a variable ready "
    "multiple times. DDP does not support such use cases in default. You can try to use _set_static_graph() as a "
    "workaround if your module graph does not change over iterations.\nParameter at index {index}{name} has been "
    "marked as ready twice. This means that multiple autograd engine  hooks have fired for this particular parameter "
    "during this iteration."
)


def make_unfinished_reduction_error(is_static_graph, finds_unused, rank, missing, names):
    """Returns the error for a pass that follows one with missing gradients; `names` only on request."""
    if not missing:
        return (
            "!unmarked_param_indices.empty() INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/torch/csrc/distributed/c10d/reducer.cpp":2121, please report a bug to PyTorch. '
        )
    text = "Expected to have finished reduction in the prior iteration before starting a new one. "
    text += "This error indicates that "
    if is_static_graph:
        text += (
            "your training graph has changed in this iteration, e.g., one parameter is used in first iteration, but "
            "then got unused in the second iteration. this is not compatible with static_graph set to True."
        )
    else:
        text += "your module has parameters that were not used in producing loss. "
        if finds_unused:
            text += (
                "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs "
                "participate in computing loss. You can fix this by "
            )
        else:
            text += (
                "You can enable unused parameter detection by passing the keyword argument "
                "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \n"
            )
        text += (
            "making sure all `forward` function outputs participate in calculating loss. \nIf you already have done "
            "the above, then the distributed data parallel module wasn't able to locate the output tensors in the "
            "return value of your module's `forward` function. Please include the loss function and the structure of "
            "the return value of `forward` of your module when reporting this issue (e.g. list, dict, iterable)."
        )
    if names is not None:
        text += f"\nParameters which did not receive grad for rank {rank}: {', '.join(names)}"
    text += f"\nParameter indices which did not receive grad for rank {rank}: {' '.join(map(str, missing))}"
    if names is None:
        text += (
            "\n In addition, you can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to "
            "print out information about which particular parameters did not receive gradient on this rank as part of "
            "this error"
        )
    return text
