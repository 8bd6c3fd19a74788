"""torch.__future__: how Module's conversions replace parameters."""

_overwrite_module_params_on_conversion = False
_swap_module_params_on_conversion = False


def set_overwrite_module_params_on_conversion(value):
    """Says whether conversions such as `Module.float` assign new parameters instead of setting `.data`.

    Args:
        value (bool): whether they do; False at the start.

    Returns:
        None.

    Example:
        >>> torch.__future__.set_overwrite_module_params_on_conversion(True)
        >>> linear = nn.Linear(1, 1)
        >>> before = linear.weight
        >>> linear.double().weight is before
        False
        >>> torch.__future__.set_overwrite_module_params_on_conversion(False)
    """
    global _overwrite_module_params_on_conversion
    _overwrite_module_params_on_conversion = value


def get_overwrite_module_params_on_conversion():
    """Returns what `set_overwrite_module_params_on_conversion` set.

    Returns:
        bool: whether conversions assign new parameters.
    """
    return _overwrite_module_params_on_conversion


def set_swap_module_params_on_conversion(value):
    """Says whether conversions and `load_state_dict` swap tensors, so that references stay valid.

    The contents of old and new parameter are exchanged by `torch.utils.swap_tensors`, also where the
    new one has another type or class.

    Args:
        value (bool): whether they do; False at the start.

    Returns:
        None.

    Example:
        >>> torch.__future__.set_swap_module_params_on_conversion(True)
        >>> linear = nn.Linear(1, 1)
        >>> before = linear.weight
        >>> linear.double().weight is before
        True
        >>> torch.__future__.set_swap_module_params_on_conversion(False)
    """
    global _swap_module_params_on_conversion
    _swap_module_params_on_conversion = value


def get_swap_module_params_on_conversion():
    """Returns what `set_swap_module_params_on_conversion` set.

    Returns:
        bool: whether conversions swap tensors.
    """
    return _swap_module_params_on_conversion
