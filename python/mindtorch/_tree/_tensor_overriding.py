"""Decorators of Tensor's methods that call `__torch_function__` first."""

import functools

from .overrides import handle_torch_function, has_torch_function, has_torch_function_unary


def _try_torch_function_first(method):
    """Passes a method's call to `__torch_function__` of `self` before running it."""

    @functools.wraps(method)
    def wrapper(*args, **kwargs):  # the method reports missing arguments, also `self`
        if args and has_torch_function_unary(args[0]):
            self, *args = args
            args, kwargs = _arrange_as_torch(method, self, args, kwargs)
            return handle_torch_function(wrapper, (self,), self, *args, **kwargs)
        return method(*args, **kwargs)

    return wrapper


def _arrange_as_torch(method, self, args, kwargs):
    """Returns the arguments as overrides get them: those that have a default, always and by name."""
    import inspect  # slow to import, and only overriding needs it

    bound = inspect.signature(method).bind(self, *args, **kwargs)
    bound.apply_defaults()
    positional, named = [], {}
    for name, parameter in list(bound.signature.parameters.items())[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(bound.arguments[name])
        elif parameter.default is parameter.empty:
            positional.append(bound.arguments[name])
        else:
            named[name] = bound.arguments[name]
    return positional, named


def _handle_torch_function_and_wrap_type_error_to_not_implemented(operator):
    """For binary operators: overridable by either operand, and NotImplemented instead of TypeError."""

    @functools.wraps(operator)
    def wrapper(self, *args, **kwargs):
        try:
            operands = (self, *args)
            if has_torch_function(operands):
                return handle_torch_function(wrapper, operands, self, *args, **kwargs)
            return operator(self, *args, **kwargs)
        except TypeError:
            return NotImplemented

    return wrapper
