"""Builds protocol buffers of logged values."""

import io
import logging

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from ..._root import torch
from ._convert_np import make_np
from ._utils import convert_to_HWC

__all__ = [
    "hparams", "scalar", "histogram", "make_histogram", "image", "make_image", "audio", "custom_scalars", "text",
    "pr_curve_raw", "pr_curve", "compute_curve",
]  # fmt: skip

logger = logging.getLogger(__name__)


def _make_summary(tag, plugin=None, content=b"", **fields):
    if plugin is not None:
        data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
        fields["metadata"] = SummaryMetadata(plugin_data=data)
    return Summary(value=[Summary.Value(tag=tag, **fields)])


def _make_shape(*sizes):
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def hparams(hparam_dict=None, metric_dict=None, hparam_domain_discrete=None):
    """Returns summaries that record hyperparameters and the names of metrics.

    Args:
        hparam_dict (dict): hyperparameters: numbers, strings, bools or tensors of one element.
        metric_dict (dict): whose keys are tags of scalars.
        hparam_domain_discrete (dict, optional): from a hyperparameter to the list of its possible
            values. Default: ``None``.

    Returns:
        tuple of Summary: the experiment, the start of the session, and its end.

    Raises:
        TypeError: if it is no dict, or a possible value is of another type.
        ValueError: if a hyperparameter is of another type.

    Example:
        >>> from torch.utils.tensorboard.summary import hparams
        >>> len(hparams({"lr": 0.1}, {"accuracy": 0.9}))
        3
    """
    from google.protobuf import struct_pb2
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    for name, given in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
        if not isinstance(given, dict):
            text = f"parameter: {name} should be a dictionary, nothing logged."
            logger.warning(text)
            raise TypeError(text)
    domains = hparam_domain_discrete or {}
    if not isinstance(domains, dict):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary, nothing logged.")
    for name, values in domains.items():
        if not (
            name in hparam_dict
            and isinstance(values, list)
            and all(isinstance(value, type(hparam_dict[name])) for value in values)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )
    start, infos = plugin_data_pb2.SessionStartInfo(), []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        if isinstance(value, torch.Tensor):
            field, kind, value = "number_value", "FLOAT64", make_np(value)[0]
        elif isinstance(value, (int, float)):
            field, kind = "number_value", "FLOAT64"
        elif isinstance(value, str):
            field, kind = "string_value", "STRING"
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        setattr(start.hparams[name], field, value)
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(f"DATA_TYPE_{kind}"))
        if name in domains:
            choices = [struct_pb2.Value(**{field: choice}) for choice in domains[name]]
            info.domain_discrete.CopyFrom(struct_pb2.ListValue(values=choices))
        infos.append(info)
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=tag)) for tag in metric_dict]

    def make_hparams_summary(tag, **part):
        content = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **part)
        return _make_summary(tag, metadata.PLUGIN_NAME, content.SerializeToString())

    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return (
        make_hparams_summary(
            metadata.EXPERIMENT_TAG, experiment=api_pb2.Experiment(hparam_infos=infos, metric_infos=metrics)
        ),
        make_hparams_summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        make_hparams_summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def scalar(name, tensor, collections=None, new_style=False, double_precision=False):
    """Returns the record of one number.

    Args:
        name (str): its tag.
        tensor (number, numpy.ndarray or Tensor): the number.
        collections (optional): not used. Default: ``None``.
        new_style (bool): writes a tensor of one element. Default: ``False``.
        double_precision (bool): writes it in 64 bits, in the new style. Default: ``False``.

    Returns:
        Summary: the record.

    Example:
        >>> from torch.utils.tensorboard.summary import scalar
        >>> scalar("loss", 0.5).value[0].simple_value
        0.5
    """
    tensor = make_np(tensor).squeeze()
    if tensor.ndim != 0:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions)."
            f"             Was given size: {tensor.size} and {tensor.ndim} dimensions."
        )
    value = float(tensor)
    if not new_style:
        return _make_summary(name, simple_value=value)
    if double_precision:
        return _make_summary(name, "scalars", tensor=TensorProto(double_val=[value], dtype="DT_DOUBLE"))
    return _make_summary(name, "scalars", tensor=TensorProto(float_val=[value], dtype="DT_FLOAT"))


