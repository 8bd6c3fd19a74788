"""torchmetrics: classification, regression, image and text metrics over batches; a collection; plots left out."""
# requires: torchmetrics

import torch
import torchmetrics
from report import report
from torchmetrics import classification, image, regression, text

torch.manual_seed(0)
logits, labels = torch.randn(4, 30, 5), torch.randint(5, (4, 30))
metrics = torchmetrics.MetricCollection(
    [
        classification.MulticlassAccuracy(5),
        classification.MulticlassF1Score(5),
        classification.MulticlassAUROC(5),
        classification.MulticlassConfusionMatrix(5),
        classification.MulticlassAveragePrecision(5),
        classification.MulticlassCalibrationError(5),
    ]
)
for batch, truth in zip(logits, labels, strict=False):
    metrics.update(batch.softmax(-1), truth)
report("classification", metrics.compute())
x, y = torch.randn(50), torch.randn(50)
for kind in (
    regression.R2Score,
    regression.PearsonCorrCoef,
    regression.SpearmanCorrCoef,
    regression.MeanAbsolutePercentageError,
):
    metric = kind()
    metric(x, y)
    report(kind.__name__, metric.compute())
a, b = torch.rand(2, 3, 32, 32), torch.rand(2, 3, 32, 32)
report("ssim", image.StructuralSimilarityIndexMeasure(data_range=1.0)(a, b))
report("psnr", image.PeakSignalNoiseRatio(data_range=1.0)(a, b))
report("bleu", text.BLEUScore()(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]]))
report("character error rate", text.CharErrorRate()(["hello wrld"], ["hello world"]))
mean = torchmetrics.MeanMetric()
mean.update(torch.tensor([1.0, 3.0]), weight=torch.tensor([1.0, 3.0]))
report("mean", mean.compute())
report("state", {name: value for name, value in mean.metric_state.items()})
