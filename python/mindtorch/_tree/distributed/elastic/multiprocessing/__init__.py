"""Workers, as programs or functions, that are started, monitored and ended together."""

from .api import DefaultLogsSpecs, PContext, RunProcsResult, SignalException, Std, start_processes
from .errors import ProcessFailure
