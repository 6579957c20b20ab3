"""The public names: loaded when asked for, and never mistaken for the modules of the same name."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rankcast


def fresh(code: str) -> str:
    """Run code in a new process, where nothing of the package is loaded yet."""
    words = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=True).stdout.strip()


def test_the_import_loads_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'rankcast.evidence', 'typer'}"
    assert fresh(f"import rankcast, sys; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_the_command_line_loads_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'rankcast.evidence'}"
    assert fresh(f"import rankcast.cli, sys; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_types_see_the_same_names():
    tree = ast.parse(Path(rankcast.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert sorted(typed) == sorted(rankcast.__all__)
    assert typed == rankcast._HOME


@pytest.mark.parametrize("name", rankcast.__all__)
def test_every_name_is_what_its_module_defines(name):
    value = getattr(rankcast, name)
    assert value.__name__ == name
    assert name in dir(rankcast)


def test_modules_do_not_hide_functions():
    """Whatever is imported first, and however."""
    code = "import {0}; import rankcast; print(type(rankcast.forecast).__name__, type(rankcast.methods).__name__)"
    for module in ("rankcast.forecast", "rankcast.methods.base", "rankcast.cmc"):
        assert fresh(code.format(module)) == "function function"


def test_errors_are_at_hand():
    assert fresh("import rankcast; print(rankcast.errors.InputError.__name__)") == "InputError"


def test_unknown_names():
    with pytest.raises(AttributeError, match="module 'rankcast' has no attribute 'fortune'"):
        getattr(rankcast, "fortune")  # noqa: B009
    with pytest.raises(ImportError, match="fortune"):
        from rankcast import fortune  # noqa: F401
