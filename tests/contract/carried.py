"""Converts values of real torch to ours: the same numbers in the same memory layout."""

import types


class Carrier:
    def __init__(self, torch, mt):
        self.torch, self.mt = torch, mt

    def __call__(self, value):
        """An object that occurs twice is converted once, so that the result shares it as well."""
        return self.copy_value(value, {})

    def copy_value(self, value, copies_by_id):
        torch, mt = self.torch, self.mt
        if isinstance(value, torch.Tensor):
            if id(value) not in copies_by_id:
                copies_by_id[id(value)] = self.copy_tensor(value)
            return copies_by_id[id(value)]
        if isinstance(value, torch.Size):
            return mt.Size(value)
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return getattr(mt, str(value).removeprefix("torch."))
        if isinstance(value, torch.device):
            return mt.device(str(value))
        if isinstance(value, (list, tuple)):
            items = [self.copy_value(item, copies_by_id) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, dict):
            return {key: self.copy_value(item, copies_by_id) for key, item in value.items()}
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
            raise LookupError(f"a function does not carry over: {value!r}")
        if type(value).__module__.split(".")[0] == "torch":
            raise LookupError(f"{type(value)} does not carry over")
        return value

    def copy_tensor(self, value):
        torch, mt = self.torch, self.mt
        if value.layout != torch.strided or type(value) is not torch.Tensor:
            raise LookupError(f"a {value.layout} {type(value).__name__} does not carry over")
        options = {"dtype": self(value.dtype), "device": str(value.device)}
        made = mt.empty_strided(tuple(value.shape), value.stride(), **options)
        if value.device.type == "cpu" and value.numel():
            plain = value.detach().resolve_conj().resolve_neg()
            span = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
            memory = torch.as_strided(plain, (span,), (1,), plain.storage_offset()).clone()
            made = mt.from_dlpack(memory).clone().as_strided(tuple(value.shape), value.stride()).detach()
        return made.requires_grad_() if value.requires_grad else made
