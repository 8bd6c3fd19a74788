"""torch._logging: levels of the package's loggers by short names."""

import logging

_ALIASES = {"all": "", "autograd": "autograd", "distributed": "distributed", "dynamo": "_dynamo",
            "inductor": "_inductor", "aot": "_functorch", "fx": "fx", "export": "export", "onnx": "onnx"}  # fmt: skip


def set_logs(*, modules=None, **levels) -> None:
    """`set_logs(autograd=logging.DEBUG)`: sets levels of loggers below the root package; raises for unknown names."""
    root = __name__.partition(".")[0]
    for name, level in levels.items():
        if isinstance(level, bool):
            # Only a compiler writes artifacts (graph_breaks=True and similar).
            if name in _ALIASES:
                raise ValueError(
                    f"Unrecognized log level for log {name}: {level}, valid level values are "
                    f"{','.join(map(str, (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)))}"
                )
            continue
        if name not in _ALIASES:
            raise ValueError(f"Unrecognized log or artifact name passed to set_logs: {name}")
        suffix = _ALIASES[name]
        logging.getLogger(f"{root}.{suffix}" if suffix else root).setLevel(level)
    for name, level in (modules or {}).items():
        logging.getLogger(name).setLevel(level)


def getArtifactLogger(module_qname: str, artifact_name: str) -> logging.Logger:
    return logging.getLogger(f"{module_qname}.__{artifact_name}")


def warning_once(logger_obj, *args, **kwargs) -> None:
    """Warns the first time that it gets these arguments."""
    key = (id(logger_obj), args)
    if key not in _warned:
        _warned.add(key)
        logger_obj.warning(*args, **kwargs)


_warned: set = set()


def trace_structured(name, metadata_fn=dict, *, payload_fn=lambda: None, suppress_context=False, **kwargs) -> None:
    """Writes to a compiler's trace; does nothing, since there is no compiler."""
