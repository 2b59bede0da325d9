"""LangChain's own suites, unit and integration."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_tests.integration_tests import ChatModelIntegrationTests, EmbeddingsIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests, EmbeddingsUnitTests
from syrupy.assertion import SnapshotAssertion

from langchain_model_gateway import ChatModelGateway, ModelGatewayEmbeddings


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

    @pytest.mark.xfail(strict=True, reason="LangChain loads the classes of its own packages only.")
    def test_serdes(self, model: BaseChatModel, snapshot: SnapshotAssertion) -> None:
        super().test_serdes(model, snapshot)


class TestChatIntegration(ChatModelIntegrationTests):
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
    def model_override_value(self) -> str:
        return "mini"


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
