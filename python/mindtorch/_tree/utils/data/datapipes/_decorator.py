"""Registers a pipe as a method of every pipe."""

from .datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:
    """`@functional_datapipe("name")`: `pipe.name(...)` then makes the decorated pipe over `pipe`."""

    def __init__(self, name: str, enable_df_api_tracing=False) -> None:
        if enable_df_api_tracing:
            raise NotImplementedError("functional_datapipe(enable_df_api_tracing=True): there are no data frame pipes")
        self.name = name
        self.enable_df_api_tracing = enable_df_api_tracing

    def __call__(self, cls):
        for base in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, base):
                base.register_datapipe_as_function(self.name, cls)
        return cls
