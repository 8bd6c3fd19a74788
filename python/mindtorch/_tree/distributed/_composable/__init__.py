"""torch.distributed._composable: its names exist, but are not supported."""
