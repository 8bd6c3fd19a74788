"""Recurrent layers. The cells are in `_rnn_cells`, which this module re-exports."""

import math
import numbers
import warnings
import weakref

from ..._method_copies import copies_methods
from ... import _C
from ..._root import torch
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from ._rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from .module import Module

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

for _cell in (RNNCellBase, RNNCell, LSTMCell, GRUCell):
    _cell.__module__ = __name__
del _cell

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _apply_permutation(tensor, permutation, dim=1):
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor: torch.Tensor, permutation: torch.Tensor, dim: int = 1) -> torch.Tensor:
    """Reorders a dimension of a tensor; deprecated: use ``tensor.index_select(dim, permutation)``.

    Args:
        tensor (Tensor): the tensor.
        permutation (Tensor): indices, int64.
        dim (int): the dimension. Default: ``1``.

    Returns:
        Tensor: the reordered copy.

    Example:
        >>> import warnings
        >>> from torch.nn.modules.rnn import apply_permutation
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     apply_permutation(torch.tensor([[1, 2]]), torch.tensor([1, 0]))
        tensor([[2, 1]])
    """
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return _apply_permutation(tensor, permutation, dim)


def _check_arguments(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    is_number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not is_number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _list_names(layer, reverse, bias, projected):
    """Returns the parameter names of one layer and direction, in the order in which the kernels take them."""
    suffix = f"_l{layer}{'_reverse' if reverse else ''}"
    names = [f"weight_ih{suffix}", f"weight_hh{suffix}"]
    if bias:
        names += [f"bias_ih{suffix}", f"bias_hh{suffix}"]
    if projected:
        names.append(f"weight_hr{suffix}")
    return names


class RNNBase(Module):
    """Holds the weights of RNN, LSTM and GRU and checks their inputs; use one of these.

    Args:
        mode (str): ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``.
        input_size (int): size of each step's input.
        hidden_size (int): size of the state.
        num_layers (int): number of layers, each reading the outputs of the one before. Default:
            ``1``.
        bias (bool): whether there are biases. Default: ``True``.
        batch_first (bool): whether the batch is the first dimension of input and output, not
            the second; states are not concerned. Default: ``False``.
        dropout (float): probability that an output of any layer but the last is zeroed in training.
            Default: ``0.0``.
        bidirectional (bool): whether a second network reads the sequence backwards; its outputs are
            appended. Default: ``False``.
        proj_size (int): size of the projected state of an LSTM; 0 is none. Default: ``0``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Attributes:
        all_weights (list of list of Parameter): the weights by layer and direction.

    Example:
        >>> issubclass(nn.LSTM, nn.RNNBase)
        True
        >>> len(nn.RNNBase("GRU", 2, 3, num_layers=2).all_weights)
        2
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._flat_weight_refs = []
        _check_arguments(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)

        gate_size = _GATES[mode] * hidden_size
        state_size = proj_size or hidden_size
        shapes = {
            "weight_hh": (gate_size, state_size),
            "bias_ih": (gate_size,),
            "bias_hh": (gate_size,),
            "weight_hr": (proj_size, hidden_size),
        }
        self._flat_weights_names = []
        self._all_weights = []
        directions = self._num_directions()
        for layer in range(num_layers):
            shapes["weight_ih"] = (gate_size, input_size if layer == 0 else state_size * directions)
            for direction in range(directions):
                names = _list_names(layer, direction == 1, bias, proj_size > 0)
                for name in names:
                    shape = shapes[name.split("_l")[0]]
                    setattr(self, name, Parameter(torch.empty(shape, device=device, dtype=dtype)))
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _num_directions(self):
        return 2 if self.bidirectional else 1

    def _init_flat_weights(self):
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._set_flat_weight_refs()
        self.flatten_parameters()

    def _set_flat_weight_refs(self):
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    def __setattr__(self, attr, value):
        names = self.__dict__.get("_flat_weights_names", ())
        if attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self) -> None:
        """Moves the weights into one block if the device's kernels require it; the CPU's do not."""

    def _apply(self, fn, recurse=True):
        self._flat_weight_refs = []  # the parameters may be replaced
        applied = super()._apply(fn, recurse)
        self._init_flat_weights()
        return applied

    def reset_parameters(self) -> None:
        """Samples all weights again, uniformly in ``+-1 / sqrt(hidden_size)``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: torch.Tensor, batch_sizes: torch.Tensor | None) -> None:
        """Raises if `input` has another dtype, rank or width than the weights; `batch_sizes` is None if unpacked."""
        expected = self._flat_weights[0].dtype
        if input.dtype != expected and not _C._is_any_autocast_enabled():
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({expected}). "
                f"Convert input: input.to({expected}), or convert model: model.to({input.dtype})"
            )
        rank = 3 if batch_sizes is None else 2
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _batch_size(self, input, batch_sizes):
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.size(0 if self.batch_first else 1)

    def get_expected_hidden_size(self, input: torch.Tensor, batch_sizes: torch.Tensor | None) -> tuple[int, int, int]:
        """Returns the shape of the state for `input`; `batch_sizes` is None if it is not packed."""
        width = self.proj_size or self.hidden_size
        return self.num_layers * self._num_directions(), self._batch_size(input, batch_sizes), width

    def check_hidden_size(
        self, hx: torch.Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raises RuntimeError if a state has another shape than expected.

        Args:
            hx (Tensor): the state.
            expected_hidden_size (tuple of int): its expected shape.
            msg (str): the text, with two fields ``{}`` for the expected and the actual shape.
        """
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: torch.Tensor, hidden: torch.Tensor, batch_sizes: torch.Tensor | None) -> None:
        """Raises if input and state do not fit the weights and each other.

        Args:
            input (Tensor): the input.
            hidden (Tensor or tuple of two): the state.
            batch_sizes (Tensor or None): of a packed input.
        """
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: torch.Tensor, permutation: torch.Tensor | None):
        """Returns the state `hx` with its batch in the order of `permutation`; unchanged for None."""
        return hx if permutation is None else _apply_permutation(hx, permutation)

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, usual in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            value = getattr(self, name)
            if value != usual:
                parts.append(f"{name}={value}")
        return ", ".join(parts)

    def _weights_have_changed(self):
        """Whether a parametrization or another owner replaced the tensor of a weight."""
        for ref, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=True):
            weight = getattr(self, name, None)
            if weight is not None and ref is not None and ref() is not weight:
                return True
        return False

    def _update_flat_weights(self):
        if self._weights_have_changed():
            self._init_flat_weights()

    def __getstate__(self):
        self._update_flat_weights()
        state = super().__getstate__()
        del state["_flat_weight_refs"]
        return state

    def __setstate__(self, d):
        super().__setstate__(d)
        if "all_weights" in d:
            self._all_weights = d["all_weights"]
        self.__dict__.setdefault("proj_size", 0)
        if not isinstance(self._all_weights[0][0], str):  # pickles that contain the tensors instead of names
            self._all_weights = [
                _list_names(layer, direction == 1, self.bias, self.proj_size > 0)
                for layer in range(self.num_layers)
                for direction in range(self._num_directions())
            ]
            self._flat_weights_names = [name for names in self._all_weights for name in names]
            self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._set_flat_weight_refs()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """Returns the parameters, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _replicate_for_data_parallel(self):
        replica = super()._replicate_for_data_parallel()
        replica._flat_weights = replica._flat_weights[:]
        replica._flat_weights_names = replica._flat_weights_names[:]
        return replica

    def _zero_state(self, input, batch, width):
        layers = self.num_layers * self._num_directions()
        return torch.zeros(layers, batch, width, dtype=input.dtype, device=input.device)

    def _batch_dim(self):
        return 0 if self.batch_first else 1

    def _add_batch_dim(self, input):
        """Adds a batch dimension if there is none; returns the input, and whether it had one."""
        if input.dim() not in (2, 3):
            raise ValueError(self._rank_text.format(input.dim()))
        batched = input.dim() == 3
        return (input if batched else input.unsqueeze(self._batch_dim())), batched

    def _run(self, kernel, input, hx, batch_sizes):
        """Calls a kernel on padded or packed input; returns what it returns."""
        common = (
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )
        if batch_sizes is None:
            return kernel(input, hx, *common, self.batch_first)
        return kernel(input, batch_sizes, hx, *common)


@copies_methods("forward")
class _OneState(RNNBase):
    """RNN and GRU: networks whose state is one tensor."""

    def _kernel(self):
        raise NotImplementedError

    def forward(
        self, input: torch.Tensor | PackedSequence, hx: torch.Tensor | None = None
    ) -> tuple[torch.Tensor | PackedSequence, torch.Tensor]:
        """Runs the network over a sequence.

        Args:
            input (Tensor or PackedSequence): see Shape of the class.
            hx (Tensor, optional): the first state ``h_0``. Default: ``None``, zeros.

        Returns:
            tuple: output, packed if the input is, and the last state ``h_n``.
        """
        self._update_flat_weights()
        packed = isinstance(input, PackedSequence)
        batched = True
        batch_sizes = order = original_order = None
        if packed:
            input, batch_sizes, order, original_order = input
            batch = batch_sizes[0]
        else:
            input, batched = self._add_batch_dim(input)
            if hx is not None and hx.dim() != (3 if batched else 2):
                kind, rank = ("batched", 3) if batched else ("unbatched", 2)
                raise RuntimeError(f"For {kind} {rank}-D input, hx should also be {rank}-D but got {hx.dim()}-D tensor")
            if hx is not None and not batched:
                hx = hx.unsqueeze(1)
            batch = input.size(self._batch_dim())
        if hx is None:
            hx = self._zero_state(input, batch, self.hidden_size)
        else:
            hx = self.permute_hidden(hx, order)
        self.check_forward_args(input, hx, batch_sizes)
        output, hidden = self._run(self._kernel(), input, hx, batch_sizes)[:2]
        if packed:
            output = PackedSequence(output, batch_sizes, order, original_order)
        elif not batched:
            output, hidden = output.squeeze(self._batch_dim()), hidden.squeeze(1)
        return output, self.permute_hidden(hidden, original_order)


class RNN(_OneState):
    """Runs an Elman network of one or more layers over a sequence (Elman 1990).

    ``h_t = f(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh)``, where `f` is tanh or ReLU.

    Args:
        *args: positional, in this order: `input_size`, `hidden_size`, `num_layers`, `nonlinearity`,
            `bias`, `batch_first`, `dropout`, `bidirectional`.
        **kwargs: the same by name. They are:
        input_size (int): size of each step's input.
        hidden_size (int): size of the state.
        num_layers (int): number of layers, each reading the outputs of the one before. Default:
            ``1``.
        bias (bool): whether there are biases. Default: ``True``.
        batch_first (bool): whether the batch is the first dimension of input and output, not
            the second; states are not concerned. Default: ``False``.
        dropout (float): probability that an output of any layer but the last is zeroed in training.
            Default: ``0.0``.
        bidirectional (bool): whether a second network reads the sequence backwards; its outputs are
            appended. Default: ``False``.
        nonlinearity (str): ``"tanh"`` or ``"relu"``; the fourth by position. Default: ``"tanh"``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(L, N, input_size)``, ``(N, L, input_size)`` with `batch_first`,
          ``(L, input_size)``, or a PackedSequence.
        - h_0: ``(num_layers * D, N, hidden_size)``, without `N` as the input, where `D` is 2
          for two directions and else 1. Default: zeros.
        - output: ``(L, N, D * hidden_size)``, the last layer's states, laid out as the input.
        - h_n: as h_0, the last state of each layer and direction.

    Attributes:
        weight_ih_l[k] (Parameter): ``(hidden_size, input_size)`` for ``k = 0``, else
            ``(hidden_size, D * hidden_size)``.
        weight_hh_l[k] (Parameter): ``(hidden_size, hidden_size)``.
        bias_ih_l[k], bias_hh_l[k] (Parameter): ``(hidden_size,)``.
        The names of the backward direction end in ``_reverse``. All are uniform in
        ``+-1 / sqrt(hidden_size)``.

    Raises:
        ValueError: for sizes that are not positive or a `dropout` outside 0 to 1.

    Example:
        >>> rnn = nn.RNN(4, 6, num_layers=3)
        >>> output, h_n = rnn(torch.randn(7, 2, 4))
        >>> output.shape, h_n.shape
        (torch.Size([7, 2, 6]), torch.Size([3, 2, 6]))
    """

    _rank_text = "RNN: Expected input to be 2D or 3D, got {}D tensor instead"

    def __init__(self, *args, **kwargs) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        # By position, nonlinearity takes the place that `bias` has in the other classes.
        given = list(args)
        nonlinearity = given.pop(3) if len(given) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *given, **kwargs)
        self.nonlinearity = nonlinearity

    def _kernel(self):
        if self.mode not in ("RNN_TANH", "RNN_RELU"):
            raise AssertionError(f"mode must be RNN_TANH or RNN_RELU, got {self.mode}")
        return torch.rnn_tanh if self.mode == "RNN_TANH" else torch.rnn_relu


