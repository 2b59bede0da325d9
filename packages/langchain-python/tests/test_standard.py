"""LangChain's own suites, unit and integration."""

from __future__ import annotations

import base64
import io
import wave
from typing import Any

import httpx
import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_tests.integration_tests import ChatModelIntegrationTests, EmbeddingsIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests, EmbeddingsUnitTests

from langchain_model_gateway import ChatModelGateway, ModelGatewayEmbeddings


def _wav() -> bytes:
    with io.BytesIO() as file:
        with wave.open(file, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8_000)
            sound.writeframes(bytes(1_600))
        return file.getvalue()


_PDF = b"""%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 99 99]>> endobj
trailer <</Size 4 /Root 1 0 R>>
%%EOF"""
_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
#: By the end of the URL.
MEDIA = {".pdf": _PDF, ".wav": _wav(), ".png": _PNG}


class TestChatUnit(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatModelGateway

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "demo/standard", "base_url": "http://127.0.0.1:4100"}

    @property
    def init_from_env_params(self) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
        return {"GATEWAY_API_KEY": "mgw_test"}, {"model": "demo/standard"}, {"api_key": "mgw_test"}


class TestChatIntegration(ChatModelIntegrationTests):
    @pytest.fixture(autouse=True)
    def media(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The suite downloads its images, documents and sounds: here small ones stand for them."""

        def get(url: str, **_: Any) -> httpx.Response:
            kind = next(kind for kind in MEDIA if url.endswith(kind))
            return httpx.Response(200, content=MEDIA[kind], request=httpx.Request("GET", url))

        monkeypatch.setattr(httpx, "get", get)
        monkeypatch.setenv("LANGCHAIN_TESTS_USER_AGENT", "tests")

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatModelGateway

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "demo/standard"}

    @property
    def supports_json_mode(self) -> bool:
        return True

    @property
    def supports_image_inputs(self) -> bool:
        return True

    @property
    def supports_image_urls(self) -> bool:
        return True

    @property
    def supports_pdf_inputs(self) -> bool:
        return True

    @property
    def supports_audio_inputs(self) -> bool:
        return True

    @property
    def supports_image_tool_message(self) -> bool:
        return True

    @property
    def supports_pdf_tool_message(self) -> bool:
        return True

    @property
    def supports_anthropic_inputs(self) -> bool:
        return True

    @property
    def model_override_value(self) -> str:
        return "mini"


class TestChatStreaming(TestChatIntegration):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "demo/standard", "streaming": True}


class TestChatBlocks(TestChatIntegration):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "demo/standard", "output_version": "v1"}


class TestChatStreamingBlocks(TestChatIntegration):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "demo/standard", "output_version": "v1", "streaming": True}


class TestEmbeddingsUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return ModelGatewayEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"model": "demo/embed", "api_key": "mgw_test"}

    @property
    def init_from_env_params(self) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
        return {"GATEWAY_API_KEY": "mgw_test"}, {"model": "demo/embed"}, {"api_key": "mgw_test"}


class TestEmbeddingsIntegration(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return ModelGatewayEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"model": "demo/embed"}
