"""Pipes over streams: the sampler and the shuffler."""

from .combinatorics import SamplerIterDataPipe as Sampler
from .combinatorics import ShufflerIterDataPipe as Shuffler

__all__ = ["Sampler", "Shuffler"]
