"""torch.testing._internal: what projects outside torch use of the helpers of torch's own tests."""
