"""torch.fx._compatibility: marks public names of torch.fx as stable or not, in their docstrings."""

import inspect

_BACK_COMPAT_OBJECTS: dict = {}
_MARKED_WITH_COMPATIBILITY: dict = {}


def compatibility(is_backward_compatible):
    """Decorator: records whether the behaviour of a name is stable between releases. Returns the object itself."""

    def mark_compatibility(fn):
        doc = inspect.cleandoc(fn.__doc__ or "")
        if is_backward_compatible:
            note = "This interface is stable."
            _BACK_COMPAT_OBJECTS.setdefault(fn)
        else:
            note = "This interface may change between releases."
        fn.__doc__ = f"{doc}\n\nNote:\n    {note}\n"
        _MARKED_WITH_COMPATIBILITY.setdefault(fn)
        return fn

    return mark_compatibility
