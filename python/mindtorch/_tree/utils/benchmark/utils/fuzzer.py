"""Random parameters and tensors, equal for equal seeds, for benchmarks of many shapes and layouts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from ...._root import torch

__all__ = ["Fuzzer", "FuzzedParameter", "ParameterAlias", "FuzzedTensor"]


@dataclasses.dataclass(eq=False, repr=False)
class FuzzedParameter:
    """A random number from a range, or a random key of a dict, for Fuzzer.

    Args:
        name (str): its name.
        minval, maxval (float, optional): the range.
        distribution (str or dict): ``"uniform"``, ``"loguniform"``, or from values to probabilities.
        strict (bool): is not drawn again while others are, until constraints hold. Default: ``False``.

    Raises:
        AssertionError: when the distribution is not valid.

    Example:
        >>> from torch.utils.benchmark import FuzzedParameter
        >>> FuzzedParameter("n", minval=1, maxval=8, distribution="uniform").name
        'n'
    """

    name: str
    minval: float | None = None
    maxval: float | None = None
    distribution: str | dict | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        shares = self.distribution
        if not isinstance(shares, dict):
            if shares not in ("loguniform", "uniform"):
                raise AssertionError(f"Unknown distribution: {shares}")
            return
        if any(share < 0 for share in shares.values()):
            raise AssertionError("Probabilities cannot be negative")
        if abs(sum(shares.values()) - 1) > 1e-5:
            raise AssertionError("Distribution is not normalized")
        for end in ("minval", "maxval"):
            if getattr(self, end) is not None:
                raise AssertionError(f"When passing a custom distribution, '{end}' must be None")

    def sample(self, state):
        """Draws a value.

        Args:
            state (numpy.random.RandomState): source of numbers.

        Returns:
            number or key: the value.
        """
        low, high, shares = self.minval, self.maxval, self.distribution
        if isinstance(shares, dict):
            # Chooses an index instead of a key, because numpy would convert keys to its own types.
            return list(shares)[state.choice(len(shares), p=tuple(shares.values()))]
        if shares == "uniform":
            if isinstance(low, int) and isinstance(high, int):
                return int(state.randint(low, high + 1))
            return state.uniform(low, high)
        import numpy as np

        value = int(2 ** state.uniform(*(None if end is None else np.log2(end) for end in (low, high))))
        if low is not None and value < low:
            return low
        return high if high is not None and value > high else value


class ParameterAlias:
    """Stands for the value of another parameter, among the values of a FuzzedParameter.

    Args:
        alias_to (str): name of the other.

    Example:
        >>> torch.utils.benchmark.ParameterAlias("n").alias_to
        'n'
    """

    def __init__(self, alias_to) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


@dataclasses.dataclass(eq=False, repr=False)
class FuzzedTensor:
    """A random tensor whose size and steps are numbers or names of parameters, for Fuzzer.

    Args:
        name (str): its name.
        size (tuple): sizes.
        steps (tuple, optional): the step of the slices along each dimension.
        probability_contiguous (float): share of tensors whose dimensions are not permuted in memory.
            Default: ``0.5``.
        min_elements, max_elements, max_allocation_bytes (int, optional): limits.
        dim_parameter (str, optional): parameter that says how many dimensions there are.
        roll_parameter (str, optional): not used.
        dtype (torch.dtype): the dtype. Default: ``torch.float32``.
        cuda (bool): moves it to CUDA. Default: ``False``.
        tensor_constructor (callable, optional): makes it of `size`, `dtype` and the parameters.
            Default: uniform numbers.

    Example:
        >>> torch.utils.benchmark.FuzzedTensor("x", size=("n", 4)).name
        'x'
    """

    name: str
    size: tuple
    steps: tuple | None = None
    probability_contiguous: float = 0.5
    min_elements: int | None = None
    max_elements: int | None = None
    max_allocation_bytes: int | None = None
    dim_parameter: str | None = None
    roll_parameter: str | None = None
    dtype: torch.dtype = torch.float32
    cuda: bool = False
    tensor_constructor: Callable | None = None

    @staticmethod
    def default_tensor_constructor(size, dtype, **kwargs):
        """Returns a tensor of uniform numbers, of integers from 1 to 126.

        Args:
            size (tuple): the size.
            dtype (torch.dtype): the dtype.
            **kwargs: ignored.

        Returns:
            Tensor: the tensor.
        """
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype, device="cpu")
        return torch.randint(1, 127, size=size, dtype=dtype, device="cpu")

    def _make_tensor(self, params, state):
        import numpy as np

        size, steps, allocation = self._get_size_and_steps(params)
        make = self.tensor_constructor or self.default_tensor_constructor
        whole = make(size=allocation, dtype=self.dtype, **params)
        whole = whole.cuda() if self.cuda else whole
        given = order = np.arange(len(size))
        if state.rand() > self.probability_contiguous:
            while len(size) > 1 and (order == given).all():
                order = state.permutation(whole.dim())
            whole = whole.permute(tuple(order)).contiguous().permute(tuple(np.argsort(order)))
        tensor = whole[tuple(slice(0, end, step) for end, step in zip(allocation, steps, strict=True))]
        return tensor, {
            "numel": int(tensor.numel()),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self.dtype),
        }

    def _get_size_and_steps(self, params):
        dim = len(self.size) if self.dim_parameter is None else params[self.dim_parameter]
        size, steps = (
            (*(params.get(value, value) for value in values), *(1,) * dim)[:dim]
            for values in (self.size, self.steps or ())
        )
        return size, steps, tuple(count * step for count, step in zip(size, steps, strict=True))

    def satisfies_constraints(self, params) -> bool:
        """Returns whether a tensor of these parameters is within the limits.

        Args:
            params (dict): the parameters by name.

        Returns:
            bool: whether it is.
        """
        size, _, allocation = self._get_size_and_steps(params)
        elements, total = (math.prod(map(int, sizes)) for sizes in (size, allocation))
        limits = (
            (self.min_elements, elements),
            (elements, self.max_elements),
            (total * self.dtype.itemsize, self.max_allocation_bytes),
        )
        return all(less is None or more is None or less <= more for less, more in limits)


class Fuzzer:
    """Draws parameters until constraints hold, and makes tensors of them; equal seeds give equal draws.

    Args:
        parameters (list of FuzzedParameter): the parameters.
        tensors (list of FuzzedTensor): the tensors.
        constraints (list of callable, optional): functions of the dict of parameters.
        seed (int, optional): the seed. Default: random.

    Raises:
        ValueError: when a name is used twice.

    Example:
        >>> from torch.utils.benchmark import FuzzedParameter, FuzzedTensor, Fuzzer
        >>> n = FuzzedParameter("n", minval=1, maxval=4, distribution="uniform")
        >>> fuzzer = Fuzzer([n], [FuzzedTensor("x", size=("n",))], seed=0)
        >>> tensors, properties, params = next(fuzzer.take(1))
        >>> tensors["x"].numel() == params["n"]
        True
    """

    def __init__(
        self,
        parameters: list[
            torch.utils.benchmark.utils.fuzzer.FuzzedParameter
            | list[torch.utils.benchmark.utils.fuzzer.FuzzedParameter]
        ],
        tensors: list[
            torch.utils.benchmark.utils.fuzzer.FuzzedTensor | list[torch.utils.benchmark.utils.fuzzer.FuzzedTensor]
        ],
        constraints: list[Callable] | None = None,
        seed: int | None = None,
    ) -> None:
        import numpy as np

        self._seed = int(np.random.RandomState().randint(2**32 - 1, dtype=np.int64)) if seed is None else seed
        self._parameters, self._tensors = (
            [one for each in values for one in ([each] if isinstance(each, kind) else each)]
            for values, kind in ((parameters, FuzzedParameter), (tensors, FuzzedTensor))
        )
        self._constraints = constraints or ()
        overlap = {p.name for p in self._parameters} & {t.name for t in self._tensors}
        if overlap:
            raise ValueError(f"Duplicate names in parameters and tensors: {overlap}")
        self._rejections = self._total_generated = 0

    def take(self, n):
        """Yields draws.

        Args:
            n (int): how many.

        Returns:
            iterator: tensors, their properties and the parameters, each a dict by name.
        """
        from numpy.random import RandomState

        state = RandomState(self._seed)
        torch.manual_seed(state.randint(2**63, dtype="int64"))
        for _ in range(n):
            params = self._generate(state)
            made = {tensor.name: tensor._make_tensor(params, state) for tensor in self._tensors}
            yield *({name: pair[at] for name, pair in made.items()} for at in (0, 1)), params

    @property
    def rejection_rate(self) -> float:
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def _generate(self, state):
        strict: dict = {}
        for _ in range(1000):
            params = {p.name: strict[p.name] if p.name in strict else p.sample(state) for p in self._parameters}
            strict = {p.name: params[p.name] for p in self._parameters if p.strict}
            params = self._resolve_aliases(params)
            self._total_generated += 1
            if all(holds(params) for holds in self._constraints) and all(
                tensor.satisfies_constraints(params) for tensor in self._tensors
            ):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    @staticmethod
    def _resolve_aliases(params):
        params = dict(params)
        while aliases := {name: value for name, value in params.items() if isinstance(value, ParameterAlias)}:
            for name, value in aliases.items():
                params[name] = params[value.alias_to]
            if len(aliases) == sum(isinstance(value, ParameterAlias) for value in params.values()):
                raise ValueError(f"ParameterAlias cycle detected\n{params}")
        return params