class GRU(_OneState):
    """Runs gated recurrent units of one or more layers over a sequence (Cho et al. 2014).

    With ``r``, ``z`` and ``n`` stacked in this order in the weights:

    - ``r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)``
    - ``z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)``
    - ``n = tanh(W_in x + b_in + r * (W_hn h + b_hn))``
    - ``h' = (1 - z) * n + z * h``

    The reset gate acts after the product, other than in the paper.

    Args:
        *args: positional, in this order: `input_size`, `hidden_size`, `num_layers`, `bias`,
            `batch_first`, `dropout`, `bidirectional`.
        **kwargs: the same by name. They are:
        input_size (int): size of each step's input.
        hidden_size (int): size of the state.
        num_layers (int): number of layers, each reading the outputs of the one before. Default:
            ``1``.
        bias (bool): whether there are biases. Default: ``True``.
        batch_first (bool): whether the batch is the first dimension of input and output, not
            the second; states are not concerned. Default: ``False``.
        dropout (float): probability that an output of any layer but the last is zeroed in training.
            Default: ``0.0``.
        bidirectional (bool): whether a second network reads the sequence backwards; its outputs are
            appended. Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(L, N, input_size)``, ``(N, L, input_size)`` with `batch_first`,
          ``(L, input_size)``, or a PackedSequence.
        - h_0: ``(num_layers * D, N, hidden_size)``, without `N` as the input, where `D` is 2
          for two directions and else 1. Default: zeros.
        - output: ``(L, N, D * hidden_size)``, the last layer's states, laid out as the input.
        - h_n: as h_0, the last state of each layer and direction.

    Attributes:
        weight_ih_l[k] (Parameter): ``(3 * hidden_size, input_size)`` for ``k = 0``, else
            ``(3 * hidden_size, D * hidden_size)``.
        weight_hh_l[k] (Parameter): ``(3 * hidden_size, hidden_size)``.
        bias_ih_l[k], bias_hh_l[k] (Parameter): ``(3 * hidden_size,)``.
        The names of the backward direction end in ``_reverse``. All are uniform in
        ``+-1 / sqrt(hidden_size)``.

    Raises:
        ValueError: for sizes that are not positive or a `dropout` outside 0 to 1.

    Example:
        >>> gru = nn.GRU(4, 6, batch_first=True, bidirectional=True)
        >>> output, h_n = gru(torch.randn(2, 7, 4))
        >>> output.shape, h_n.shape
        (torch.Size([2, 7, 12]), torch.Size([2, 2, 6]))
    """

    _rank_text = "GRU: Expected input to be 2D or 3D, got {}D instead"

    def __init__(self, *args, **kwargs) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def _kernel(self):
        return torch.gru


