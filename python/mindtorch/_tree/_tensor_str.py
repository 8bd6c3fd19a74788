"""Prints tensors: notation, column widths, line breaks, summaries, and the suffix after the values."""

import contextlib
import math
import sys
from math import inf
from typing import Any

from . import _C

torch = sys.modules[__package__]


class __PrinterOptions:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = __PrinterOptions()

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Sets how tensors are printed; omitted options keep their values.

    Args:
        precision (int, optional): digits after the point. At first 4.
        threshold (int, optional): number of elements above which tensors are summarised. At first 1000.
        edgeitems (int, optional): elements shown at each end of a summarised dimension. At first 3.
        linewidth (int, optional): characters per line. At first 80.
        profile (str, optional): ``"default"``, ``"short"`` or ``"full"``: sets all of them first.
        sci_mode (bool, optional): scientific notation on or off; None decides by the values.

    Returns:
        None.

    Example:
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor([1.23456])
        tensor([1.23])
        >>> torch.set_printoptions(profile="default")
    """
    chosen = dict(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen.update({name: value for name, value in given.items() if value is not None})
    for name, value in chosen.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """Returns the options of printing.

    Returns:
        dict: keyword arguments of `torch.set_printoptions`.
    """
    names = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    return {name: getattr(PRINT_OPTS, name) for name in names}


@contextlib.contextmanager
def printoptions(**kwargs):
    """Sets options of printing for the length of a block.

    Args:
        **kwargs: as for `torch.set_printoptions`.

    Returns:
        A context manager.

    Example:
        >>> from torch._tensor_str import printoptions
        >>> with printoptions(precision=1):
        ...     print(torch.tensor([1.234]))
        tensor([1.2])
    """
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


class _Formatter:
    """Formats numbers to one width, in the notation that suits all of them."""

    def __init__(self, values, floating):
        self.floating = floating
        self.int_mode = True
        self.sci_mode = False
        self.max_width = 1
        if not floating:
            self.max_width = max((len(str(value)) for value in values), default=1)
            return
        finite = [value for value in values if value != 0 and math.isfinite(value)]
        if not finite:
            return
        magnitudes = [abs(value) for value in finite]
        smallest, largest = min(magnitudes), max(magnitudes)
        self.int_mode = all(value == math.floor(value) for value in finite)
        if PRINT_OPTS.sci_mode is None:
            self.sci_mode = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
        else:
            self.sci_mode = PRINT_OPTS.sci_mode
        # Integral floats get a point, so that they read as floats.
        point = 1 if self.int_mode and not self.sci_mode else 0
        self.max_width = max(1, *(len(self._format_number(value)) + point for value in finite))

    def _format_number(self, value):
        if self.sci_mode:
            return f"{value:.{PRINT_OPTS.precision}e}"
        return f"{value:.0f}" if self.int_mode else f"{value:.{PRINT_OPTS.precision}f}"

    def width(self):
        return self.max_width

    def format(self, value):
        if not self.floating:
            text = str(value)
        else:
            text = self._format_number(value)
            if self.int_mode and not self.sci_mode and math.isfinite(value):
                text += "."
        return text.rjust(self.max_width)


class _ComplexFormatter:
    """Formats complex numbers with a formatter for each component."""

    def __init__(self, values):
        self.real = _Formatter([value.real for value in values], floating=True)
        self.imag = _Formatter([value.imag for value in values], floating=True)

    def width(self):
        return self.real.width() + self.imag.width() + 1

    def format(self, value):
        imag = (self.imag.format(value.imag) + "j").lstrip()
        return self.real.format(value.real) + ("" if imag[0] in "+-" else "+") + imag


def _nest_values_to_print(tensor, summarize):
    """The values to print as nested lists, with Ellipsis for omitted ones."""
    edge = PRINT_OPTS.edgeitems
    if tensor.dim() == 0 or not summarize:
        return tensor.tolist()
    size = tensor.size(0)
    if tensor.dim() == 1:
        if not edge:
            return [Ellipsis]
        if size <= 2 * edge:
            return tensor.tolist()
        return [*tensor[:edge].tolist(), Ellipsis, *tensor[-edge:].tolist()]
    if size <= 2 * edge:
        return [_nest_values_to_print(tensor[i], summarize) for i in range(size)]
    first = [_nest_values_to_print(tensor[i], summarize) for i in range(edge)]
    return [*first, Ellipsis, *(_nest_values_to_print(tensor[i], summarize) for i in range(size - edge, size))]


def _list_leaves(values):
    if not isinstance(values, list):
        return [] if values is Ellipsis else [values]
    if not any(isinstance(value, list) for value in values):
        return [value for value in values if value is not Ellipsis]
    return [leaf for value in values for leaf in _list_leaves(value)]


def _format_vector(values, indent, formatter):
    ellipsis = "..." if values == [Ellipsis] else " ..."
    items = [ellipsis if value is Ellipsis else formatter.format(value) for value in values]
    per_line = max(1, math.floor((PRINT_OPTS.linewidth - indent) / (formatter.width() + 2)))
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _format_nested_values(values, dim, indent, formatter):
    if dim == 0:
        return formatter.format(values)
    if dim == 1:
        return _format_vector(values, indent, formatter)
    parts = ["..." if v is Ellipsis else _format_nested_values(v, dim - 1, indent + 1, formatter) for v in values]
    return "[" + ("," + "\n" * (dim - 1) + " " * (indent + 1)).join(parts) + "]"


def _tensor_str(self, indent):
    """The values of a tensor, the first line starting at column `indent`."""
    if self.numel() == 0:
        return "[]"
    dtype_name = str(self.dtype)
    if dtype_name.startswith("torch.float8_"):
        self = self.float()
    elif dtype_name == "torch.float4_e2m1fn_x2":
        self = self.view(torch.uint8)  # two numbers a byte: there is no list of single values
    lazy = _C._get_tensor_metadata(self)
    if "neg" in lazy:
        self = self.resolve_neg()
    if "conj" in lazy:
        self = self.resolve_conj()
    values = _nest_values_to_print(self, summarize=self.numel() > PRINT_OPTS.threshold)
    if self.dtype.is_complex:
        formatter = _ComplexFormatter(_list_leaves(values))
    else:
        formatter = _Formatter(_list_leaves(values), self.dtype.is_floating_point)
    return _format_nested_values(values, self.dim(), indent, formatter)


def _add_suffixes(text, suffixes, indent, force_newline=False):
    """Appends ", suffix" to the last line, or on a new line if it would be too long."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or column + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
            force_newline = False
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def _graph_suffix(tensor):
    """The suffix that shows the tensor's autograd state, or None."""
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:  # a view that was modified in no_grad mode: its history cannot be rebuilt
        return "grad_fn=<Invalid>"
    if grad_fn is not None:
        name = type(grad_fn).__name__
        if name == "CppFunction":
            name = grad_fn.name().rsplit("::", 1)[-1]
        return f"grad_fn=<{name}>"
    return "requires_grad=True" if tensor.requires_grad else None


