"""States of optimizers of wrapped modules: from this rank's pieces to the original parameters and back."""

from __future__ import annotations

from ... import Tensor, no_grad
from ..distributed_c10d import all_gather_object, get_rank
from ..tensor import DTensor

_WRAPPED = "_fsdp_wrapped_module."


def _list_flat_parameters(model):
    from .fully_sharded_data_parallel import FullyShardedDataParallel

    return [each._flat for each in FullyShardedDataParallel.fsdp_modules(model) if each._flat is not None]


def _map_module_ids_to_names(model):
    """Returns the name of each module, without those of the wrappers."""
    return {id(each): name.replace(_WRAPPED, "") for name, each in
            ((f"{name}." if name else "", each) for name, each in model.named_modules())}  # fmt: skip


class _Names:
    """The names of parameters: of originals for each parameter that the optimizer has."""

    def __init__(self, model):
        modules = _map_module_ids_to_names(model)
        self.flats = _list_flat_parameters(model)
        self.entry_names = {}
        self.of_parameter = {}  # parameter of the optimizer -> (flat, its entries)
        for flat in self.flats:
            for entry in flat.entries:
                owner, name = entry.owners[0]
                self.entry_names[id(entry)] = modules[id(owner)] + name
                if flat.use_orig_params:
                    self.of_parameter[entry.parameter] = (flat, [entry])
            if not flat.use_orig_params:
                self.of_parameter[flat.sharded] = (flat, flat.entries)
        self.plain = {
            parameter: name.replace(_WRAPPED, "")
            for name, parameter in model.named_parameters()
            if parameter not in self.of_parameter
        }

    def original_names_of(self, parameter) -> list[str]:
        """Returns the names of the originals in a parameter of the optimizer."""
        if parameter in self.plain:
            return [self.plain[parameter]]
        return [self.entry_names[id(entry)] for entry in self.of_parameter[parameter][1]]


def _key_state_by_parameter(optim, state_dict):
    """Returns pairs of each parameter of the optimizer and its state in a dictionary that has their numbers."""
    parameters = [parameter for group in optim.param_groups for parameter in group["params"]]
    numbers = [number for group in state_dict["param_groups"] for number in group["params"]]
    return {parameter: state_dict["state"].get(number, {}) for parameter, number in zip(parameters, numbers)}


def gather_state(model, optim, state_dict, config, sharded):
    """Returns the state of an optimizer under the names of the original parameters."""
    names = _Names(model)
    state_dict = optim.state_dict() if state_dict is None else state_dict
    local = _key_state_by_parameter(optim, state_dict)
    state = {}
    with no_grad():
        for parameter in local:
            if parameter in names.plain and local[parameter]:
                state[names.plain[parameter]] = dict(local[parameter])
        for flat in names.flats:
            for entry, values in _gather_states_of_flat_parameter(flat, local, sharded):
                state[names.entry_names[id(entry)]] = values
    order = [name for parameter in local for name in names.original_names_of(parameter)]
    if getattr(config, "rank0_only", False) and get_rank() != 0:
        return {}
    if config.offload_to_cpu:
        for values in state.values():
            for key, value in values.items():
                if isinstance(value, Tensor) and not isinstance(value, DTensor):
                    values[key] = value.cpu()
    groups = []
    for group, saved in zip(optim.param_groups, state_dict["param_groups"]):
        groups.append(
            {**saved, "params": [name for parameter in group["params"] for name in names.original_names_of(parameter)]}
        )
    return {"state": {name: state[name] for name in order if name in state}, "param_groups": groups}


def _gather_states_of_flat_parameter(flat_parameter, local, sharded):
    """Yields the original parameters of a flat one with their complete or sharded states."""
    if flat_parameter.use_orig_params:
        mine = [local.get(entry.parameter, {}) for entry in flat_parameter.entries]
        sizes = [
            flat_parameter.overlap_with_own_piece(entry)[1] - flat_parameter.overlap_with_own_piece(entry)[0]
            for entry in flat_parameter.entries
        ]
    else:
        mine, sizes = [local.get(flat_parameter.sharded, {})], [flat_parameter.chunk_numel]
    known = _exchange_state_kinds(flat_parameter, mine, sizes)
    results = [{} for _ in flat_parameter.entries]
    for key in dict.fromkeys(key for found in known for key in found):
        kinds = [found.get(key) for found in known]
        full = _gather_state_pieces(flat_parameter, key, kinds, mine, sizes)
        for index, entry in enumerate(flat_parameter.entries):
            kind = kinds[index if flat_parameter.use_orig_params else 0]
            if kind is None:
                continue
            if kind[0] == "value":
                results[index][key] = _clone_if_tensor(kind[1])
            elif sharded and flat_parameter.ranks.size > 1:
                results[index][key] = flat_parameter.distribute_rows(entry.view(full))
            else:
                results[index][key] = entry.view(full).clone()
    for entry, values in zip(flat_parameter.entries, results):
        if values:
            yield entry, values


