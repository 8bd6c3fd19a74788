"""skorch: a network in scikit-learn's pipeline and grid search."""
# requires: skorch; scikit-learn

import numpy
import torch
from report import report
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring

random = numpy.random.RandomState(0)
x = random.randn(120, 5).astype(numpy.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(numpy.int64)


class Net(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(5, width), torch.nn.ReLU(), torch.nn.Linear(width, 2))

    def forward(self, inputs):
        return self.layers(inputs)


torch.manual_seed(0)
net = NeuralNetClassifier(
    Net,
    criterion=torch.nn.CrossEntropyLoss,
    max_epochs=4,
    lr=0.1,
    verbose=0,
    callbacks=[EpochScoring("roc_auc", lower_is_better=False)],
)
pipeline = make_pipeline(StandardScaler(), net).fit(x, y)
report("probabilities", pipeline.predict_proba(x[:5]))
report("history", [[row["train_loss"], row["valid_loss"]] for row in net.history])
torch.manual_seed(0)
search = GridSearchCV(net, {"module__width": [4, 8], "lr": [0.05, 0.1]}, cv=2, refit=False).fit(x, y)
report("search", search.cv_results_["mean_test_score"])
net.save_params("p.pt")
