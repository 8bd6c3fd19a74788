"""geoopt: Riemannian optimization on the sphere, Stiefel manifold and Poincare ball."""
# requires: geoopt

import geoopt
import torch
from report import report

torch.manual_seed(0)
target = torch.randn(5)
point = geoopt.ManifoldParameter(torch.randn(5), manifold=geoopt.Sphere())
with torch.no_grad():
    point.proj_()
optimizer = geoopt.optim.RiemannianAdam([point], lr=0.1)
losses = []
for _ in range(10):
    optimizer.zero_grad()
    loss = (point - target).square().sum()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
report("losses", losses)
ball = geoopt.PoincareBall()
a, b = ball.random(4, 3), ball.random(4, 3)
report("distance", ball.dist(a, b))
report("exponential", ball.expmap(a, 0.1 * b))
report("sum", ball.mobius_add(a, b))
stiefel = geoopt.Stiefel()
frame = geoopt.ManifoldParameter(stiefel.random(5, 2), manifold=stiefel)
sgd = geoopt.optim.RiemannianSGD([frame], lr=0.05)
frame.square().mul(torch.arange(10.0).view(5, 2)).sum().backward()
sgd.step()
report("frame", frame, atol=1e-3)
