"""torch.fx.passes.infra: the base class of passes, and how to run several."""
