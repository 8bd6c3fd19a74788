"""torch.jit._recursive: the store of modules' compiled types, which is empty without a TorchScript compiler."""


class ConcreteTypeStore:
    """The types to which modules were compiled."""

    def __init__(self):
        self.type_store = {}
        self.methods_compiled = set()


concrete_type_store = ConcreteTypeStore()
