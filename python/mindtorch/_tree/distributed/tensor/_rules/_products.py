"""Products of matrices and vectors: a label per index, as in einsum; a cut summed index gives terms."""

from ..placement_types import Partial, Replicate, Shard
from ._rows import Labelled, Row, Rule, make_partial_rows, placement_of_label, make_replicated_row

# Labels of the arguments and of the result. A leading "+" is the argument that is added; it broadcasts.
EQUATIONS = {
    "mm": "mk,kn->mn", "bmm": "bmk,bkn->bmn", "mv": "mk,k->m", "dot": "k,k->", "vdot": "k,k->", "ger": "m,n->mn",
    "outer": "m,n->mn", "addmm": "+,mk,kn->mn", "baddbmm": "+,bmk,bkn->bmn", "addmv": "+,mk,k->m", "addr": "+,m,n->mn",
}  # fmt: skip


class _Product(Rule):
    def __init__(self, equation):
        inputs, self.result = equation.split("->")
        self.inputs = inputs.split(",")

    def list_placement_rows(self, call, mesh_dim):
        letters = dict.fromkeys("".join(self.inputs).replace("+", ""))
        rows = []
        for letter in letters:
            output = Shard(self.result.index(letter)) if letter in self.result else Partial()
            rows.append(
                Row(
                    tuple(self._placement_of_input_for_label(call, i, letter) for i in range(len(self.inputs))),
                    (output,),
                )
            )
        return [*rows, make_replicated_row(call), *make_partial_rows(call, self._list_partial_masks())]

    def _list_partial_masks(self):
        """Returns which argument may be terms: a product is linear in each factor, and adds what is added."""
        return "pr rp" if self.inputs[0] != "+" else "ppr prp"

    def _placement_of_input_for_label(self, call, index, letter):
        labels = self.inputs[index]
        if labels != "+":
            return placement_of_label(labels, letter)
        if letter not in self.result:
            return Partial()
        shape = call.inputs[0].shape
        dim = self.result.index(letter) - len(self.result) + len(shape)
        return Shard(dim) if dim >= 0 and shape[dim] > 1 else Replicate()


def _label_batch_dims(call):
    """Labels the dimensions before the last two."""
    outputs = []
    ndim = len(call.inputs[0].shape)
    batch = list(range(ndim - 2))
    for meta in call.outputs:
        outputs.append([*batch, *[None] * (len(meta.shape) - len(batch))])
    return [
        [*batch[: max(0, len(meta.shape) - 2)], None, None][-len(meta.shape) :] if meta.shape else []
        for meta in call.inputs
    ], outputs


MATRICES = """
linalg_qr _linalg_svd linalg_svd _linalg_eigh linalg_eigh linalg_inv_ex linalg_cholesky_ex cholesky linalg_lu_factor_ex
linalg_lu _linalg_det _linalg_slogdet linalg_householder_product triangular_solve linalg_matrix_exp tril triu
""".split()

RULES = {name: _Product(equation) for name, equation in EQUATIONS.items()}
RULES.update({name: Labelled(_label_batch_dims) for name in MATRICES})
for _name in ("tril", "triu"):
    RULES[_name] = Labelled(_label_batch_dims, masks="p")
