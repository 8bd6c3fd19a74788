"""The mark for functions that a graph compiler must not look into; nothing compiles here, so it changes nothing."""

import functools


def _disable_dynamo(fn=None, recursive=True):
    return functools.partial(_disable_dynamo, recursive=recursive) if fn is None else fn
