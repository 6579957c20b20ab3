"""Memory budgets: '1GB' as bytes, and how it is shared out."""

import re

from .errors import InputError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
LEAST = 10**6


def parse_memory(memory: str | int) -> int:
    """Bytes of a budget such as ``"1GB"``, ``"500 MB"``, ``"2GiB"`` or a number of bytes.

    Examples
    --------
    >>> parse_memory("1.5GB"), parse_memory("1 MiB"), parse_memory(10**8)
    (1500000000, 1048576, 100000000)
    """
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*([\d_.]+)\s*([KMGT]?)(I?)B?\s*", memory.upper())
        try:
            number = float(found[1]) if found else float("nan")
        except ValueError:
            number = float("nan")
        if found is None or number != number:
            raise InputError(f"memory must be a size such as '1GB' or '500MB', found {memory!r}")
        unit = _UNITS[found[2]]
        size = int(number * (1024 ** (len(str(unit)) // 3) if found[3] else unit))
    else:
        size = int(memory)
    if size < LEAST:
        raise InputError(f"memory must be at least 1MB, found {memory!r}")
    return size
