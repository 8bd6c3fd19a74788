"""Which placements operators accept and what they produce: tables, a file per family of operators."""

import functools

_FAMILIES = ("_pointwise", "_reductions", "_products", "_shapes", "_lines", "_factories", "_networks")


@functools.cache
def _import_rule_table():
    from importlib import import_module

    table = {}
    for family in _FAMILIES:
        table.update(import_module(f"{__name__}.{family}").RULES)
    return table


# {overload: sharding rule} of programs that called `register_sharding`
added = {}
# {operator's name: sharding rule} in force inside a `loss_parallel` block
replaced = {}


def find_rule(name: str, func):
    """Returns the rule of an operator, by its name without "aten::"; None if there is none."""
    if func in added:
        return added[func]
    if name in replaced:
        return replaced[name]
    table = _import_rule_table()
    found = table.get(name)
    if found is None and name.endswith("_") and not name.endswith("__"):
        found = table.get(name[:-1])
    return found
