"""What operators consist of, for the compiler: the table has what programs register."""

import logging

from .. import _decomp

decompositions = {}
_log = logging.getLogger(__name__)


def register_decomposition(ops):
    """Returns a decorator that enters a function into `decompositions`; see torch._decomp.register_decomposition.

    Args:
        ops (operator or a list of them): the operators.

    Returns:
        callable: the decorator, which returns its function.
    """
    if any(op in decompositions for op in (ops if isinstance(ops, list) else [ops])):
        _log.warning("duplicate decomp: %s", ops)
    return _decomp.register_decomposition(ops, decompositions)
