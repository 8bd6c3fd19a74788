"""Settings of torch_npu. Each can be set only to what this backend does."""

__all__ = [
    "set_option",
    "set_compile_mode",
    "is_jit_compile_false",
    "set_mm_bmm_format_nd",
    "get_mm_bmm_format_nd",
]


def _require_supported_setting(name: str, value, supported) -> None:
    if value != supported:
        raise NotImplementedError(f"torch.npu: {name} = {value!r} is not supported, only {supported!r}")


def set_compile_mode(jit_compile: bool = False) -> None:
    """Says whether operators are compiled at run time, which is not supported.

    Args:
        jit_compile (bool): False; True raises NotImplementedError. Default: ``False``.
    """
    _require_supported_setting("jit_compile", bool(jit_compile), False)


def is_jit_compile_false() -> bool:
    """Returns whether operators are not compiled at run time.

    Returns:
        bool: True.
    """
    return True


def set_mm_bmm_format_nd(is_nd: bool = True) -> None:
    """Says whether products use plain layouts, which they always do.

    Args:
        is_nd (bool): True; False raises NotImplementedError. Default: ``True``.
    """
    _require_supported_setting("the ND format of products", bool(is_nd), True)


def get_mm_bmm_format_nd() -> bool:
    """Returns whether products use plain layouts.

    Returns:
        bool: True.
    """
    return True


def set_option(option: dict) -> None:
    """Sets options by torch_npu's names; each can only be what this backend does.

    Supported are jitCompile "disable", MM_BMM_ND_ENABLE "enable", ALLOW_INTERNAL_FORMAT, ALLOW_MATMUL_HF32
    and ALLOW_CONV_HF32 "disable", and ACL_PRECISION_MODE "must_keep_origin_dtype".

    Args:
        option (dict[str, str]): values by name.

    Raises:
        TypeError: when `option` is no dict.
        NotImplementedError: when a name or value is not supported.
    """
    if not isinstance(option, dict):
        raise TypeError("npu option must be a dict.")
    for name, value in option.items():
        if name not in _SUPPORTED_OPTIONS:
            raise NotImplementedError(f"torch.npu.set_option: {name!r} is not supported")
        _require_supported_setting(name, str(value), _SUPPORTED_OPTIONS[name])


_SUPPORTED_OPTIONS = {
    "jitCompile": "disable",
    "MM_BMM_ND_ENABLE": "enable",
    "ALLOW_INTERNAL_FORMAT": "disable",
    "ALLOW_MATMUL_HF32": "disable",
    "ALLOW_CONV_HF32": "disable",
    "ACL_PRECISION_MODE": "must_keep_origin_dtype",
}


class _Settings:
    """Attributes that can be read, and set to the one supported value."""

    def __init__(self, **supported):
        vars(self)["_supported"] = supported

    def __getattr__(self, name):
        try:
            return self._supported[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        _require_supported_setting(name, value, getattr(self, name))

    def __dir__(self):
        return list(self._supported)


config = _Settings(allow_internal_format=False)
matmul = _Settings(allow_hf32=False)
conv = _Settings(allow_hf32=False)
