"""torch.quasirandom: Sobol sequences (Sobol' 1967; scrambling after Owen, Matousek 1998)."""

from __future__ import annotations

import sys

torch = sys.modules[__package__]


class SobolEngine:
    """Draws points of a Sobol sequence, which fill the unit cube more evenly than random ones.

    Direction numbers are those of Joe and Kuo (2008); scrambling is a random linear one with a
    digital shift (Matousek 1998). Sums over the first 2 ** m points are balanced.

    Args:
        dimension (int): dimension of the points, 1 to 21201.
        scramble (bool): scrambles the sequence. Default: ``False``.
        seed (int, optional): seed of the scrambling. Default: the global generator.

    Raises:
        ValueError: when the dimension is out of range.

    Example:
        >>> torch.quasirandom.SobolEngine(2).draw(4)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500],
                [0.2500, 0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension, self.num_generated = seed, scramble, dimension, 0
        self.sobolstate = torch.zeros((dimension, self.MAXBIT), dtype=torch.long, device="cpu")
        torch._sobol_engine_initialize_state_(self.sobolstate, dimension)
        self.shift = self._scramble() if scramble else torch.zeros(dimension, dtype=torch.long, device="cpu")
        self.quasi = self.shift.clone()
        self._first_point = self.quasi.unsqueeze(0) / 2**self.MAXBIT

    def draw(self, n: int = 1, out: torch.Tensor | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Returns the next points of the sequence.

        Args:
            n (int): how many. Default: ``1``.
            out (Tensor, optional): where they are written.
            dtype (torch.dtype, optional): their dtype. Default: the default dtype.

        Returns:
            Tensor: points ``(n, dimension)`` in [0, 1).
        """
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

    def draw_base2(self, m: int, out: torch.Tensor | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Returns the next 2 ** m points; the number of all points so far has to be a power of two.

        Args:
            m (int): logarithm of how many.
            out (Tensor, optional): where they are written.
            dtype (torch.dtype, optional): their dtype. Default: the default dtype.

        Returns:
            Tensor: points ``(2 ** m, dimension)``.

        Raises:
            ValueError: when the total would be no power of two.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points "
                f"have been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to "
                "do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self):
        """Starts the sequence again.

        Returns:
            SobolEngine: itself.
        """
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Skips points.

        Args:
            n (int): how many.

        Returns:
            SobolEngine: itself.
        """
        first = self.num_generated == 0
        torch._sobol_engine_ff_(
            self.quasi, n - 1 if first else n, self.sobolstate, self.dimension, max(self.num_generated - 1, 0)
        )
        self.num_generated += n
        return self

    def _scramble(self):
        """Scrambles the direction numbers; returns the random digital shift."""
        generator = None if self.seed is None else torch.Generator().manual_seed(self.seed)

        def draw_bits(*shape):
            return torch.randint(2, (self.dimension, *shape), device="cpu", generator=generator)

        digits = draw_bits(self.MAXBIT)
        torch._sobol_engine_scramble_(self.sobolstate, draw_bits(self.MAXBIT, self.MAXBIT).tril(), self.dimension)
        return digits @ (1 << torch.arange(self.MAXBIT, device="cpu"))

    def __repr__(self):
        shown = [f"dimension={self.dimension}"]
        if self.scramble:
            shown.append("scramble=True")
        if self.seed is not None:
            shown.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(shown)})"
