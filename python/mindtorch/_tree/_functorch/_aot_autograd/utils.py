"""How compiled functions take their arguments."""

import functools


def make_boxed_func(f):
    """Returns the function that takes its arguments as one list, which the caller gives up.

    Args:
        f (callable): the function of the arguments.

    Returns:
        callable: the function of the list.
    """

    @functools.wraps(f, assigned=())
    def boxed(args):
        return f(*args)

    boxed._boxed_call = True
    return boxed


def make_boxed_compiler(compiler):
    """Returns the compiler whose results take their arguments as one list.

    Args:
        compiler (callable): from a graph and example inputs to a function.

    Returns:
        callable: the same with make_boxed_func around the result.
    """

    @functools.wraps(compiler)
    def compile_boxed(fx_g, inps):
        return make_boxed_func(compiler(fx_g, inps))

    return compile_boxed
