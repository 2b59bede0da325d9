"""The package as its users get it, and its README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from conftest import Servers

import model_gateway_client
from model_gateway_client import Gateway

PACKAGE = Path(__file__).resolve().parents[1]
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
#: What the samples after the first take for granted.
BEFORE = "from model_gateway_client import Gateway\ngateway = Gateway()\n"


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an empty environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ".", cwd=PACKAGE)
    [wheel] = folder.glob("model_gateway_client-*.whl")
    venv.create(folder / "empty", with_pip=True)
    python = folder / "empty" / "bin" / "python"
    install: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--retries", "1"]
    run(*install, "-c", PACKAGE / "requirements.txt", wheel, cwd=folder)
    return python


def test_the_wheel_has_types_and_its_version(installed: Path) -> None:
    program = (
        "import model_gateway_client as m, importlib.metadata as i, pathlib;"
        "assert (pathlib.Path(m.__file__).parent / 'py.typed').exists();"
        "print(m.__version__, i.version('model-gateway-client'))"
    )
    said = run(installed, "-c", program, cwd=installed.parent)
    assert said.split() == [model_gateway_client.__version__] * 2


@pytest.mark.parametrize("index", range(len(SAMPLES)))
def test_the_samples_of_the_readme_run(index: int, installed: Path, servers: Servers, tmp_path: Path) -> None:
    (tmp_path / "hum.wav").write_bytes((Path(servers.fixtures) / "hum.wav").read_bytes())
    sample = SAMPLES[index] if "Gateway()" in SAMPLES[index] else BEFORE + SAMPLES[index]
    sample = sample.replace("whisper-1", "demo/transcribe").replace("rerank-v4.0-pro", "demo/rerank")
    env = {
        **os.environ,
        "GATEWAY_BASE_URL": servers.url,
        "GATEWAY_API_KEY": servers.api_key,
        "GATEWAY_MASTER_KEY": servers.master_key,
    }
    assert run(installed, "-c", sample, cwd=tmp_path, env=env).strip()


def test_the_readme_names_every_part(gateway: Gateway) -> None:
    parts = [name for name in vars(gateway.admin.keys.__class__) if not name.startswith("_")]
    assert all(f"`{part}`" in README for part in parts)
