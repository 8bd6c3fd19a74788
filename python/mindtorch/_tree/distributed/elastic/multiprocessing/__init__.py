"""Workers, as programs or as functions: started together, watched, and ended together."""

from .api import DefaultLogsSpecs, PContext, RunProcsResult, SignalException, Std, start_processes
from .errors import ProcessFailure
