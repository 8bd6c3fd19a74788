"""torch.fx.passes.infra: what passes are, and how they are run one after another."""
