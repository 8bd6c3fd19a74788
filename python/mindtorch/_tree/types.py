"""torch.types: names for annotations."""

from __future__ import annotations

import os
from builtins import bool as _bool, bytes as _bytes, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Sequence
from typing import Any, IO, Self, TypeAlias, Union

from ._C import Size, device as _device, dtype as _dtype, layout as _layout
from ._symint import SymBool, SymFloat, SymInt
from ._tensor import Tensor
from . import _C

__all__ = ["Number", "Device", "FileLike", "Storage"]

_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_TensorOrTensorsOrGradEdge: TypeAlias = Union[Tensor, Sequence[Tensor], "GradientEdge", Sequence["GradientEdge"]]  # noqa: F821

_size: TypeAlias = Size | list[int] | tuple[int, ...]
_symsize: TypeAlias = Size | Sequence[int | SymInt]

IntLikeType: TypeAlias = int | SymInt
FloatLikeType: TypeAlias = float | SymFloat
BoolLikeType: TypeAlias = bool | SymBool

py_sym_types = (SymInt, SymFloat, SymBool)
PySymType: TypeAlias = SymInt | SymFloat | SymBool

Number: TypeAlias = int | float | bool
_Number = (int, float, bool)

FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Device: TypeAlias = _device | str | int | None

_qscheme = _C.qscheme
DispatchKey = _C.DispatchKey
_dispatchkey: TypeAlias = str | DispatchKey


class Storage:
    """The methods that every kind of storage has; for annotations."""

    _cdata: int
    device: _device
    dtype: _dtype
    _torch_load_uninitialized: bool

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        raise NotImplementedError

    def _new_shared(self, size: int):
        raise NotImplementedError

    def _write_file(self, f: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
        raise NotImplementedError

    def element_size(self) -> int:
        """Returns the size of an element in bytes.

        Returns:
            int: the size.
        """
        raise NotImplementedError

    def is_shared(self) -> bool:
        """Returns whether the storage is in shared memory.

        Returns:
            bool: whether it is.
        """
        raise NotImplementedError

    def share_memory_(self) -> Self:
        """Moves the storage to shared memory.

        Returns:
            Storage: itself.
        """
        raise NotImplementedError

    def nbytes(self) -> int:
        """Returns the size in bytes.

        Returns:
            int: the size.
        """
        raise NotImplementedError

    def cpu(self) -> Self:
        """Returns the storage on the CPU.

        Returns:
            Storage: itself or a copy.
        """
        raise NotImplementedError

    def data_ptr(self) -> int:
        """Returns the address of the first byte.

        Returns:
            int: the address.
        """
        raise NotImplementedError

    def from_file(self, filename: str, shared: bool = False, nbytes: int = 0) -> Self:
        """Maps a file to a storage.

        Args:
            filename (str): the file.
            shared (bool): whether writes go to the file. Default: ``False``.
            nbytes (int): size in bytes. Default: ``0``.

        Returns:
            Storage: the new storage.
        """
        raise NotImplementedError

    def _new_with_file(self, f: Any, element_size: int):
        raise NotImplementedError
