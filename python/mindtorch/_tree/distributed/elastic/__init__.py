"""torch.distributed.elastic: starting workers, watching them, telling why they failed."""
