"""torch._vendor: what torch carries of other projects; here a module of our own with the same interface."""
