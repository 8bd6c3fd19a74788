"""pytorch-forecasting: a temporal fusion transformer trains on a table of series."""
# requires: pytorch-forecasting

import lightning
import numpy
import pandas
from pytorch_forecasting import TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.metrics import QuantileLoss
from report import report

lightning.seed_everything(0)
frame = pandas.DataFrame(
    {
        "time": numpy.tile(numpy.arange(30), 3),
        "series": numpy.repeat(list("abc"), 30),
        "value": numpy.sin(numpy.arange(90) * 0.4),
    }
)
data = TimeSeriesDataSet(
    frame,
    time_idx="time",
    target="value",
    group_ids=["series"],
    max_encoder_length=8,
    max_prediction_length=2,
    time_varying_unknown_reals=["value"],
    static_categoricals=["series"],
)
model = TemporalFusionTransformer.from_dataset(
    data, hidden_size=4, attention_head_size=1, loss=QuantileLoss(), dropout=0.0
)
x, y = next(iter(data.to_dataloader(train=False, batch_size=8)))
out = model(x)
report("prediction", out.prediction, rtol=1e-3, atol=1e-3)
loss = model.loss(out.prediction, y)
loss.backward()
report("loss", loss)
report(
    "gradients",
    [parameter.grad.abs().sum() for parameter in model.parameters() if parameter.grad is not None][:10],
    rtol=1e-2,
    atol=1e-4,
)
