"""The metaclasses of pipes."""

from abc import ABCMeta

from ._hook_iterator import hook_iterator


class _DataPipeMeta(ABCMeta):
    pass


class _IterDataPipeMeta(_DataPipeMeta):
    def __new__(cls, name, bases, namespace, **kwargs):
        hook_iterator(namespace)
        return super().__new__(cls, name, bases, namespace, **kwargs)
