"""What bindings/generate.py is made of: a reader of the registry and one writer per output."""
