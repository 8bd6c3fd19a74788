"""Implementation of torch.library: schemas from annotations, and operators from Python functions."""
