"""torch._custom_op: the former interface for operators made of Python functions; torch.library replaces it."""
