"""torch._guards: queries of tracing compilers from eager code; none is ever active."""


class TracingContext:
    @staticmethod
    def try_get():
        return None

    @staticmethod
    def get():
        raise RuntimeError("TracingContext.get() must be called within an ongoing trace.")


class CompileContext:
    @staticmethod
    def try_get():
        return None

    @staticmethod
    def current_compile_id():
        return None


def detect_fake_mode(inputs=None):
    """Returns None: there are no fake tensors."""
    return None


def active_fake_mode():
    """Returns None: there are no fake tensors."""
    return None
