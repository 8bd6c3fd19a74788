"""torch.fx.tensor_type: types of shapes that annotations name."""

PROGRAM = """
import torch
from torch.fx import tensor_type
from torch.fx.tensor_type import Dyn, TensorType as T, is_consistent, is_more_precise

print(T((1, 2)), repr(T((1, Dyn))), T[1, 2], T[Dyn], T(()), T([1]), T(5), T.__hash__, T((1,)).__args__)
print(T([1]) == T((1,)), T((1, 2)) == T((1, 3)), T((1,)) == 1, T((1,)).__origin__ is T)
print(Dyn, Dyn == Dyn, Dyn == 3, Dyn == tensor_type._DynType(), type(Dyn).__hash__)
types = [T((1, 2, 3)), T((1, Dyn, 3)), T((1, 2, 3, 5)), T((Dyn,)), T((1,)), T((T((Dyn,)), 2)), T((T((1,)), 2)),
         int, bool, Dyn, 3, "x", None]
for first in types:
    print([is_consistent(first, second) for second in types])
    print([is_more_precise(first, second) for second in types])

def f(x: T((1, 2, 3, Dyn)), y: Dyn, z: T[Dyn, 3, Dyn]):
    return torch.add(x, y) + z

print([node.type for node in torch.fx.symbolic_trace(f).graph.nodes])
"""


def test_types_of_shapes_are_torchs_and_stay_in_a_graph(same_as_oracle):
    same_as_oracle(PROGRAM)
