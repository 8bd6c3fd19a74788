"""stable-baselines3: PPO, A2C and DQN train on CartPole, SAC on Pendulum; models saved and loaded."""
# requires: stable-baselines3

import numpy
from report import report
from stable_baselines3 import A2C, DQN, PPO, SAC

for kind, options in ((PPO, {"n_steps": 64}), (A2C, {}), (DQN, {"learning_starts": 32})):
    model = kind("MlpPolicy", "CartPole-v1", seed=0, device="cpu", verbose=0, **options).learn(128)
    weights = numpy.concatenate([parameter.detach().numpy().ravel() for parameter in model.policy.parameters()])
    report(kind.__name__, weights, rtol=1e-2, atol=1e-3)
    model.save("model")
    observation = numpy.array([0.01, -0.02, 0.03, 0.04], dtype=numpy.float32)
    again = kind.load("model", device="cpu")
    report(
        f"{kind.__name__}, loaded",
        bool(
            (
                again.predict(observation, deterministic=True)[0] == model.predict(observation, deterministic=True)[0]
            ).all()
        ),
    )
model = SAC("MlpPolicy", "Pendulum-v1", seed=0, device="cpu", learning_starts=32, verbose=0).learn(48)
report(
    "SAC", model.predict(numpy.array([1.0, 0.0, 0.1], dtype=numpy.float32), deterministic=True)[0], rtol=1e-2, atol=1e-3
)
