"""torch.backends.miopen: not available; stores its flag for programs that set it."""

from .. import _require_bool, _make_property_module, _Setting

_make_property_module(__name__, {"immediate": _Setting(False, _require_bool)}, {"immediate": False})