class LSTM(RNNBase):
    """Runs long short-term memory of one or more layers over a sequence (Hochreiter and Schmidhuber 1997).

    With the gates ``i``, ``f``, ``g`` and ``o`` stacked in this order in the weights:

    - ``i, f, o = sigmoid(W_i? x + b_i? + W_h? h + b_h?)``, each with weights of its own
    - ``g = tanh(W_ig x + b_ig + W_hg h + b_hg)``
    - ``c' = f * c + i * g`` and ``h' = o * tanh(c')``

    With `proj_size` the state is projected, ``h' = W_hr (o * tanh(c'))`` (Sak et al. 2014); the
    size of `h` is then `proj_size`, below called state_size.

    Args:
        *args: positional, in this order: `input_size`, `hidden_size`, `num_layers`, `bias`,
            `batch_first`, `dropout`, `bidirectional`, `proj_size`.
        **kwargs: the same by name. They are:
        input_size (int): size of each step's input.
        hidden_size (int): size of the state.
        num_layers (int): number of layers, each reading the outputs of the one before. Default:
            ``1``.
        bias (bool): whether there are biases. Default: ``True``.
        batch_first (bool): whether the batch is the first dimension of input and output, not
            the second; states are not concerned. Default: ``False``.
        dropout (float): probability that an output of any layer but the last is zeroed in training.
            Default: ``0.0``.
        bidirectional (bool): whether a second network reads the sequence backwards; its outputs are
            appended. Default: ``False``.
        proj_size (int): size of the projected state, below `hidden_size`; 0 is none. Default:
            ``0``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(L, N, input_size)``, ``(N, L, input_size)`` with `batch_first`,
          ``(L, input_size)``, or a PackedSequence.
        - h_0: ``(num_layers * D, N, state_size)``, c_0: ``(num_layers * D, N, hidden_size)``,
          without `N` as the input, where `D` is 2 for two directions and else 1. Default:
          zeros.
        - output: ``(L, N, D * state_size)``, the last layer's `h`, laid out as the input.
        - h_n, c_n: as h_0 and c_0, the last states of each layer and direction.

    Attributes:
        weight_ih_l[k] (Parameter): ``(4 * hidden_size, input_size)`` for ``k = 0``, else
            ``(4 * hidden_size, D * state_size)``.
        weight_hh_l[k] (Parameter): ``(4 * hidden_size, state_size)``.
        bias_ih_l[k], bias_hh_l[k] (Parameter): ``(4 * hidden_size,)``.
        weight_hr_l[k] (Parameter): ``(proj_size, hidden_size)``, with `proj_size`.
        The names of the backward direction end in ``_reverse``. All are uniform in
        ``+-1 / sqrt(hidden_size)``.

    Raises:
        ValueError: for sizes that are not positive or a `dropout` outside 0 to 1.

    Example:
        >>> lstm = nn.LSTM(4, 6, num_layers=3)
        >>> batch = torch.randn(7, 2, 4)
        >>> output, (h_n, c_n) = lstm(batch)
        >>> output.shape, h_n.shape, c_n.shape
        (torch.Size([7, 2, 6]), torch.Size([3, 2, 6]), torch.Size([3, 2, 6]))
        >>> packed = nn.utils.rnn.pack_padded_sequence(batch, [7, 4])  # the second one is shorter
        >>> nn.utils.rnn.pad_packed_sequence(lstm(packed)[0])[0].shape
        torch.Size([7, 2, 6])
    """

    _rank_text = "LSTM: Expected input to be 2D or 3D, got {}D instead"

    def __init__(self, *args, **kwargs) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: torch.Tensor, batch_sizes: torch.Tensor | None) -> tuple[int, int, int]:
        """Returns the shape of the cell state for `input`; `batch_sizes` is None if unpacked."""
        layers = self.num_layers * self._num_directions()
        return layers, self._batch_size(input, batch_sizes), self.hidden_size

    def check_forward_args(
        self, input: torch.Tensor, hidden: tuple[torch.Tensor, torch.Tensor], batch_sizes: torch.Tensor | None
    ) -> None:
        self.check_input(input, batch_sizes)
        expected = (
            self.get_expected_hidden_size(input, batch_sizes),
            self.get_expected_cell_size(input, batch_sizes),
        )
        for i in range(2):
            self.check_hidden_size(hidden[i], expected[i], f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(
        self, hx: tuple[torch.Tensor, torch.Tensor], permutation: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if permutation is None:
            return hx
        return _apply_permutation(hx[0], permutation), _apply_permutation(hx[1], permutation)

    def forward(
        self, input: torch.Tensor | PackedSequence, hx: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor | PackedSequence, tuple[torch.Tensor, torch.Tensor]]:
        """Runs the network over a sequence.

        Args:
            input (Tensor or PackedSequence): see Shape of the class.
            hx (tuple of two Tensors, optional): ``(h_0, c_0)``. Default: ``None``, zeros.

        Returns:
            tuple: output, packed if the input is, and the pair ``(h_n, c_n)``.
        """
        self._update_flat_weights()
        packed = isinstance(input, PackedSequence)
        batched = True
        batch_sizes = order = original_order = None
        if packed:
            input, batch_sizes, order, original_order = input
            batch = batch_sizes[0]
        else:
            input, batched = self._add_batch_dim(input)
            if hx is not None:
                rank = 3 if batched else 2
                if hx[0].dim() != rank or hx[1].dim() != rank:
                    raise RuntimeError(
                        f"For {'batched' if batched else 'unbatched'} {rank}-D input, hx and cx should "
                        f"also be {rank}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
                    )
                if not batched:
                    hx = (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
            batch = input.size(self._batch_dim())
        if hx is None:
            hx = (
                self._zero_state(input, batch, self.proj_size or self.hidden_size),
                self._zero_state(input, batch, self.hidden_size),
            )
        elif packed:
            hx = self.permute_hidden(hx, order)
        if not packed:
            self.check_forward_args(input, hx, batch_sizes)
        output, *state = self._run(torch.lstm, input, hx, batch_sizes)
        state = tuple(state)
        if packed:
            output = PackedSequence(output, batch_sizes, order, original_order)
        elif not batched:
            output, state = output.squeeze(self._batch_dim()), (state[0].squeeze(1), state[1].squeeze(1))
        return output, self.permute_hidden(state, original_order)
