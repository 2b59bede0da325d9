"""The package as its users get it, and its README."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import langchain_model_gateway

PACKAGE = Path(__file__).resolve().parents[1]
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
BEFORE = "from langchain_model_gateway import ChatModelGateway\n"


@pytest.mark.parametrize("index", range(len(SAMPLES)))
def test_the_samples_of_the_readme_run(index: int, servers: dict[str, Any], tmp_path: Path) -> None:
    # There is one model of each kind here.
    sample = BEFORE + SAMPLES[index].replace("text-embedding-3-small", "demo/embed")
    sample = sample.replace("rerank-v4.0-pro", "demo/rerank")
    done = subprocess.run([sys.executable, "-c", sample], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_wheel_has_types_and_its_version(tmp_path: Path) -> None:
    build = ["-m", "pip", "--disable-pip-version-check", "-q", "wheel", "--no-deps", "--no-build-isolation", "-w"]
    done = subprocess.run(
        [sys.executable, *build, tmp_path, "."], cwd=PACKAGE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob(f"langchain_model_gateway-{langchain_model_gateway.__version__}-*.whl")
    assert "langchain_model_gateway/py.typed" in zipfile.ZipFile(wheel).namelist()
    assert int(version("langchain-core").split(".")[0]) == 1