def _is_fake(tensor):
    fake_tensor = sys.modules.get(f"{torch.__name__}._subclasses.fake_tensor")
    return fake_tensor is not None and isinstance(tensor, fake_tensor.FakeTensor)


def _unpack_dual(tensor):
    forward_ad = torch.autograd.forward_ad
    if forward_ad._current_level < 0:
        return tensor, None
    return forward_ad.unpack_dual(tensor)


_SPARSE_PARTS = {
    torch.sparse_coo: ("indices", "values"),
    torch.sparse_csr: ("crow_indices", "col_indices", "values"),
    torch.sparse_csc: ("ccol_indices", "row_indices", "values"),
    torch.sparse_bsr: ("crow_indices", "col_indices", "values"),
    torch.sparse_bsc: ("ccol_indices", "row_indices", "values"),
}


def _format_sparse_components(tensor, indent):
    """Formats the components of a sparse tensor, one per paragraph."""
    getter = "_{}" if tensor.layout is torch.sparse_coo else "{}"
    texts = []
    for name in _SPARSE_PARTS[tensor.layout]:
        part = getattr(tensor, getter.format(name))().detach()
        prefix = f"{name}=tensor("
        contents = "..." if part.is_meta else _tensor_str(part, indent + len(prefix))
        size = [f"size={tuple(part.shape)}"] if part.is_meta or part.numel() == 0 else []
        texts.append(_add_suffixes(prefix + contents, size, indent))
    return (",\n" + " " * indent).join(texts)


def _str_intern(inp, *, tensor_contents=None):
    parameter_class = sys.modules.get(f"{torch.__name__}.nn.parameter")
    is_parameter = parameter_class is not None and isinstance(inp, parameter_class.Parameter)
    is_plain = type(inp) is torch.Tensor or (is_parameter and type(inp) is parameter_class.Parameter)
    prefix = "tensor(" if is_plain else f"{type(inp).__name__}("
    indent = len(prefix)
    self, tangent = _unpack_dual(inp)

    default = torch.get_default_dtype()
    default_complex = torch.complex128 if default == torch.float64 else torch.complex64
    suffixes = []
    if self.device.type != _C._get_default_device():
        suffixes.append(f"device='{self.device}'")
    size = f"size={tuple(self.shape)}"
    is_sparse = self.layout is not torch.strided
    if is_sparse:
        contents = _format_sparse_components(self, indent)
        suffixes.append(size)
        if not self.is_meta:
            suffixes.append(f"nnz={self._nnz()}")
        show_dtype = self.dtype not in (default, default_complex, torch.int64, torch.bool)
    elif self.is_meta or _is_fake(self):
        contents = "..."
        suffixes.append(size)
        show_dtype = self.dtype != default
    elif self.numel() == 0:
        contents = "[]"
        if self.dim() != 1:
            suffixes.append(size)
        show_dtype = self.dtype != default
    else:
        contents = None
        if not PRINT_OPTS.edgeitems:
            suffixes.append(size)
        show_dtype = self.dtype not in (default, default_complex, torch.int64, torch.bool)
    if show_dtype:
        suffixes.append(f"dtype={self.dtype}")
    if is_sparse:
        suffixes.append(f"layout={self.layout}")
    if tensor_contents is not None:
        contents = tensor_contents
    elif contents is None:
        contents = _tensor_str(self, indent)
    graph = _graph_suffix(inp)
    if graph is not None:
        suffixes.append(graph)
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    text = _add_suffixes(prefix + contents, suffixes, indent, force_newline=self.layout is torch.sparse_coo)
    return f"Parameter({text})" if is_parameter and not is_plain else text


def _batched_str(self):
    value = repr(_C._functorch.get_unwrapped(self))
    lines = "\n".join("    " + line for line in value.split("\n"))
    level, dim = _C._functorch.maybe_get_level(self), _C._functorch.maybe_get_bdim(self)
    return f"BatchedTensor(lvl={_C._functorch._transform_number(level)}, bdim={dim}, value=\n{lines}\n)"


def _str(self, *, tensor_contents=None):
    if _C._functorch.is_batchedtensor(self):
        return _batched_str(self)
    with torch.no_grad():
        if _C._len_torch_dispatch_stack() == 0:
            return _str_intern(self, tensor_contents=tensor_contents)
        from .utils._python_dispatch import _disable_current_modes

        with _disable_current_modes():
            return _str_intern(self, tensor_contents=tensor_contents)
