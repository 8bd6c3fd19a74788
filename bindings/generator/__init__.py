"""The modules of bindings/generate.py: a reader of the registry and one writer per output."""
