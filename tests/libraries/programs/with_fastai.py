"""fastai: a tabular learner with the one-cycle policy, and a learner over DataLoaders."""
# without requirements: torchvision==0.29.1
# requires: fastai

import numpy
import pandas
from fastai.tabular.all import (
    Categorify,
    CategoryBlock,
    FillMissing,
    Normalize,
    TabularDataLoaders,
    accuracy,
    set_seed,
    tabular_learner,
)
from report import report

random = numpy.random.RandomState(0)
frame = pandas.DataFrame({"a": random.randn(96), "b": random.randn(96), "c": random.choice(list("xyz"), 96)})
frame["label"] = (frame.a > 0).astype(str)
set_seed(0)
loaders = TabularDataLoaders.from_df(
    frame,
    procs=[Categorify, FillMissing, Normalize],
    cat_names=["c"],
    cont_names=["a", "b"],
    y_names="label",
    y_block=CategoryBlock(),
    bs=32,
    valid_idx=list(range(80, 96)),
)
learner = tabular_learner(loaders, layers=[8], n_out=2, metrics=accuracy)
with learner.no_bar(), learner.no_logging():
    learner.fit_one_cycle(2, 0.01)
report("losses", [float(loss) for loss in learner.recorder.losses], rtol=1e-2)
report("predictions", learner.get_preds()[0], rtol=1e-2, atol=1e-2)
learner.export("learner.pkl")
