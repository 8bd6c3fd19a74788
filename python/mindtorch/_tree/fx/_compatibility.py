"""torch.fx._compatibility: marks public names of torch.fx as stable or not, in their docstrings."""

import textwrap

_BACK_COMPAT_OBJECTS: dict = {}
_MARKED_WITH_COMPATIBILITY: dict = {}


def compatibility(is_backward_compatible):
    """Decorator: notes whether a name keeps its behaviour between releases. The object itself is returned."""

    def mark(fn):
        doc = textwrap.dedent(fn.__doc__ or "")
        if is_backward_compatible:
            note = ".. note::\n    Backwards-compatibility for this API is guaranteed.\n"
            _BACK_COMPAT_OBJECTS.setdefault(fn)
        else:
            note = (
                ".. warning::\n    This API is experimental and is *NOT* backward-compatible.\n"
            )
        fn.__doc__ = f"{doc}\n{note}"
        _MARKED_WITH_COMPATIBILITY.setdefault(fn)
        return fn

    return mark
