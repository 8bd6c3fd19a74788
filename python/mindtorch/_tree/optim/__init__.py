"""torch.optim: optimizers, learning rate schedules and weight averaging."""

from . import lr_scheduler, swa_utils
from ._adafactor import Adafactor
from ._muon import Muon
from ._stateless import swap_in_optimizer_params_and_state
from .adadelta import Adadelta
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .asgd import ASGD
from .lbfgs import LBFGS
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD
from .sparse_adam import SparseAdam

Adafactor.__module__ = Muon.__module__ = swap_in_optimizer_params_and_state.__module__ = __name__

# As in torch, the modules are reachable by import only: their names are too common for attributes.
for _name in (
    "adadelta",
    "adagrad",
    "adam",
    "adamw",
    "sparse_adam",
    "adamax",
    "asgd",
    "sgd",
    "radam",
    "rprop",
    "rmsprop",
    "optimizer",
    "nadam",
    "lbfgs",
):
    del globals()[_name]
del _name

__all__ = [
    "Adafactor",
    "Adadelta",
    "Adagrad",
    "Adam",
    "Adamax",
    "AdamW",
    "ASGD",
    "LBFGS",
    "lr_scheduler",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "SparseAdam",
    "swap_in_optimizer_params_and_state",
    "swa_utils",
]
