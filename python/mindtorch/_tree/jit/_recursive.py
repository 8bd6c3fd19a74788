"""torch.jit._recursive: the store of modules' compiled types, which stays empty: there is no TorchScript compiler."""


class ConcreteTypeStore:
    """The types that modules were compiled to."""

    def __init__(self):
        self.type_store = {}
        self.methods_compiled = set()


concrete_type_store = ConcreteTypeStore()
