"""Ways to split a layer: which placements its parameters, inputs and outputs have."""

from abc import ABC, abstractmethod
from functools import partial

from ...._root import torch
from ...device_mesh import DeviceMesh
from .._api import DTensor, distribute_module, distribute_tensor
from ..placement_types import Placement, Replicate, Shard

__all__ = [
    "ParallelStyle", "RowwiseParallel", "SequenceParallel", "ColwiseParallel", "PrepareModuleInput",
    "PrepareModuleInputOutput", "PrepareModuleOutput",
]  # fmt: skip


class ParallelStyle(ABC):
    """A way to split a module; a subclass defines ``_apply(module, device_mesh)``, which returns the module."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module: ...


def _distribute_parameter(style, module, name, mesh, placement):
    """Makes a parameter of the module a distributed tensor."""
    parameter = module._parameters[name]
    if parameter is not None:
        placed = distribute_tensor(parameter, mesh, [placement], src_data_rank=style.src_data_rank)
        module.register_parameter(name, torch.nn.Parameter(placed, requires_grad=parameter.requires_grad))


def _redistribute_if_needed(tensor, placements):
    return tensor if tensor.placements == tuple(placements) else tensor.redistribute(placements=placements)


class _LayerStyle(ParallelStyle):
    """A style of one layer with one input and one output."""

    input_layouts: tuple[Placement, ...]
    output_layouts: tuple[Placement, ...]
    use_local_output: bool

    def _prepare_input(self, wanted, module, inputs, mesh):
        tensor = inputs[0]
        if not isinstance(tensor, DTensor):
            tensor = DTensor.from_local(tensor, mesh, self.input_layouts, run_check=False)
        return (_redistribute_if_needed(tensor, _normalize_shard_dims(wanted, tensor)), *inputs[1:])

    def _prepare_output(self, module, output, mesh):
        output = _redistribute_if_needed(output, _normalize_shard_dims(self.output_layouts, output))
        return output.to_local() if self.use_local_output else output

    def _partition_module(self, module, mesh, placements, wanted_input):
        def partition_parameters(name, part, mesh):
            for parameter in list(part._parameters):
                _distribute_parameter(self, part, parameter, mesh, placements[parameter])

        return distribute_module(
            module, mesh, partition_parameters, partial(self._prepare_input, wanted_input), self._prepare_output
        )

    def _refuse_module_type(self, module):
        raise NotImplementedError(f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!")


def _normalize_shard_dims(layouts, tensor):
    """Returns placements with dimensions counted from the start."""
    return tuple(Shard(layout.dim % tensor.ndim) if isinstance(layout, Shard) else layout for layout in layouts)


class ColwiseParallel(_LayerStyle):
    """Splits the outputs of a Linear, or the columns of an Embedding.

    Args:
        input_layouts (Placement, optional): the placement of a plain tensor that the layer gets. Default: replicated.
        output_layouts (Placement, optional): the placement of the output. Default: ``Shard(-1)``.
        use_local_output (bool): whether the output is the rank's piece, not a DTensor. Default: ``True``.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ):
        self.use_local_output = use_local_output
        self.input_layouts, self.output_layouts = (input_layouts or Replicate(),), (output_layouts or Shard(-1),)
        self.desired_input_layouts = (Replicate(),)

    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module:
        if isinstance(module, torch.nn.Linear):
            placements = {"weight": Shard(0), "bias": Shard(0)}
        elif isinstance(module, torch.nn.Embedding):
            placements = {"weight": Shard(1)}
        else:
            self._refuse_module_type(module)
        return self._partition_module(module, device_mesh, placements, self.desired_input_layouts)

    def __repr__(self) -> str:
        return (
            f"ColwiseParallel(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class RowwiseParallel(_LayerStyle):
    """Splits the inputs of a Linear, or the rows of an Embedding.

    Args:
        input_layouts (Placement, optional): the placement of a plain tensor that the layer gets. Default:
            ``Shard(-1)``.
        output_layouts (Placement, optional): the placement of the output. Default: replicated.
        use_local_output (bool): whether the output is the rank's piece, not a DTensor. Default: ``True``.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ):
        super().__init__()
        self.input_layouts = (input_layouts or Shard(-1),)
        self.output_layouts = (output_layouts or Replicate(),)
        self.use_local_output = use_local_output

    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module:
        if isinstance(module, torch.nn.Linear):
            placements, self.desired_input_layouts = {"weight": Shard(1), "bias": Replicate()}, (Shard(-1),)
        elif isinstance(module, torch.nn.Embedding):
            placements, self.desired_input_layouts = {"weight": Shard(0)}, (Replicate(),)
        else:
            self._refuse_module_type(module)
        return self._partition_module(module, device_mesh, placements, self.desired_input_layouts)

    def __repr__(self) -> str:
        return (
            f"RowwiseParallel(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class SequenceParallel(ParallelStyle):
    """Splits the input of a normalisation or dropout along the sequence; its parameters are replicated.

    Args:
        sequence_dim (int): the input's dimension of the sequence. Default: ``1``.
        use_local_output (bool): whether the output is the rank's piece, not a DTensor. Default: ``False``.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False):
        super().__init__()
        self.sequence_sharding = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _prepare_input(self, module, inputs, mesh):
        tensor = inputs[0]
        if isinstance(tensor, DTensor):
            return _redistribute_if_needed(tensor, self.sequence_sharding)
        if isinstance(tensor, torch.Tensor):
            return DTensor.from_local(tensor, mesh, self.sequence_sharding, run_check=False)
        raise ValueError(f"expecting input of {module} to be a torch.Tensor or DTensor, but got {tensor}")

    def _prepare_output(self, module, output, mesh):
        return output.to_local() if self.use_local_output else output

    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module:
        def replicate_parameters(name, part, mesh):
            for parameter, value in list(part._parameters.items()):
                if value is not None:
                    whole = DTensor.from_local(value, mesh, [Replicate()], run_check=False)
                    part.register_parameter(parameter, torch.nn.Parameter(whole, requires_grad=value.requires_grad))

        return distribute_module(module, device_mesh, replicate_parameters, self._prepare_input, self._prepare_output)

    def __repr__(self) -> str:
        (placement,) = self.sequence_sharding
        return f"SequenceParallel(sequence_dim={placement.dim}, use_local_output={self.use_local_output})"


def _as_layout_tuple(layouts):
    return (layouts,) if isinstance(layouts, Placement) else layouts


class PrepareModuleInput(ParallelStyle):
    """Makes a module's inputs distributed tensors with given placements.

    Args:
        input_layouts (Placement or tuple, optional): the placements of plain tensors among the positional inputs; None
            leaves an input alone.
        desired_input_layouts (Placement or tuple, optional): the placements that the module gets.
        input_kwarg_layouts (dict[str, Placement], optional): the same for inputs by name.
        desired_input_kwarg_layouts (dict[str, Placement], optional): the same for inputs by name.
        use_local_output (bool): whether the module gets the rank's pieces, not DTensors. Default: ``False``.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | tuple[Placement | None, ...] | None = None,
        desired_input_layouts: Placement | tuple[Placement | None, ...] | None = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ):
        layouts, wanted = _as_layout_tuple(input_layouts), _as_layout_tuple(desired_input_layouts)
        named, named_wanted = input_kwarg_layouts or {}, desired_input_kwarg_layouts or {}
        if layouts is not None:
            if wanted is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(layouts) != len(wanted):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        if input_kwarg_layouts is not None and len(named) != len(named_wanted):
            raise AssertionError("input_kwarg_layouts and desired_input_kwarg_layouts should have same length!")
        self.input_layouts, self.desired_input_layouts = layouts, wanted
        self.input_kwarg_layouts, self.desired_input_kwarg_layouts = named, named_wanted
        self.with_kwargs, self.use_local_output = input_kwarg_layouts is not None, use_local_output

    def _place_input(self, value, mesh, layout, wanted):
        if layout is None:
            return value
        if not isinstance(value, torch.Tensor):
            raise AssertionError("expecting input to be a torch.Tensor!")
        placed = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, (layout,), run_check=False)
        if wanted not in (None, layout):
            placed = placed.redistribute(placements=(wanted,))
        return placed.to_local() if self.use_local_output else placed

    def _prepare_inputs(self, inputs, mesh):
        if self.input_layouts is None:
            return inputs
        if not isinstance(inputs, tuple):
            inputs = (inputs,)
        if len(inputs) != len(self.input_layouts):
            raise ValueError("module inputs and input_layouts should have same length!")
        return tuple(
            self._place_input(value, mesh, layout, wanted)
            for value, layout, wanted in zip(inputs, self.input_layouts, self.desired_input_layouts)
        )

    def _prepare_inputs_and_kwargs(self, inputs, named, mesh):
        prepared = dict(named)
        for name, layout in self.input_kwarg_layouts.items():
            if name in prepared:
                wanted = self.desired_input_kwarg_layouts.get(name)
                prepared[name] = self._place_input(prepared[name], mesh, layout, wanted)
        return self._prepare_inputs(inputs, mesh), prepared

    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module:
        if self.with_kwargs:
            module.register_forward_pre_hook(
                lambda _, inputs, named: self._prepare_inputs_and_kwargs(inputs, named, device_mesh), with_kwargs=True
            )
        else:
            module.register_forward_pre_hook(lambda _, inputs: self._prepare_inputs(inputs, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleInput(input_layouts={self.input_layouts}, "
            f"desired_input_layouts={self.desired_input_layouts}, input_kwarg_layouts={self.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={self.desired_input_kwarg_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleOutput(ParallelStyle):
    """Makes a module's outputs distributed tensors with given placements.

    Args:
        output_layouts (Placement or tuple): the placements of plain tensors among the outputs; None leaves an output
            alone.
        desired_output_layouts (Placement or tuple): the placements that callers get.
        use_local_output (bool): whether callers get the rank's pieces, not DTensors. Default: ``True``.
    """

    def __init__(
        self,
        *,
        output_layouts: Placement | tuple[Placement | None, ...],
        desired_output_layouts: Placement | tuple[Placement, ...],
        use_local_output: bool = True,
    ):
        self.output_layouts = _as_layout_tuple(output_layouts)
        self.desired_output_layouts = _as_layout_tuple(desired_output_layouts)
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _prepare_outputs(self, outputs, mesh):
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        if len(values) != len(self.output_layouts):
            raise ValueError("module outputs and output_layouts should have same length!")
        prepared = []
        for value, layout, wanted in zip(values, self.output_layouts, self.desired_output_layouts):
            if layout is not None:
                if not isinstance(value, DTensor):
                    value = DTensor.from_local(value, mesh, (layout,), run_check=False)
                if layout != wanted:
                    value = value.redistribute(placements=(wanted,))
                if self.use_local_output:
                    value = value.to_local()
            prepared.append(value)
        return prepared[0] if len(prepared) == 1 else tuple(prepared)

    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module:
        module.register_forward_hook(lambda _, inputs, outputs: self._prepare_outputs(outputs, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleOutput(output_layouts={self.output_layouts}, "
            f"desired_output_layouts={self.desired_output_layouts}, use_local_output={self.use_local_output})"
        )


class PrepareModuleInputOutput(ParallelStyle):
    """Does what PrepareModuleInput and PrepareModuleOutput do.

    Args:
        input_layouts (Placement or tuple, optional): as in PrepareModuleInput.
        desired_input_layouts (Placement or tuple, optional): as in PrepareModuleInput.
        input_kwarg_layouts (dict[str, Placement], optional): as in PrepareModuleInput.
        desired_input_kwarg_layouts (dict[str, Placement], optional): as in PrepareModuleInput.
        use_local_input (bool): whether the module gets the rank's pieces, not DTensors. Default: ``False``.
        output_layouts (Placement or tuple): as in PrepareModuleOutput.
        desired_output_layouts (Placement or tuple): as in PrepareModuleOutput.
        use_local_output (bool): as in PrepareModuleOutput. Default: ``True``.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | tuple[Placement | None, ...] | None = None,
        desired_input_layouts: Placement | tuple[Placement | None, ...] | None = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_input: bool = False,
        output_layouts: Placement | tuple[Placement | None, ...],
        desired_output_layouts: Placement | tuple[Placement, ...],
        use_local_output: bool = True,
    ):
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: torch.nn.Module, device_mesh: DeviceMesh) -> torch.nn.Module:
        self.prepare_module_input._apply(module, device_mesh)
        return self.prepare_module_output._apply(module, device_mesh)

    def __repr__(self) -> str:
        first, last = self.prepare_module_input, self.prepare_module_output
        return (
            f"PrepareModuleInputOutput(input_layouts={first.input_layouts}, "
            f"desired_input_layouts={first.desired_input_layouts}, input_kwarg_layouts={first.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={first.desired_input_kwarg_layouts}, "
            f"use_local_input={first.use_local_output}, output_layouts={last.output_layouts}, "
            f"desired_output_layouts={last.desired_output_layouts}, use_local_output={last.use_local_output})"
        )
