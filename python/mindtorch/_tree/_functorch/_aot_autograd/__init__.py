"""Parts of torch._functorch.aot_autograd."""

from ..._absent_modules import define_absent_modules

define_absent_modules(__name__)
