"""Embedding layers."""

from ..._root import torch
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


def _check_padding_row(padding_idx, rows, name):
    """`padding_idx` counted from the start."""
    if padding_idx is None or padding_idx == 0:
        return padding_idx
    if (padding_idx >= rows) if padding_idx > 0 else (padding_idx < -rows):
        raise AssertionError(f"{name} must be within num_embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx


class _EmbeddingTable(Module):
    """The table of vectors of both layers."""

    def _init_or_share_weight(self, given, trainable, device, dtype):
        shape = (self.num_embeddings, self.embedding_dim)
        if given is None:
            self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype), requires_grad=trainable)
            self.reset_parameters()
            return
        if tuple(given.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(given, requires_grad=trainable)

    def reset_parameters(self) -> None:
        """Samples a new table from the standard normal distribution; the row `padding_idx` becomes zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_EmbeddingTable):
    """Looks up vectors by index in a learned table, one row per word or class.

    Args:
        num_embeddings (int): number of rows.
        embedding_dim (int): size of the vectors.
        padding_idx (int, optional): a row that gets no gradient and begins as zeros; negative
            values count from the end. Default: ``None``.
        max_norm (float, optional): rows that are looked up and whose norm exceeds it are scaled
            down to it, in place. Default: ``None``.
        norm_type (float): exponent of that norm. Default: ``2.0``.
        scale_grad_by_freq (bool): whether gradients are divided by how often the index is in
            the input. Default: ``False``.
        sparse (bool): whether the gradient of the table is sparse; only some optimizers take it, as
            SGD, Adagrad and SparseAdam. Default: ``False``.
        _weight (Tensor, optional): the table, where it is there already; see `from_pretrained`.
            Default: ``None``.
        _freeze (bool): whether the table is not trained. Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(*)``, int64 or int32, each from 0 to ``num_embeddings - 1``.
        - output: ``(*, embedding_dim)``.

    Attributes:
        weight (Parameter): ``(num_embeddings, embedding_dim)``, standard normal.

    Example:
        >>> table = nn.Embedding(7, 4, padding_idx=0)
        >>> table(torch.tensor([[1, 5], [6, 0]])).shape
        torch.Size([2, 2, 4])
        >>> table(torch.tensor(0))
        tensor([0., 0., 0., 0.], grad_fn=<EmbeddingBackward0>)
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
    ]

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
        _weight: torch.Tensor | None = None, _freeze: bool = False, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _check_padding_row(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._init_or_share_weight(_weight, not _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Looks up `input`, indices of any shape ``(*)``, and returns ``(*, embedding_dim)``."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self):
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ):
        """Makes an Embedding with a given table.

        Args:
            embeddings (Tensor): the table, ``(num_embeddings, embedding_dim)``; not copied.
            freeze (bool): whether it is not trained. Default: ``True``.
            padding_idx (int, optional): row without gradient; its values stay. Default: ``None``.
            max_norm (float, optional): see the class. Default: ``None``.
            norm_type (float): see the class. Default: ``2.0``.
            scale_grad_by_freq (bool): see the class. Default: ``False``.
            sparse (bool): see the class. Default: ``False``.

        Returns:
            Embedding: the layer.

        Example:
            >>> table = nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
            >>> table(torch.tensor([1]))
            tensor([[3., 4.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_EmbeddingTable):
    """Sums, averages or maximises embeddings over bags of indices, without storing them in between.

    Args:
        num_embeddings (int): number of rows of the table.
        embedding_dim (int): size of the vectors.
        max_norm (float, optional): rows that are looked up and whose norm exceeds it are scaled
            down to it, in place. Default: ``None``.
        norm_type (float): exponent of that norm. Default: ``2.0``.
        scale_grad_by_freq (bool): whether gradients are divided by how often the index is in
            the input; not for ``"max"``. Default: ``False``.
        mode (str): ``"sum"``, ``"mean"`` or ``"max"``. Default: ``"mean"``.
        sparse (bool): whether the gradient of the table is sparse; not for ``"max"``. Default:
            ``False``.
        _weight (Tensor, optional): the table, where it is there already. Default: ``None``.
        include_last_offset (bool): whether `offsets` ends with the number of indices, as the row
            pointers of a CSR matrix do. Default: ``False``.
        padding_idx (int, optional): a row that does not count in its bag and gets no gradient.
            Default: ``None``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(B, N)``, or ``(N)`` with `offsets` ``(B)``; int64 or int32.
        - per_sample_weights: as the input.
        - output: ``(B, embedding_dim)``; zeros for an empty bag.

    Attributes:
        weight (Parameter): ``(num_embeddings, embedding_dim)``, standard normal.

    Example:
        >>> bags = nn.EmbeddingBag.from_pretrained(torch.tensor([[1.0], [2.0], [4.0]]), mode="sum")
        >>> bags(torch.tensor([0, 1, 2, 2]), offsets=torch.tensor([0, 2]))
        tensor([[3.],
                [8.]])
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ]

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: torch.Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.padding_idx = _check_padding_row(padding_idx, num_embeddings, "padding_idx")
        self._init_or_share_weight(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: torch.Tensor, offsets: torch.Tensor | None = None, per_sample_weights: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Joins the embeddings of each bag.

        Args:
            input (Tensor): indices, ``(B, N)`` for bags of one size, or ``(N)``.
            offsets (Tensor, optional): where each bag of a one-dimensional input begins. Default:
                ``None``.
            per_sample_weights (Tensor, optional): factors of the embeddings, of the input's shape;
                with mode ``"sum"`` only. Default: ``None``.

        Returns:
            Tensor: ``(B, embedding_dim)``.
        """
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self):
        parts = [f"{self.num_embeddings!r}, {self.embedding_dim!r}"]
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm!r}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type!r}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq!r}")
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx!r}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls, embeddings: torch.Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> "EmbeddingBag":  # fmt: skip
        """Makes an EmbeddingBag with a given table.

        Args:
            embeddings (Tensor): the table, ``(num_embeddings, embedding_dim)``; not copied.
            freeze (bool): whether it is not trained. Default: ``True``.
            max_norm (float, optional): see the class. Default: ``None``.
            norm_type (float): see the class. Default: ``2.0``.
            scale_grad_by_freq (bool): see the class. Default: ``False``.
            mode (str): see the class. Default: ``"mean"``.
            sparse (bool): see the class. Default: ``False``.
            include_last_offset (bool): see the class. Default: ``False``.
            padding_idx (int, optional): see the class. Default: ``None``.

        Returns:
            EmbeddingBag: the layer.

        Example:
            >>> bags = nn.EmbeddingBag.from_pretrained(torch.tensor([[1.0], [3.0]]))
            >>> bags(torch.tensor([[0, 1]]))
            tensor([[2.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        bag = cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad = not freeze
        return bag
