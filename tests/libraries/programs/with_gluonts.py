"""gluonts: DeepAR forecasts time series and reports quantiles."""
# requires: gluonts[torch]; pandas

import numpy
import pandas
import torch
from gluonts.dataset.pandas import PandasDataset
from gluonts.torch import DeepAREstimator, SimpleFeedForwardEstimator
from lightning.pytorch import seed_everything
from report import report

times = pandas.date_range("2024-01-01", periods=120, freq="h")
frame = pandas.DataFrame({"target": numpy.sin(numpy.arange(120) * 0.3).astype("float32")}, index=times)
data = PandasDataset(frame, target="target")
options = {
    "max_epochs": 1,
    "accelerator": "cpu",
    "enable_progress_bar": False,
    "logger": False,
}
for kind, extra in ((SimpleFeedForwardEstimator, {}), (DeepAREstimator, {"freq": "h"})):
    seed_everything(0)
    predictor = kind(
        prediction_length=6, context_length=12, num_batches_per_epoch=4, batch_size=8, trainer_kwargs=options, **extra
    ).train(data)
    torch.manual_seed(1)
    forecast = next(iter(predictor.predict(data)))
    report(kind.__name__, forecast.mean, rtol=5e-2, atol=5e-2)
