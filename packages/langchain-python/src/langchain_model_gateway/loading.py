"""Lets `langchain_core.load` load this package's classes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.load.serializable import Serializable


def register(kind: type[Serializable]) -> None:
    """Adds the class to those that LangChain loads.

    LangChain loads classes of the packages in a list of its own, and has no function to add one. Which classes a call
    of `load` may make is still the caller's choice, `allowed_objects`.
    """
    path = tuple(kind.lc_id())
    load = import_module("langchain_core.load.load")
    # Not part of LangChain's API: where a later version has no such lists, `valid_namespaces` of `load` does the same.
    namespaces = getattr(load, "DEFAULT_NAMESPACES", None)
    if isinstance(namespaces, list) and path[0] not in namespaces:
        namespaces.append(path[0])
    mappings = getattr(load, "ALL_SERIALIZABLE_MAPPINGS", None)
    if isinstance(mappings, dict):
        mappings.setdefault(path, path)
