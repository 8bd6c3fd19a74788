"""The modules of torch.utils.benchmark, under torch's paths."""
