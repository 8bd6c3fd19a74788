"""What bindings/generate.py is made of: a reader of operator definitions and one writer per output."""
