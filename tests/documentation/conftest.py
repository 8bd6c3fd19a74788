"""The package is `torch` in this suite, because examples show what users write."""

import public_names

public_names.import_mindtorch_as_torch()
