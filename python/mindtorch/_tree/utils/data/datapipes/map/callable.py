"""A pipe that applies a function to each item."""


from .._decorator import functional_datapipe
from ..datapipe import MapDataPipe
from ..utils.common import _check_unpickable_fn


def default_fn(data):
    """Gives its argument back."""
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """What a function makes of each item."""

    def __init__(self, datapipe, fn=default_fn):
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn

    def __len__(self):
        return len(self.datapipe)

    def __getitem__(self, index):
        return self.fn(self.datapipe[index])
