"""How programs set a compiler's settings within a block."""

import contextlib


def make_patch(settings: dict):
    """Returns the function that sets some of a module's settings within a block.

    Args:
        settings (dict): the module's globals.

    Returns:
        callable: takes a name and a value, a dictionary, or keywords.
    """

    @contextlib.contextmanager
    def patch(arg1=None, arg2=None, **changes):
        """Sets some settings within a block."""
        if isinstance(arg1, str):
            changes = {arg1: arg2}
        elif arg1 is not None:
            changes = arg1
        missing = [name for name in changes if name not in settings]
        if missing:
            raise AttributeError(f"{settings['__name__']}.{missing[0]} does not exist")
        previous = {name: settings[name] for name in changes}
        settings.update(changes)
        try:
            yield
        finally:
            settings.update(previous)

    return patch
