"""Single steps of recurrent networks; `rnn` re-exports them."""

import math

from ..._root import torch
from .. import init
from ._optional import register_optional_parameter
from .module import Module


class RNNCellBase(Module):
    """Holds the weights of RNNCell, LSTMCell and GRUCell; use one of these.

    Args:
        input_size (int): size of the input.
        hidden_size (int): size of the state.
        bias (bool): whether there are biases.
        num_chunks (int): number of gates.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Attributes:
        weight_ih (Parameter): ``(num_chunks * hidden_size, input_size)``.
        weight_hh (Parameter): ``(num_chunks * hidden_size, hidden_size)``.
        bias_ih, bias_hh (Parameter or None): ``(num_chunks * hidden_size,)``.

    Example:
        >>> nn.RNNCellBase(2, 3, bias=True, num_chunks=4).weight_ih.shape
        torch.Size([12, 2])
    """

    __constants__ = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: torch.Tensor
    weight_hh: torch.Tensor

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device=None, dtype=None) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        factory = {"device": device, "dtype": dtype}
        rows = num_chunks * hidden_size
        register_optional_parameter(self, "weight_ih", (rows, input_size), **factory)
        register_optional_parameter(self, "weight_hh", (rows, hidden_size), **factory)
        register_optional_parameter(self, "bias_ih", rows, is_wanted=bias, **factory)
        register_optional_parameter(self, "bias_hh", rows, is_wanted=bias, **factory)
        self.reset_parameters()

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.__dict__.get("bias", True) is not True:
            parts.append(f"bias={self.bias}")
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.nonlinearity}")
        return ", ".join(parts)

    def reset_parameters(self) -> None:
        """Samples all weights again, uniformly in ``+-1 / sqrt(hidden_size)``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @staticmethod
    def _check_rank(name, what, tensor):
        if tensor.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {tensor.dim()}D instead")

    def _make_zero_state(self, input):
        return torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)

    def _weights_and_biases(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _compute_state(self, name, input, hx, kernel):
        """One step of a cell whose state is one tensor."""
        self._check_rank(name, "input", input)
        if hx is not None:
            self._check_rank(name, "hidden", hx)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else hx.unsqueeze(0)
        result = kernel(input, self._make_zero_state(input) if hx is None else hx, *self._weights_and_biases())
        return result if batched else result.squeeze(0)


class RNNCell(RNNCellBase):
    """Computes one step of an Elman network: ``h' = f(W_ih x + b_ih + W_hh h + b_hh)``.

    `RNN` runs whole sequences faster.

    Args:
        input_size (int): size of the input.
        hidden_size (int): size of the state.
        bias (bool): whether there are biases. Default: ``True``.
        nonlinearity (str): `f`: ``"tanh"`` or ``"relu"``. Default: ``"tanh"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, input_size)`` or ``(input_size,)``.
        - hidden: ``(N, hidden_size)`` or ``(hidden_size,)``. Default: zeros.
        - output: the new state, of the same shape.

    Attributes:
        weight_ih (Parameter): ``(hidden_size, input_size)``.
        weight_hh (Parameter): ``(hidden_size, hidden_size)``.
        bias_ih, bias_hh (Parameter or None): ``(hidden_size,)``.
        All are uniform in ``+-1 / sqrt(hidden_size)``.

    Example:
        >>> cell, state = nn.RNNCell(4, 6), None
        >>> for step in torch.randn(7, 2, 4):
        ...     state = cell(step, state)
        >>> state.shape
        torch.Size([2, 6])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device=None, dtype=None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _nonlinear_kernel(self, *args):
        if self.nonlinearity == "tanh":
            return torch.rnn_tanh_cell(*args)
        if self.nonlinearity == "relu":
            return torch.rnn_relu_cell(*args)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")

    def forward(self, input: torch.Tensor, hx: torch.Tensor | None = None) -> torch.Tensor:
        """Returns the state after `input`, given the state `hx` (Default: ``None``, zeros); shapes as in the class."""
        return self._compute_state("RNNCell", input, hx, self._nonlinear_kernel)


class LSTMCell(RNNCellBase):
    """Computes one step of long short-term memory (Hochreiter and Schmidhuber 1997); see `LSTM`.

    The gates are stacked in the order input, forget, cell, output.

    Args:
        input_size (int): size of the input.
        hidden_size (int): size of the state.
        bias (bool): whether there are biases. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, input_size)`` or ``(input_size,)``.
        - h, c: ``(N, hidden_size)`` or ``(hidden_size,)``. Default: zeros.
        - output: the new states, a pair, of the same shape.

    Attributes:
        weight_ih (Parameter): ``(4 * hidden_size, input_size)``.
        weight_hh (Parameter): ``(4 * hidden_size, hidden_size)``.
        bias_ih, bias_hh (Parameter or None): ``(4 * hidden_size,)``.
        All are uniform in ``+-1 / sqrt(hidden_size)``.

    Example:
        >>> h, c = nn.LSTMCell(4, 6)(torch.randn(2, 4))
        >>> h.shape, c.shape
        (torch.Size([2, 6]), torch.Size([2, 6]))
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(
        self, input: torch.Tensor, hx: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the states ``(h, c)`` after `input`, given the pair `hx` (Default: ``None``, zeros)."""
        self._check_rank("LSTMCell", "input", input)
        for i, value in enumerate(hx or ()):
            self._check_rank("LSTMCell", f"hx[{i}]", value)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        if hx is None:
            zeros = self._make_zero_state(input)
            hx = (zeros, zeros)
        result = torch.lstm_cell(input, hx, *self._weights_and_biases())
        return result if batched else (result[0].squeeze(0), result[1].squeeze(0))


class GRUCell(RNNCellBase):
    """Computes one step of a gated recurrent unit (Cho et al. 2014); `GRU` gives the formula.

    The gates are stacked in the order reset, update, new.

    Args:
        input_size (int): size of the input.
        hidden_size (int): size of the state.
        bias (bool): whether there are biases. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, input_size)`` or ``(input_size,)``.
        - hidden: ``(N, hidden_size)`` or ``(hidden_size,)``. Default: zeros.
        - output: the new state, of the same shape.

    Attributes:
        weight_ih (Parameter): ``(3 * hidden_size, input_size)``.
        weight_hh (Parameter): ``(3 * hidden_size, hidden_size)``.
        bias_ih, bias_hh (Parameter or None): ``(3 * hidden_size,)``.
        All are uniform in ``+-1 / sqrt(hidden_size)``.

    Example:
        >>> nn.GRUCell(4, 6)(torch.randn(2, 4)).shape
        torch.Size([2, 6])
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: torch.Tensor, hx: torch.Tensor | None = None) -> torch.Tensor:
        """Returns the state after `input`, given the state `hx` (Default: ``None``, zeros); shapes as in the class."""
        return self._compute_state("GRUCell", input, hx, torch.gru_cell)
