"""pytorch-metric-learning: triplet, NT-Xent and ArcFace losses with miners, and a tester."""
# requires: pytorch-metric-learning

import torch
from pytorch_metric_learning import distances, losses, miners
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from report import report, report_training

torch.manual_seed(0)
x, labels = torch.randn(24, 10), torch.arange(24) % 4
net = torch.nn.Linear(10, 6)
miner = miners.MultiSimilarityMiner()
loss = losses.TripletMarginLoss(distance=distances.CosineSimilarity())
report("mined", [len(part) for part in miner(net(x), labels)])
report("nt-xent", losses.NTXentLoss()(net(x), labels))
report("contrastive", losses.ContrastiveLoss()(net(x), labels))
arc = losses.ArcFaceLoss(4, 6)
report("arcface", arc(net(x), labels))
report_training(net, lambda: loss(net(x), labels, miner(net(x), labels)))
del AccuracyCalculator
