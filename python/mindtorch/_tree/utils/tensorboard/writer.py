"""Writers of the event files that TensorBoard reads."""

from __future__ import annotations

import os
import time

from tensorboard.compat import tf
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from . import summary as _summary
from ._convert_np import make_np
from ._embedding import get_embedding_info, make_mat, make_sprite, make_tsv, write_pbtxt
from ._utils import figure_to_image

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes protocol buffers to one file of events, for TensorBoard.

    Args:
        log_dir (str): folder of the file.
        max_queue (int): how many wait before they are written. Default: ``10``.
        flush_secs (int): seconds after which all are written. Default: ``120``.
        filename_suffix (str): end of the file's name. Default: ``""``.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     writer = torch.utils.tensorboard.FileWriter(folder)
        ...     writer.close()
    """

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix="") -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self):
        """Returns the folder of the file.

        Returns:
            str: the folder.
        """
        return self.event_writer.get_logdir()

    def add_event(self, event, step=None, walltime=None) -> None:
        """Adds an event.

        Args:
            event (Event): the protocol buffer.
            step (int, optional): its step.
            walltime (float, optional): its time. Default: now.
        """
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)  # it may be a float or a tensor
        self.event_writer.add_event(event)

    def add_summary(self, summary, global_step=None, walltime=None) -> None:
        """Adds a summary as an event.

        Args:
            summary (Summary): the protocol buffer.
            global_step (int, optional): its step.
            walltime (float, optional): its time. Default: now.
        """
        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Writes pending events."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes pending events and closes the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Opens the file again."""
        self.event_writer.reopen()


def _default_bins():
    """Returns bins that are each a tenth wider than the previous one, on both sides of zero."""
    limits, limit = [], 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    return [-limit for limit in reversed(limits)] + [0] + limits


