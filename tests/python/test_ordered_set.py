"""torch.utils._ordered_set: a set whose elements stay in order."""

import importlib

import pytest
from outcomes import outcome

CALLS = """
S([3, 1, 2, 1]), S(), list(reversed(S([3, 1]))), len(S("aab")), 1 in S([1])
S([3, 1]) | {5}, S([3, 1]) & {1}, S([3, 1]) - {1}, S([3, 1]) ^ [1, 9]
S([3, 1]).union([2], [1]), S([3, 1, 2]).intersection([2, 3], {3}), S([3, 1]).difference([3])
S([1, 2]).symmetric_difference([2, 3]), S([3, 1]) == {1, 3}, S([3, 1]) == S([1, 3]), S([1]) < S([1, 2])
S([1]).issubset([1, 2]), S([1, 2]).issuperset([1]), S([1]).isdisjoint([2])
(s := S([3, 1])).add(2), s.discard(9), s.pop(), s, s.copy(), s.remove(3), s, s.clear(), s
(s := S([3, 1])).update([5], [6]), s, s.difference_update([3]), s, s.intersection_update([5, 1]), s
(s := S([3, 1])).symmetric_difference_update([1, 7]), s
S().pop()
S([1]).remove(2)
pickle.loads(pickle.dumps(S([2, 1]))) == S([2, 1])
"""


@pytest.mark.parametrize("expression", CALLS.split("\n")[1:-1])
def test_ordered_sets_are_torchs(expression, mt, oracle):
    def use_ordered_set(torch):
        kind = importlib.import_module(f"{torch.__name__}.utils._ordered_set").OrderedSet
        return repr(eval(expression, {"S": kind, "pickle": importlib.import_module("pickle")}))

    assert outcome(use_ordered_set, mt) == outcome(use_ordered_set, oracle)
