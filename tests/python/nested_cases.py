"""Shows nested tensors in a form that mindtorch and real torch have in common."""

import re
import warnings

from outcomes import normalise


def eval_and_describe(torch, setup, expression):
    """Returns the text of an expression's value, or its error's type and text.

    Numbers of irregular sizes, classes of nodes and the last digits of values are left out.
    """
    names = {"torch": torch, "N": torch.nested, "F": torch.nn.functional, "J": torch.jagged}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        exec(setup, names)
        try:
            text = repr(eval(expression, names))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    text = re.sub(r"\bj\d+", "j", normalise(text))
    text = re.sub(r"(-?\d+\.\d{3})\d+", r"\1", text)
    return re.sub(r"grad_fn=<[^>]*>", "grad_fn", text)
