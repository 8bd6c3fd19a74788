"""torch.backends.miopen: not available; stores its flag for programs that set it."""

from .. import _boolean, _make_property_module, _Setting

_make_property_module(__name__, {"immediate": _Setting(False, _boolean)}, {"immediate": False})
