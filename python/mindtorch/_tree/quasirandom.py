"""torch.quasirandom: Sobol sequences (Sobol' 1967; scrambling after Owen, Matousek 1998)."""

import sys

torch = sys.modules[__package__]


class SobolEngine:
    """Draws points of a Sobol sequence in the unit cube."""

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        self.sobolstate = torch.zeros(dimension, self.MAXBIT, device="cpu", dtype=torch.long)
        torch._sobol_engine_initialize_state_(self.sobolstate, self.dimension)
        if scramble:
            self._scramble()
        else:
            self.shift = torch.zeros(dimension, device="cpu", dtype=torch.long)
        self.quasi = self.shift.clone(memory_format=torch.contiguous_format)
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n=1, out=None, dtype=None):
        """The next n points."""
        dtype = torch.get_default_dtype() if dtype is None else dtype
        first = self.num_generated == 0
        wanted = n - 1 if first else n  # the first point is the shift itself
        result = self._first_point.to(dtype)
        if wanted or not first:
            drawn, self.quasi = torch._sobol_engine_draw(
                self.quasi, wanted, self.sobolstate, self.dimension, max(self.num_generated - 1, 0), dtype=dtype
            )
            result = torch.cat((result, drawn), dim=-2) if first else drawn
        self.num_generated += n
        if out is None:
            return result
        out.resize_as_(result).copy_(result)
        return out

    def draw_base2(self, m, out=None, dtype=None):
        """The next 2**m points; the total must be a power of two."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require "
                f"n to be a power of 2. {self.num_generated} points have been "
                f"previously generated, then: n={self.num_generated}+2**{m}={total}. "
                "If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self):
        """Starts again."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Skips n points."""
        first = self.num_generated == 0
        torch._sobol_engine_ff_(
            self.quasi, n - 1 if first else n, self.sobolstate, self.dimension, max(self.num_generated - 1, 0)
        )
        self.num_generated += n
        return self

    def _scramble(self):
        generator = None
        if self.seed is not None:
            generator = torch.Generator()
            generator.manual_seed(self.seed)
        bits = torch.randint(2, (self.dimension, self.MAXBIT), device="cpu", generator=generator)
        self.shift = torch.mv(bits, torch.pow(2, torch.arange(0, self.MAXBIT, device="cpu")))
        shape = (self.dimension, self.MAXBIT, self.MAXBIT)
        triangles = torch.randint(2, shape, device="cpu", generator=generator).tril()
        torch._sobol_engine_scramble_(self.sobolstate, triangles, self.dimension)

    def __repr__(self):
        shown = [f"dimension={self.dimension}"]
        if self.scramble:
            shown.append("scramble=True")
        if self.seed is not None:
            shown.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(shown)})"
