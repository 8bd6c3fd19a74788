"""torch.utils.tensorboard: logs for TensorBoard, whose package must be installed."""

import tensorboard as _tensorboard

from ...torch_version import TorchVersion

if TorchVersion(getattr(_tensorboard, "__version__", "0")) < "1.15":
    raise ImportError("TensorBoard logging requires TensorBoard version 1.15 or above")

from tensorboard.summary.writer.record_writer import RecordWriter

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
