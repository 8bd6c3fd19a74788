"""Options of torch.save and torch.load, set by assignment: config.load.mmap = True."""


class load:
    """Defaults of torch.load."""

    mmap: bool = False
    endianness = None
    mmap_flags: int | None = 2  # mmap.MAP_PRIVATE
    calculate_storage_offsets: bool = False


class save:
    """Defaults of torch.save; the alignment is in bytes."""

    compute_crc32: bool = True
    use_pinned_memory_for_d2h: bool = False
    storage_alignment: int = 64
