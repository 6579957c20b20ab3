"""What pytest leaves alone: examples in modules of extras that are not installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/rankcast/torch_kernel.py"]
