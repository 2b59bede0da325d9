"""`run.py FOLDER PART…`: the checks of these parts, which are files in the folder."""

import importlib
import sys

import checks

folder, *parts = sys.argv[1:]
sys.path.append(folder)
for part in parts:
    importlib.import_module(part)
checks.run_checks()
