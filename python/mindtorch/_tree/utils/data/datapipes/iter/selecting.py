"""A pipe that drops items."""


from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import StreamWrapper, _check_unpickable_fn, validate_input_col
from .callable import on_columns


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """The items that a function wants; streams within the others are closed."""

    def __init__(self, datapipe, filter_fn, input_col=None):
        self.datapipe = datapipe
        _check_unpickable_fn(filter_fn)
        self.filter_fn = filter_fn
        self.input_col = input_col
        validate_input_col(filter_fn, input_col)

    def __iter__(self):
        for data in self.datapipe:
            wanted = on_columns(self.filter_fn, data, self.input_col)
            if not isinstance(wanted, bool):
                raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(wanted))
            if wanted:
                yield data
            else:
                StreamWrapper.close_streams(data)
