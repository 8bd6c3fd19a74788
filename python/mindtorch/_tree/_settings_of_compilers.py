"""How programs set a compiler's settings within a block."""

import contextlib


class Section:
    """Settings with a common prefix: `triton.cudagraphs` is the attribute `cudagraphs` of the section `triton`.

    Args:
        **settings: their values.
    """

    def __init__(self, **settings):
        vars(self).update(settings)


def make_patch(settings: dict):
    """Returns the function that sets some of a module's settings within a block.

    Args:
        settings (dict): the module's globals.

    Returns:
        callable: takes a name and a value, a dictionary, or keywords.
    """

    def find_home(name):
        """Returns the dictionary that has a setting, and its key there."""
        section, _, key = name.rpartition(".")
        home = settings if not section else vars(settings[section]) if section in settings else {}
        if key not in home:
            raise AttributeError(f"{settings['__name__']}.{name} does not exist")
        return home, key

    @contextlib.contextmanager
    def patch(arg1=None, arg2=None, **changes):
        """Sets some settings within a block."""
        if isinstance(arg1, str):
            changes = {arg1: arg2}
        elif arg1 is not None:
            changes = arg1
        homes = {name: find_home(name) for name in changes}
        previous = {name: home[key] for name, (home, key) in homes.items()}
        for name, (home, key) in homes.items():
            home[key] = changes[name]
        try:
            yield
        finally:
            for name, (home, key) in homes.items():
                home[key] = previous[name]

    return patch
