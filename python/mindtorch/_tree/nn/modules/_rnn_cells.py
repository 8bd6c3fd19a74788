"""Single steps of recurrent networks; `rnn` re-exports them."""

import math

from ..._root import torch
from .. import init
from ._optional import set_parameter
from .module import Module


class RNNCellBase(Module):
    """Weights of one recurrent cell with `num_chunks` gates."""

    __constants__ = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: torch.Tensor
    weight_hh: torch.Tensor

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        factory = {"device": device, "dtype": dtype}
        rows = num_chunks * hidden_size
        set_parameter(self, "weight_ih", (rows, input_size), **factory)
        set_parameter(self, "weight_hh", (rows, hidden_size), **factory)
        set_parameter(self, "bias_ih", rows, wanted=bias, **factory)
        set_parameter(self, "bias_hh", rows, wanted=bias, **factory)
        self.reset_parameters()

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.__dict__.get("bias", True) is not True:
            parts.append(f"bias={self.bias}")
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.nonlinearity}")
        return ", ".join(parts)

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @staticmethod
    def _check_rank(name, what, tensor):
        if tensor.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {tensor.dim()}D instead")

    def _zeros(self, input):
        return torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _step(self, name, input, hx, kernel):
        """One step of a cell whose state is one tensor."""
        self._check_rank(name, "input", input)
        if hx is not None:
            self._check_rank(name, "hidden", hx)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else hx.unsqueeze(0)
        result = kernel(input, self._zeros(input) if hx is None else hx, *self._weights())
        return result if batched else result.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an Elman network."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _nonlinear_kernel(self, *args):
        if self.nonlinearity == "tanh":
            return torch.rnn_tanh_cell(*args)
        if self.nonlinearity == "relu":
            return torch.rnn_relu_cell(*args)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")

    def forward(self, input, hx=None):
        """(N, input_size) and state (N, hidden_size), both maybe without N -> the new state."""
        return self._step("RNNCell", input, hx, self._nonlinear_kernel)


class LSTMCell(RNNCellBase):
    """One step of long short-term memory."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        """(N, input_size) and a pair of states (N, hidden_size), zeros by default -> the new pair (h, c)."""
        self._check_rank("LSTMCell", "input", input)
        for i, value in enumerate(hx or ()):
            self._check_rank("LSTMCell", f"hx[{i}]", value)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        if hx is None:
            zeros = self._zeros(input)
            hx = (zeros, zeros)
        result = torch.lstm_cell(input, hx, *self._weights())
        return result if batched else (result[0].squeeze(0), result[1].squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        """(N, input_size) and state (N, hidden_size), both maybe without N -> the new state."""
        return self._step("GRUCell", input, hx, torch.gru_cell)
