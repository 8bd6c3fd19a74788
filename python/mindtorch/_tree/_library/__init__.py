"""What torch.library stands on: schemas from annotations, and operators made of Python functions."""