def histogram(name, values, bins, max_bins=None):
    """Returns the record of a histogram of values.

    Args:
        name (str): its tag.
        values (numpy.ndarray or Tensor): the values.
        bins (int, str or sequence): the bins, as for `numpy.histogram`.
        max_bins (int, optional): largest number of bins. Default: ``None``.

    Returns:
        Summary: the record.

    Example:
        >>> from torch.utils.tensorboard.summary import histogram
        >>> histogram("x", torch.tensor([1.0, 2.0, 2.0]), bins=2).value[0].histo.num
        3.0
    """
    return _make_summary(name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))


def make_histogram(values, bins, max_bins=None):
    """Returns counts per bin, without the empty bins at both ends.

    Where there are too many bins, neighbours are added up.

    Args:
        values (numpy.ndarray): the values.
        bins (int, str or sequence): the bins, as for `numpy.histogram`.
        max_bins (int, optional): largest number of bins. Default: ``None``.

    Returns:
        HistogramProto: counts, right ends of the bins, and moments of the values.

    Raises:
        ValueError: if there are no values.

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard.summary import make_histogram
        >>> list(make_histogram(numpy.array([1.0, 2.0, 2.0]), bins=2).bucket)
        [0.0, 1.0, 2.0]
    """
    if values.size == 0:
        raise ValueError("The input has no element.")
    values = values.reshape(-1)
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        if rest := len(counts) % step:
            counts = np.pad(counts, (0, step - rest))
        counts = counts.reshape(-1, step).sum(axis=-1)
        limits = np.append(limits[:-1:step], limits[-1])
    filled = np.flatnonzero(counts)
    first, last = (filled[0], filled[-1] + 1) if filled.size else (len(counts), 1)
    counts = counts[first - 1 : last] if first > 0 else np.concatenate([[0], counts[:last]])
    limits = limits[first : last + 1]
    if not counts.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits.tolist(),
        bucket=counts.tolist(),
    )


def _to_byte_pixels(array):
    """Converts to bytes: bytes are unchanged, numbers from 0 to 1 are scaled."""
    scale = 1 if array.dtype == np.uint8 else 255
    return (array.astype(np.float32) * scale).clip(0, 255).astype(np.uint8)


def image(tag, tensor, rescale=1, dataformats="NCHW"):
    """Returns the record of a picture, or of a grid of several.

    Args:
        tag (str): its tag.
        tensor (numpy.ndarray or Tensor): bytes, or numbers from 0 to 1.
        rescale (float): by how much to enlarge it. Default: ``1``.
        dataformats (str): what the dimensions are, letters of ``NCHW``. Default: ``"NCHW"``.

    Returns:
        Summary: the record.

    Example:
        >>> from torch.utils.tensorboard.summary import image
        >>> image("x", torch.zeros(3, 4, 5), dataformats="CHW").value[0].image.width
        5
    """
    return _make_summary(
        tag, image=make_image(_to_byte_pixels(convert_to_HWC(make_np(tensor), dataformats)), rescale=rescale)
    )


def make_image(tensor, rescale=1):
    """Returns a picture as PNG.

    Args:
        tensor (numpy.ndarray): bytes of height, width and channels.
        rescale (float): by how much to enlarge it. Default: ``1``.

    Returns:
        Summary.Image: the picture.

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard.summary import make_image
        >>> make_image(numpy.zeros((4, 5, 3), dtype=numpy.uint8)).height
        4
    """
    from PIL import Image

    height, width, channels = tensor.shape
    picture = Image.fromarray(tensor)
    picture = picture.resize((int(width * rescale), int(height * rescale)), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=buffer.getvalue())


def audio(tag, tensor, sample_rate=44100):
    """Returns the record of sound of one channel, as a WAV of 16 bits.

    Args:
        tag (str): its tag.
        tensor (numpy.ndarray or Tensor): samples from -1 to 1.
        sample_rate (int): samples per second. Default: ``44100``.

    Returns:
        Summary: the record.

    Example:
        >>> from torch.utils.tensorboard.summary import audio
        >>> audio("x", torch.zeros(8)).value[0].audio.content_type
        'audio/wav'
    """
    import wave

    samples = make_np(tensor).squeeze()
    if abs(samples).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        samples = samples.clip(-1, 1)
    if samples.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    samples = (samples * np.iinfo(np.int16).max).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, sample_rate, 0, "NONE", None))
        file.writeframes(samples.data)
    made = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=samples.shape[-1],
        encoded_audio_string=buffer.getvalue(),
        content_type="audio/wav",
    )
    return _make_summary(tag, audio=made)


