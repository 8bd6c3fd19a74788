"""torch.fx.passes.utils: what passes share."""
