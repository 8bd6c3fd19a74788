"""Marks functions that a graph compiler must skip; there is no compiler, so it returns them unchanged."""

import functools


def _disable_dynamo(fn=None, recursive=True):
    return functools.partial(_disable_dynamo, recursive=recursive) if fn is None else fn