def custom_scalars(layout):
    """Returns the record of which scalars share a chart.

    Args:
        layout (dict): ``{category: {chart: [kind, tags]}}``, with the kind ``"Multiline"``, or
            ``"Margin"`` with the tags of a value and of its lower and upper limit.

    Returns:
        Summary: the record.

    Example:
        >>> from torch.utils.tensorboard.summary import custom_scalars
        >>> custom_scalars({"losses": {"both": ["Multiline", ["train", "test"]]}}).value[0].tag
        'custom_scalars__config__'
    """
    from tensorboard.plugins.custom_scalar import layout_pb2

    def make_chart(title, kind, tags):
        if kind != "Margin":
            return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError("len(tags) != 3")
        series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))

    categories = [
        layout_pb2.Category(title=name, chart=[make_chart(title, *about[:2]) for title, about in charts.items()])
        for name, charts in layout.items()
    ]
    content = layout_pb2.Layout(category=categories).SerializeToString()
    tensor = TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=TensorShapeProto())
    return _make_summary("custom_scalars__config__", "custom_scalars", tensor=tensor)


def text(tag, text):
    """Returns the record of a text.

    Args:
        tag (str): its tag.
        text (str): the text, in Markdown.

    Returns:
        Summary: the record.

    Example:
        >>> from torch.utils.tensorboard.summary import text
        >>> text("note", "a text").value[0].tag
        'note/text_summary'
    """
    from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

    tensor = TensorProto(dtype="DT_STRING", string_val=[text.encode()], tensor_shape=_make_shape(1))
    return _make_summary(tag + "/text_summary", "text", TextPluginData(version=0).SerializeToString(), tensor=tensor)


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    """Returns the record of counts, precision and recall per threshold.

    Args:
        tag (str): its tag.
        tp, fp, tn, fn (numpy.ndarray): true and false positives, true and false negatives.
        precision, recall (numpy.ndarray): of each threshold.
        num_thresholds (int): number of thresholds, 127 at most. Default: ``127``.
        weights (optional): not used. Default: ``None``.

    Returns:
        Summary: the record.

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard.summary import pr_curve_raw
        >>> pr_curve_raw("curve", *numpy.ones((6, 2)), num_thresholds=2).value[0].tag
        'curve'
    """
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    data = np.stack((tp, fp, tn, fn, precision, recall))
    content = PrCurvePluginData(version=0, num_thresholds=min(num_thresholds, 127)).SerializeToString()
    tensor = TensorProto(dtype="DT_FLOAT", float_val=data.reshape(-1).tolist(), tensor_shape=_make_shape(*data.shape))
    return _make_summary(tag, "pr_curves", content, tensor=tensor)


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """Returns the record of precision and recall of predictions.

    Args:
        tag (str): its tag.
        labels (numpy.ndarray): true labels, 0 or 1.
        predictions (numpy.ndarray): probabilities from 0 to 1.
        num_thresholds (int): number of thresholds, 127 at most. Default: ``127``.
        weights (numpy.ndarray or float, optional): of the predictions. Default: ``None``, 1.

    Returns:
        Summary: the record.

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard.summary import pr_curve
        >>> pr_curve("curve", numpy.array([0, 1]), numpy.array([0.2, 0.9]), 3).value[0].tag
        'curve'
    """
    thresholds = min(num_thresholds, 127)
    return pr_curve_raw(tag, *compute_curve(labels, predictions, thresholds, weights), thresholds)


def compute_curve(labels, predictions, num_thresholds=None, weights=None):
    """Returns counts, precision and recall of predictions at equally spaced thresholds.

    Args:
        labels (numpy.ndarray): true labels, 0 or 1.
        predictions (numpy.ndarray): probabilities from 0 to 1.
        num_thresholds (int): number of thresholds. Default: ``None``, which does not work.
        weights (numpy.ndarray or float, optional): of the predictions. Default: ``None``, 1.

    Returns:
        numpy.ndarray: rows of true and false positives, true and false negatives, precision and recall;
            a column for each threshold.

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard.summary import compute_curve
        >>> compute_curve(numpy.array([0, 1]), numpy.array([0.2, 0.9]), 3)[0]
        array([1., 1., 0.])
    """
    weights = 1.0 if weights is None else weights
    places = np.int32(np.floor(predictions * (num_thresholds - 1)))
    positive = labels.astype(np.float64)

    def count_at_or_above(weight):
        counts, _ = np.histogram(places, num_thresholds, (0, num_thresholds - 1), weights=weight)
        return np.cumsum(counts[::-1])[::-1]

    tp, fp = count_at_or_above(positive * weights), count_at_or_above((1.0 - positive) * weights)
    tn, fn = fp[0] - fp, tp[0] - tp
    return np.stack((tp, fp, tn, fn, tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn)))
