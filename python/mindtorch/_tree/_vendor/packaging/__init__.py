"""torch._vendor.packaging: versions of packages."""
