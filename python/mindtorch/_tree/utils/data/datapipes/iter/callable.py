"""Pipes that apply a function to each item."""


from ..._utils.collate import default_collate
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import _check_unpickable_fn, source_length, validate_input_col


def on_columns(function, data, columns):
    """Calls a function with the item, or with the columns of it that it is about."""
    if columns is None:
        return function(data)
    return function(*[data[column] for column in (columns if isinstance(columns, (list, tuple)) else [columns])])


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """What a function makes of each item, or of columns of it."""

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn
        self.input_col = input_col
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col
        validate_input_col(fn, input_col)

    def _apply_fn(self, data):
        result = on_columns(self.fn, data, self.input_col)
        if self.input_col is None:
            return result
        changed = list(data) if isinstance(data, tuple) else data
        if self.output_col == -1:
            changed.append(result)
        elif self.output_col is not None:
            changed[self.output_col] = result
        elif isinstance(self.input_col, (list, tuple)):
            # The first column takes the result, the others go.
            changed[self.input_col[0]] = result
            for column in sorted(self.input_col[1:], reverse=True):
                del changed[column]
        else:
            changed[self.input_col] = result
        return tuple(changed) if isinstance(data, tuple) else changed

    def __iter__(self):
        for data in self.datapipe:
            yield self._apply_fn(data)

    __len__ = source_length


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Each item, a batch, collated."""

    def __init__(self, datapipe, conversion=default_collate, collate_fn=None):
        if collate_fn is None and not callable(conversion):
            raise NotImplementedError("Collator over the columns of data frames: there are no data frame pipes")
        super().__init__(datapipe, fn=conversion if collate_fn is None else collate_fn)
