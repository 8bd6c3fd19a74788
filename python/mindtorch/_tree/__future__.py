"""torch.__future__: how Module's conversions replace parameters."""

_overwrite_module_params_on_conversion = False
_swap_module_params_on_conversion = False


def set_overwrite_module_params_on_conversion(value):
    """Makes conversions such as Module.float() assign new parameters instead of setting `.data`."""
    global _overwrite_module_params_on_conversion
    _overwrite_module_params_on_conversion = value


def get_overwrite_module_params_on_conversion():
    """What set_overwrite_module_params_on_conversion set."""
    return _overwrite_module_params_on_conversion


def set_swap_module_params_on_conversion(value):
    """Makes conversions and load_state_dict swap tensors in place, so that references to parameters stay valid."""
    global _swap_module_params_on_conversion
    _swap_module_params_on_conversion = value


def get_swap_module_params_on_conversion():
    """What set_swap_module_params_on_conversion set."""
    return _swap_module_params_on_conversion
