"""torch.profiler.profile: records some of a program's steps and hands each recording to a callback."""

import gzip
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any
from warnings import warn

from ..autograd import profiler as prof
from ._activity import ProfilerActivity

__all__ = ["supported_activities", "ProfilerAction", "schedule", "tensorboard_trace_handler", "profile"]

PROFILER_STEP_NAME = "ProfilerStep"


def supported_activities():
    return {ProfilerActivity.CPU}


class ProfilerAction(Enum):
    """What to do during a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable:
    """Skips, then repeats: wait, warm up, record."""
    if wait < 0 or warmup < 0 or active < 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)

    def schedule_fn(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        length = wait + warmup + active
        if repeat > 0 and step / length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return schedule_fn


def _default_schedule_fn(_: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False):
    """A callback that writes each recording into a folder, under TensorBoard's names."""

    def handler_fn(recorded) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except Exception as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        suffix = ".pt.trace.json" + (".gz" if use_gzip else "")
        recorded.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}{suffix}"))

    return handler_fn


class _KinetoProfile:
    """One recording, without a schedule."""

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events: bool = False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        self.activities = set(activities) if activities else supported_activities()
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        unsupported = self.activities - supported_activities()
        if unsupported == self.activities:
            raise AssertionError("No valid profiler activities found")
        self.record_shapes = record_shapes
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.profiler: prof.profile | None = None

    def start(self):
        self.prepare_trace()
        self.start_trace()

    def stop(self):
        self.stop_trace()

    def prepare_trace(self):
        self.profiler = prof.profile(
            record_shapes=self.record_shapes,
            with_flops=self.with_flops,
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
            with_modules=self.with_modules,
        )

    def start_trace(self):
        self._recorded().__enter__()

    def stop_trace(self):
        self._recorded().__exit__(None, None, None)

    def _recorded(self) -> prof.profile:
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting chrome trace")
        return self.profiler

    def export_chrome_trace(self, path: str):
        if not path.endswith(".gz"):
            return self._recorded().export_chrome_trace(path)
        with tempfile.NamedTemporaryFile(suffix=".json") as plain:
            self._recorded().export_chrome_trace(plain.name)
            with open(plain.name, "rb") as source, gzip.open(path, "wb") as target:
                shutil.copyfileobj(source, target)
        return None

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ):
        return self._recorded().key_averages(group_by_input_shape, group_by_stack_n)

    def events(self):
        return self._recorded().function_events

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        raise NotImplementedError("torch.profiler.profile.toggle_collection_dynamic is not available")


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile(_KinetoProfile):
    """Profiles a block whose steps `step()` separates."""

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
        )
        self.record_steps = schedule is not None
        self.schedule = schedule or _default_schedule_fn
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.step_rec_fn: prof.record_function | None = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.stop()

    def start(self):
        if self.current_action in _RECORDING:
            self._begin()
        self._open_step()

    def stop(self):
        self._close_step()
        if self.current_action in _RECORDING:
            self._finish()

    def step(self):
        """Says that the next step begins."""
        self._close_step()
        previous, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        records = self.current_action in _RECORDING
        if previous == ProfilerAction.RECORD_AND_SAVE or (previous in _RECORDING and not records):
            self._finish()
            previous = ProfilerAction.NONE
        if records and previous not in _RECORDING:
            self._begin()
        prof.KinetoStepTracker.increment_step(PROFILER_STEP_NAME)
        self._open_step()

    def _begin(self):
        self.prepare_trace()
        self.start_trace()

    def _finish(self):
        self.stop_trace()
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def _open_step(self):
        if self.record_steps:
            self.step_rec_fn = prof.record_function(f"{PROFILER_STEP_NAME}#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _close_step(self):
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None
