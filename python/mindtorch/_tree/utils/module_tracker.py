"""Tracks which modules are running, forward or backward."""

from __future__ import annotations

import logging
import weakref

from .._root import torch

__all__ = ["ModuleTracker"]

logger = logging.getLogger(__name__)


class ModuleTracker:
    """Tracks which modules are running, forward or backward, in its block.

    `parents` has their names, such as ``"Net.layers.0"``, and ``"Global"``.
    """

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._known_modules = weakref.WeakKeyDictionary()
        self._seen_modules = weakref.WeakSet()
        self._has_callback = False
        self._hooks: list = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward is running."""
        return torch._C._current_graph_task_id() != -1

    def __enter__(self):
        hooks = torch.nn.modules.module
        self._fw_pre_handle = hooks.register_module_forward_pre_hook(self._fw_pre_hook)
        self._fw_post_handle = hooks.register_module_forward_hook(self._fw_post_hook)
        return self

    def __exit__(self, *args):
        for handle in (self._fw_pre_handle, self._fw_post_handle, *self._hooks):
            handle.remove()
        self._hooks.clear()

    def _get_mod_name(self, mod) -> str:
        name = self._known_modules.setdefault(mod, type(mod).__name__)
        if mod not in self._seen_modules:
            for part, child in mod.named_children():
                self._known_modules[child] = f"{name}.{part}"
                self._get_mod_name(child)
            self._seen_modules.add(mod)
        return name

    def _reset(self):
        self.parents = {"Global"}
        self._has_callback = False

    def _enter_module(self, name, when):
        if when == "backward" and not self._has_callback:
            torch.autograd.Variable._execution_engine.queue_callback(self._reset)
            self._has_callback = True
        if name in self.parents:
            logger.info("%s began again before it ended, in %s", name, when)
        self.parents.add(name)

    def _exit_module(self, name, when):
        if name not in self.parents:
            logger.info("%s ended and had not begun, in %s", name, when)
        self.parents.discard(name)

    def _register_gradient_hook(self, values, call, name):
        leaves = torch.utils._pytree.tree_leaves(values)
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        if tensors:
            hook = torch.autograd.graph.register_multi_grad_hook(tensors, lambda grads: call(name, "backward"))
            self._hooks.append(hook)

    # Backward reaches a module's outputs first, and its inputs last.
    def _fw_pre_hook(self, mod, input):
        name = self._get_mod_name(mod)
        self._enter_module(name, "forward")
        self._register_gradient_hook(input, self._exit_module, name)

    def _fw_post_hook(self, mod, input, output):
        name = self._get_mod_name(mod)
        self._exit_module(name, "forward")
        self._register_gradient_hook(output, self._enter_module, name)
