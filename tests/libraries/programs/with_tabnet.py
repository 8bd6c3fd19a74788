"""pytorch-tabnet: a TabNet classifier and regressor train on tables and explain themselves."""
# requires: pytorch-tabnet; pandas

import numpy
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor
from report import report

random = numpy.random.RandomState(0)
x = random.randn(128, 6).astype(numpy.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(int)
options = {"n_d": 4, "n_a": 4, "n_steps": 2, "seed": 0, "verbose": 0, "device_name": "cpu"}
model = TabNetClassifier(**options)
model.fit(x, y, max_epochs=3, batch_size=32, virtual_batch_size=16, num_workers=0)
report("probabilities", model.predict_proba(x[:5]), rtol=1e-3, atol=1e-3)
report("importances", model.feature_importances_, rtol=1e-2, atol=1e-3)
report("explanation", model.explain(x[:4])[0], rtol=1e-2, atol=1e-2)
regressor = TabNetRegressor(**options)
regressor.fit(x, x[:, :1] * 2, max_epochs=2, batch_size=32, virtual_batch_size=16)
report("regression", regressor.predict(x[:5]), rtol=1e-3, atol=1e-3)
