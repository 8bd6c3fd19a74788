"""torch.fx.experimental: queries of sizes and modes for programs that a compiler may trace; none exists here."""
