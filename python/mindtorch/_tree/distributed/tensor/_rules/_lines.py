"""Operators that need whole lines along one dimension and work on each line alone."""

from ._rows import Labelled

# {operator's name: its argument that holds the dimension, or dimensions, along which lines run}
DIMENSION = {
    "_softmax": "dim", "_log_softmax": "dim", "_softmax_backward_data": "dim", "_log_softmax_backward_data": "dim",
    "_safe_softmax": "dim", "cumsum": "dim", "cumprod": "dim", "cummax": "dim", "cummin": "dim", "logcumsumexp": "dim",
    "sort": "dim", "topk": "dim", "flip": "dims", "roll": "dims", "argsort": "dim", "glu": "dim", "renorm": "dim",
    "scatter": "dim", "scatter_add": "dim", "scatter_reduce": "dim", "index_add": "dim",
    "index_copy": "dim", "index_fill": "dim", "_cummax_helper": "dim",
}  # fmt: skip
# Linear operators: "p" lets them run on a Partial argument, each rank on its own term, with a Partial result.
TERMS = {"cumsum": "p", "flip": "p", "roll": "p"}


def _make_labeller_of_free_dims(name):
    def label_dims(call):
        dims, ndim = call.dims(DIMENSION[name]), len(call.inputs[0].shape)
        shapes = [meta.shape for meta in (*call.inputs, *(out for out in call.outputs if out is not None))]
        free = [
            dim
            for dim in range(ndim)
            if dim not in dims and len({shape[dim] for shape in shapes if len(shape) == ndim}) == 1
        ]

        def labels_of_tensor(meta):
            return (
                [dim if dim in free else None for dim in range(ndim)]
                if len(meta.shape) == ndim
                else [None] * len(meta.shape)
            )

        return [labels_of_tensor(meta) for meta in call.inputs], [
            meta and labels_of_tensor(meta) for meta in call.outputs
        ]

    return label_dims


def _label_gather(call):
    """Labels of `gather`: pieces of the index give pieces of the result, whatever the dimension of the index is."""
    (dim,), (source, index) = call.dims(), (meta.shape for meta in call.inputs)
    labels = [other if source[other] == index[other] and other != dim else None for other in range(len(source))]
    result = ["i" if other == dim else label for other, label in enumerate(labels)]
    return [labels, result], [result]


RULES = {name: Labelled(_make_labeller_of_free_dims(name), masks=TERMS.get(name, "")) for name in DIMENSION}
RULES["gather"] = Labelled(_label_gather, masks="pr")
