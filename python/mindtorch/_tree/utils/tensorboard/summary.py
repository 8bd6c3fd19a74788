"""Protocol buffers of what is logged."""

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


def _summary(tag, plugin=None, content=b"", **fields):
    if plugin is not None:
        data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
        fields["metadata"] = SummaryMetadata(plugin_data=data)
    return Summary(value=[Summary.Value(tag=tag, **fields)])


def _shape(*sizes):
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def hparams(hparam_dict=None, metric_dict=None, hparam_domain_discrete=None):
    """(experiment, start of the session, its end): hyperparameters, and names of what they are judged by."""
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

    def summary(tag, **part):
        content = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **part)
        return _summary(tag, metadata.PLUGIN_NAME, content.SerializeToString())

    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return (
        summary(metadata.EXPERIMENT_TAG, experiment=api_pb2.Experiment(hparam_infos=infos, metric_infos=metrics)),
        summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def scalar(name, tensor, collections=None, new_style=False, double_precision=False):
    """One number; in the new style as a tensor of one element."""
    tensor = make_np(tensor).squeeze()
    if tensor.ndim != 0:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions)."
            f"             Was given size: {tensor.size} and {tensor.ndim} dimensions."
        )
    value = float(tensor)
    if not new_style:
        return _summary(name, simple_value=value)
    if double_precision:
        return _summary(name, "scalars", tensor=TensorProto(double_val=[value], dtype="DT_DOUBLE"))
    return _summary(name, "scalars", tensor=TensorProto(float_val=[value], dtype="DT_FLOAT"))


def histogram(name, values, bins, max_bins=None):
    """A histogram of values."""
    return _summary(name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))


def make_histogram(values, bins, max_bins=None):
    """Counts per bin, without the empty bins at both ends; neighbours are added up where there are too many bins."""
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


def _pixels(array):
    """Bytes: of bytes as they are, of numbers from 0 to 1."""
    scale = 1 if array.dtype == np.uint8 else 255
    return (array.astype(np.float32) * scale).clip(0, 255).astype(np.uint8)


def image(tag, tensor, rescale=1, dataformats="NCHW"):
    """A picture, or a grid of several."""
    return _summary(tag, image=make_image(_pixels(convert_to_HWC(make_np(tensor), dataformats)), rescale=rescale))


def make_image(tensor, rescale=1):
    """A PNG of (height, width, channels)."""
    from PIL import Image

    height, width, channels = tensor.shape
    picture = Image.fromarray(tensor)
    picture = picture.resize((int(width * rescale), int(height * rescale)), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=buffer.getvalue()
    )


def audio(tag, tensor, sample_rate=44100):
    """Sound, of one channel, as a WAV of 16 bits."""
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
    return _summary(tag, audio=made)


def custom_scalars(layout):
    """Which scalars share a chart: {category: {chart: ["Multiline" or "Margin", tags]}}."""
    from tensorboard.plugins.custom_scalar import layout_pb2

    def chart(title, kind, tags):
        if kind != "Margin":
            return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError("len(tags) != 3")
        series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))

    categories = [
        layout_pb2.Category(title=name, chart=[chart(title, *about[:2]) for title, about in charts.items()])
        for name, charts in layout.items()
    ]
    content = layout_pb2.Layout(category=categories).SerializeToString()
    tensor = TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=TensorShapeProto())
    return _summary("custom_scalars__config__", "custom_scalars", tensor=tensor)


def text(tag, text):
    """A text."""
    from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

    tensor = TensorProto(dtype="DT_STRING", string_val=[text.encode()], tensor_shape=_shape(1))
    return _summary(tag + "/text_summary", "text", TextPluginData(version=0).SerializeToString(), tensor=tensor)


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    """Counts, precision and recall per threshold."""
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    data = np.stack((tp, fp, tn, fn, precision, recall))
    content = PrCurvePluginData(version=0, num_thresholds=min(num_thresholds, 127)).SerializeToString()
    tensor = TensorProto(dtype="DT_FLOAT", float_val=data.reshape(-1).tolist(), tensor_shape=_shape(*data.shape))
    return _summary(tag, "pr_curves", content, tensor=tensor)


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """Precision and recall of predictions from 0 to 1."""
    thresholds = min(num_thresholds, 127)
    return pr_curve_raw(tag, *compute_curve(labels, predictions, thresholds, weights), thresholds)


def compute_curve(labels, predictions, num_thresholds=None, weights=None):
    """Rows: true and false positives, true and false negatives, precision, recall; a column for each threshold."""
    weights = 1.0 if weights is None else weights
    places = np.int32(np.floor(predictions * (num_thresholds - 1)))
    positive = labels.astype(np.float64)

    def at_least(weight):
        counts, _ = np.histogram(places, num_thresholds, (0, num_thresholds - 1), weights=weight)
        return np.cumsum(counts[::-1])[::-1]

    tp, fp = at_least(positive * weights), at_least((1.0 - positive) * weights)
    tn, fn = fp[0] - fp, tp[0] - tp
    return np.stack((tp, fp, tn, fn, tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn)))
