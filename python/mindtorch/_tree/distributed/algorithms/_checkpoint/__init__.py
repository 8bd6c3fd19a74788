"""torch.distributed.algorithms._checkpoint: modules that save memory by computing activations again."""