class SummaryWriter:
    """Logs numbers, pictures, texts and more under tags, by step, for TensorBoard; also a context.

    Args:
        log_dir (str, optional): folder. Default: ``runs/<time>_<host><comment>``.
        comment (str): end of the default folder's name. Default: ``""``.
        purge_step (int, optional): events from this step on are hidden, after a crash.
        max_queue (int): how many events wait before they are written. Default: ``10``.
        flush_secs (int): seconds after which all are written. Default: ``120``.
        filename_suffix (str): end of the file's name. Default: ``""``.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with torch.utils.tensorboard.SummaryWriter(folder) as writer:
        ...         writer.add_scalar("loss", 0.5, global_step=1)
        ...     len(os.listdir(folder))
        1
    """

    def __init__(
        self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""
    ) -> None:
        if not log_dir:
            import socket
            from datetime import datetime

            moment = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{moment}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step = log_dir, purge_step
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.file_writer = self.all_writers = None
        self._get_file_writer()
        self.default_bins = _default_bins()

    def _get_file_writer(self):
        """The file's writer, opened on first use and again after `close`."""
        if self.all_writers is None or self.file_writer is None:
            self._open_file_writer()
        return self.file_writer

    def _open_file_writer(self) -> None:
        writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
        self.file_writer, self.all_writers = writer, {writer.get_logdir(): writer}
        step, self.purge_step = self.purge_step, None
        if step is not None:
            # These two events make TensorBoard hide older events whose step is at least `purge_step`.
            writer.add_event(Event(step=step, file_version="brain.Event:2"))
            writer.add_event(Event(step=step, session_log=SessionLog(status=SessionLog.START)))

    def _write_summary(self, summary, global_step=None, walltime=None):
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def get_logdir(self):
        """Returns the folder.

        Returns:
            str: the folder.
        """
        return self.log_dir

    def add_hparams(
        self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None
    ) -> None:
        """Logs hyperparameters and resulting metrics, as a separate run.

        Args:
            hparam_dict (dict): from names to bools, strings or numbers.
            metric_dict (dict): from names to numbers; names of other tags than plain scalars.
            hparam_domain_discrete (dict, optional): from names to lists of possible values.
            run_name (str, optional): subfolder of the run. Default: the time.
            global_step (int, optional): the step.

        Raises:
            TypeError: when an argument is no dict.
        """
        if {type(hparam_dict), type(metric_dict)} != {dict}:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = [*_summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)]
        made += [_summary.scalar(*metric, new_style=False, double_precision=False) for metric in metric_dict.items()]
        runs = self._get_file_writer().get_logdir()
        with SummaryWriter(os.path.join(runs, run_name or str(time.time()))) as run:
            for summary in made:
                run._write_summary(summary, global_step)

    def add_scalar(
        self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False
    ) -> None:
        """Logs a number.

        Args:
            tag (str): its name.
            scalar_value (float or Tensor): one number.
            global_step (int, optional): the step.
            walltime (float, optional): the time. Default: now.
            new_style (bool): stores a tensor instead of a simple value. Default: ``False``.
            double_precision (bool): in double, in the new style. Default: ``False``.
        """
        made = _summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._write_summary(made, global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None) -> None:
        """Logs several numbers in one chart, each as a separate run.

        Args:
            main_tag (str): name of the chart.
            tag_scalar_dict (dict): from names to numbers.
            global_step (int, optional): the step.
            walltime (float, optional): the time. Default: now.
        """
        walltime = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        for tag, value in tag_scalar_dict.items():
            run = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if run not in self.all_writers:
                self.all_writers[run] = FileWriter(run, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers[run].add_summary(_summary.scalar(main_tag, value), global_step, walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None) -> None:
        """Logs a histogram of values.

        Args:
            tag (str): its name.
            values (Tensor or array): the values.
            global_step (int, optional): the step.
            bins (str or sequence): ``"tensorflow"``, a method of `numpy.histogram`, or the limits. Default:
                ``"tensorflow"``.
            walltime (float, optional): the time. Default: now.
            max_bins (int, optional): most bins; neighbours are joined.
        """
        bins = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._write_summary(_summary.histogram(tag, values, bins, max_bins=max_bins), global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW") -> None:
        """Logs a picture; needs Pillow.

        Args:
            tag (str): its name.
            img_tensor (Tensor or array): bytes from 0 to 255, or floats from 0 to 1.
            global_step (int, optional): the step.
            walltime (float, optional): the time. Default: now.
            dataformats (str): order of dimensions: ``"CHW"``, ``"HWC"`` or ``"HW"``. Default: ``"CHW"``.
        """
        self._write_summary(_summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW") -> None:
        """Logs several pictures as a grid; needs Pillow.

        Args:
            tag (str): its name.
            img_tensor (Tensor or array): bytes from 0 to 255, or floats from 0 to 1.
            global_step (int, optional): the step.
            walltime (float, optional): the time. Default: now.
            dataformats (str): order of dimensions. Default: ``"NCHW"``.
        """
        self._write_summary(_summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_figure(
        self, tag: str, figure, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Logs a matplotlib figure as a picture.

        Args:
            tag (str): its name.
            figure (Figure or list of Figure): the figure.
            global_step (int, optional): the step.
            close (bool): closes the figure. Default: ``True``.
            walltime (float, optional): the time. Default: now.
        """
        layout = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats=layout)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None) -> None:
        """Logs sound of one channel.

        Args:
            tag (str): its name.
            snd_tensor (Tensor or array): samples ``(1, L)`` from -1 to 1.
            global_step (int, optional): the step.
            sample_rate (int): samples per second. Default: ``44100``.
            walltime (float, optional): the time. Default: now.
        """
        self._write_summary(_summary.audio(tag, snd_tensor, sample_rate=sample_rate), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None) -> None:
        """Logs a text.

        Args:
            tag (str): its name.
            text_string (str): the text.
            global_step (int, optional): the step.
            walltime (float, optional): the time. Default: now.
        """
        self._write_summary(_summary.text(tag, text_string), global_step, walltime)

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True) -> None:
        """Raises NotImplementedError: there is no TorchScript compiler to trace a model with.

        Args:
            model (Module): ignored.
            input_to_model, verbose, use_strict_trace: ignored.
        """
        raise NotImplementedError("SummaryWriter.add_graph: there is no TorchScript compiler to trace a model with")

    @staticmethod
    def _encode(rawstr):
        for letter in "%/\\":
            rawstr = rawstr.replace(letter, f"%{ord(letter):02x}")
        return rawstr

    def add_embedding(
        self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None
    ) -> None:
        """Logs vectors for the projector, with labels and pictures.

        Args:
            mat (Tensor or array): one vector a row.
            metadata (list, optional): a label, or a list of them, per row.
            label_img (Tensor, optional): a picture per row ``(N, C, H, W)``.
            global_step (int, optional): the step. Default: 0.
            tag (str): its name. Default: ``"default"``.
            metadata_header (list of str, optional): names of the labels.
        """
        from google.protobuf import text_format

        mat = make_np(mat)
        global_step = 0 if global_step is None else global_step
        subdir = f"{str(global_step).zfill(5)}/{self._encode(tag)}"
        folder = os.path.join(self._get_file_writer().get_logdir(), subdir)
        files = tf.io.gfile
        if not files.exists(folder):
            files.makedirs(folder)
        elif files.isdir(folder):
            print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
        else:
            raise NotADirectoryError(f"Path: `{folder}` exists, but is a file. Cannot proceed.")
        if metadata is not None:
            if mat.shape[0] != len(metadata):
                raise AssertionError("#labels should equal with #data points")
            make_tsv(metadata, folder, metadata_header=metadata_header)
        if label_img is not None:
            if mat.shape[0] != label_img.shape[0]:
                raise AssertionError("#images should equal with #data points")
            make_sprite(label_img, folder)
        if mat.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        make_mat(mat, folder)
        if not hasattr(self, "_projector_config"):
            self._projector_config = ProjectorConfig()
        self._projector_config.embeddings.append(get_embedding_info(metadata, label_img, subdir, global_step, tag))
        write_pbtxt(self._get_file_writer().get_logdir(), text_format.MessageToString(self._projector_config))

    def add_pr_curve(
        self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None
    ) -> None:
        """Logs precision and recall of predictions by threshold.

        Args:
            tag (str): its name.
            labels (Tensor or array): 0 and 1.
            predictions (Tensor or array): probabilities of 1.
            global_step (int, optional): the step.
            num_thresholds (int): number of thresholds, 127 at most. Default: ``127``.
            weights (array, optional): weight of each prediction.
            walltime (float, optional): the time. Default: now.
        """
        made = _summary.pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._write_summary(made, global_step, walltime)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled") -> None:
        """Puts several scalars into one chart.

        Args:
            tags (list of str): the scalars.
            category (str): name of a group of charts. Default: ``"default"``.
            title (str): name of the chart. Default: ``"untitled"``.
        """
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled") -> None:
        """Makes a chart of a scalar between two others.

        Args:
            tags (list of str): the scalar, its lower and its upper bound.
            category (str): name of a group of charts. Default: ``"default"``.
            title (str): name of the chart. Default: ``"untitled"``.
        """
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout) -> None:
        """Puts scalars into charts, once per writer.

        Args:
            layout (dict): ``{category: {chart: ["Multiline" or "Margin", tags]}}``.
        """
        self._write_summary(_summary.custom_scalars(layout))

    def flush(self) -> None:
        """Writes pending events."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Writes pending events and closes the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()
