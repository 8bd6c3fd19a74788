"""Switches for warnings about behaviour of versions before 0.2."""

from ... import _C


class Warning:
    """A switch: while it is on, legacy broadcasting or a changed keepdim warns."""

    def __init__(self, setter, getter) -> None:
        self.setter, self.getter = setter, getter

    def get_enabled(self):
        return self.getter()

    def set_enabled(self, value) -> None:
        self.setter(value)

    enabled = property(get_enabled, set_enabled)


broadcast_warning = Warning(_C._set_backcompat_broadcast_warn, _C._get_backcompat_broadcast_warn)
keepdim_warning = Warning(_C._set_backcompat_keepdim_warn, _C._get_backcompat_keepdim_warn)
