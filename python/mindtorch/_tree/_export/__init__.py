"""torch._export: there is no graph capture; its functions raise NotImplementedError."""

from .._absent_modules import define_absent_modules

define_absent_modules(__name__)
