"""torch.fx.passes.utils: shared by passes."""
