"""torch.distributed.elastic: starts and monitors workers, and reports why they failed."""
