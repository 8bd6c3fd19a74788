"""torch.fx.experimental: what programs ask of sizes and modes while a compiler may be tracing them; none is here."""