def _exchange_state_kinds(flat, own_states, sizes):
    """Returns which states each parameter has on any rank; a rank has none for parameters of which it has no part."""
    described = [
        {key: ("pieces", value.dtype) if _is_piece(value, size) else ("value", value) for key, value in values.items()}
        for values, size in zip(own_states, sizes)
    ]
    everywhere = [described]
    if flat.ranks.size > 1:
        everywhere = [None] * flat.ranks.size
        all_gather_object(everywhere, described, group=flat.ranks.shard_group)
    known = [{} for _ in described]
    for rank in everywhere:
        for found, values in zip(known, rank):
            for key, (kind, value) in values.items():
                if kind == "pieces" or key not in found:
                    found[key] = (kind, value)
    return known


def _gather_state_pieces(flat, key, kinds, own_states, sizes):
    """Returns a state of all ranks' pieces as one flat tensor, or None if no rank has pieces of it."""
    dtype = next((kind[1] for kind in kinds if kind is not None and kind[0] == "pieces"), None)
    if dtype is None:
        return None
    piece = flat.piece.new_zeros(flat.chunk_numel, dtype=dtype)
    if flat.use_orig_params:
        for entry, values, size in zip(flat.entries, own_states, sizes):
            if size and _is_piece(values.get(key), size):
                flat.view_entry_in_piece(entry, piece).copy_(values[key])
    elif key in own_states[0]:
        piece = own_states[0][key]
    return flat.all_gather_pieces(piece)


def _is_piece(value, size):
    return isinstance(value, Tensor) and value.ndim > 0 and value.numel() == size


def shard_state(model, optim, state_dict):
    """Returns the state of an optimizer for this rank's pieces."""
    names, state, number = _Names(model), {}, 0
    groups = []
    with no_grad():
        saved_groups = {tuple(sorted(group["params"])): group for group in state_dict["param_groups"]}
        for index, group in enumerate(optim.param_groups):
            numbers = list(range(number, number + len(group["params"])))
            wanted = [name for parameter in group["params"] for name in names.original_names_of(parameter)]
            saved = saved_groups.get(tuple(sorted(wanted)), state_dict["param_groups"][index])
            groups.append({**saved, "params": numbers})
            for parameter in group["params"]:
                values = [state_dict["state"].get(name, {}) for name in names.original_names_of(parameter)]
                if any(values):
                    state[number] = _shard_state_of_parameter(names, parameter, values)
                number += 1
    return {"state": state, "param_groups": groups}


def _shard_state_of_parameter(names, parameter, values):
    if parameter in names.plain:
        return dict(values[0])
    flat, entries = names.of_parameter[parameter]
    made = {}
    for key in dict.fromkeys(key for found in values for key in found):
        parts = [_gather_if_dtensor(found.get(key)) for found in values]
        shaped = [isinstance(part, Tensor) and part.shape == entry.shape for part, entry in zip(parts, entries)]
        if not any(shaped):
            made[key] = _clone_if_tensor(next(part for part in parts if part is not None))
            continue
        if flat.use_orig_params:
            start, stop, source = flat.overlap_with_own_piece(entries[0])
            made[key] = parts[0].reshape(-1)[source : source + stop - start].clone().view(parameter.shape)
            continue
        first = parts[shaped.index(True)]
        whole = first.new_zeros(flat.numel)
        for part, entry, fits in zip(parts, entries, shaped):
            if fits:
                whole[entry.offset : entry.offset + entry.numel] = part.reshape(-1)
        made[key] = flat.take_own_piece(whole).clone()
    return made


def _clone_if_tensor(value):
    """Returns a copy of a value that several parameters have: optimizers count steps in place."""
    return value.clone() if isinstance(value, Tensor) else value


def _gather_if_dtensor(value):
    return value.full_tensor() if isinstance(value, DTensor) else value
