"""The versions: torch's release whose API this is, and mindtorch's own."""

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "mindtorch", "rocm", "xpu"]

__version__ = "2.13.0+mindtorch"
mindtorch = "0.3.0"
debug = False
git_version = None
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
