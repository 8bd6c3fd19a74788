"""darts: N-BEATS and an RNN forecast a time series."""
# requires: u8darts[torch]

import numpy
from darts import TimeSeries
from darts.models import NBEATSModel, RNNModel
from report import report

series = TimeSeries.from_values(numpy.sin(numpy.arange(80) * 0.3).astype(numpy.float32))
options = {"accelerator": "cpu", "enable_progress_bar": False, "logger": False}
model = NBEATSModel(
    12,
    4,
    n_epochs=1,
    num_stacks=2,
    num_blocks=1,
    num_layers=1,
    layer_widths=8,
    random_state=0,
    pl_trainer_kwargs=options,
)
model.fit(series)
report("n-beats", model.predict(4).values(), rtol=1e-2, atol=1e-2)
model = RNNModel(
    12, model="GRU", hidden_dim=6, training_length=16, n_epochs=1, random_state=0, pl_trainer_kwargs=options
)
model.fit(series)
report("gru", model.predict(4).values(), rtol=1e-2, atol=1e-2)
