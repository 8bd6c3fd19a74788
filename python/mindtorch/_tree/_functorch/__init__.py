"""Function transforms; their public home is torch.func."""
