"""Settings of torch_npu's. Each can be set to what this backend does; asking for anything else is refused."""

__all__ = [
    "set_option",
    "set_compile_mode",
    "is_jit_compile_false",
    "set_mm_bmm_format_nd",
    "get_mm_bmm_format_nd",
]


def _only(name: str, value, supported) -> None:
    if value != supported:
        raise NotImplementedError(f"torch.npu: {name} = {value!r} is not supported, only {supported!r}")


def set_compile_mode(jit_compile: bool = False) -> None:
    """Operators are never compiled at run time: only False."""
    _only("jit_compile", bool(jit_compile), False)


def is_jit_compile_false() -> bool:
    """Whether operators are not compiled at run time."""
    return True


def set_mm_bmm_format_nd(is_nd: bool = True) -> None:
    """Products use plain layouts: only True."""
    _only("the ND format of products", bool(is_nd), True)


def get_mm_bmm_format_nd() -> bool:
    """Whether products use plain layouts."""
    return True


def set_option(option: dict) -> None:
    """Options by name, as torch_npu has them; those that this backend cannot follow are refused."""
    if not isinstance(option, dict):
        raise TypeError("npu option must be a dict.")
    for name, value in option.items():
        if name not in _SUPPORTED_OPTIONS:
            raise NotImplementedError(f"torch.npu.set_option: {name!r} is not supported")
        _only(name, str(value), _SUPPORTED_OPTIONS[name])


_SUPPORTED_OPTIONS = {
    "jitCompile": "disable",
    "MM_BMM_ND_ENABLE": "enable",
    "ALLOW_INTERNAL_FORMAT": "disable",
    "ALLOW_MATMUL_HF32": "disable",
    "ALLOW_CONV_HF32": "disable",
    "ACL_PRECISION_MODE": "must_keep_origin_dtype",
}


class _Settings:
    """Attributes that can be read, and set to the one value that is supported."""

    def __init__(self, **supported):
        vars(self)["_supported"] = supported

    def __getattr__(self, name):
        try:
            return self._supported[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        _only(name, value, getattr(self, name))

    def __dir__(self):
        return list(self._supported)


config = _Settings(allow_internal_format=False)
matmul = _Settings(allow_hf32=False)
conv = _Settings(allow_hf32=False)
