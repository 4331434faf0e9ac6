"""The whole table: importing the modules that declare operations fills it."""

from importlib import import_module
from pkgutil import iter_modules

from stoa import operations
from stoa.operations.table import TABLE, Operation

for module in iter_modules(operations.__path__, f"{operations.__name__}."):
    import_module(module.name)


def all_operations() -> list[Operation]:
    """Every operation, in the order of the documentation."""
    return sorted(TABLE.values(), key=lambda operation: (operation.tag, operation.path))
