"""`ChatModelGateway`: the Model Gateway as a chat model of LangChain."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LangSmithParams, LanguageModelInput
from langchain_core.language_models.chat_models import (
    BaseChatModel,
    agenerate_from_stream,
    generate_from_stream,
)
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils import secret_from_env
from langchain_core.utils.function_calling import convert_to_openai_tool
from model_gateway_client import CallOptions, Decision, GatewayError
from pydantic import BaseModel, Field, PrivateAttr, SecretStr
from typing_extensions import Self

from .clients import Clients, clients_of, raised
from .from_wire import BlockIndexes, chunk_of, last_chunk, message_of
from .loading import register
from .profile import profile_in
from .structured import structured
from .to_wire import to_wire, tool_choice_to_wire, tool_to_wire

#: Options of a call that say what is asked of the gateway, not of the model.
_OF_THE_GATEWAY = (
    "session",
    "end_user",
    "guardrails",
    "gateway_tags",
    "prefer",
    "strict_parameters",
    "no_fallback",
    "recovery",
    "headers",
)
#: Fields of the request, for all calls or for one.
_SAMPLING = ("temperature", "max_tokens", "top_p", "seed", "reasoning_effort")
#: Fields of a model that one call may have its own value of.
_PER_CALL = frozenset({*_OF_THE_GATEWAY, *_SAMPLING, "model", "stop", "timeout", "max_retries", "model_kwargs"})
#: Other packages' names for options of a call.
_ELSEWHERE = {"extra_body": "model_kwargs", "extra_headers": "headers", "idempotency_key": "headers"}


class ChatModelGateway(BaseChatModel):
    """Every answer, streamed or not, has the decision and the cost in `response_metadata["gateway"]`."""

    #: `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model.
    model: str = "auto"
    api_key: SecretStr | None = Field(default_factory=secret_from_env("GATEWAY_API_KEY", default=None))
    #: With or without `/v1`. Default: `GATEWAY_BASE_URL`.
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: list[str] | None = None
    reasoning_effort: str | None = None
    #: Seconds for an answer to begin, and between two pieces of it.
    timeout: float | None = None
    max_retries: int = 2
    #: Whether `invoke` streams inside.
    streaming: bool = False
    #: Calls of one session go to the same deployment while it can take them.
    session: str | None = None
    #: The id of the end user that calls are for: its limits and budgets hold too.
    end_user: str | None = None
    #: Guardrail policies, in addition to those of the key.
    guardrails: list[str] = Field(default_factory=list)
    #: Labels to count the spend under, at the gateway.
    gateway_tags: list[str] = Field(default_factory=list)
    #: Moves the cut points of `auto`.
    prefer: Literal["cost", "quality"] | None = None
    #: A parameter that the provider can't take is an error instead of being left out.
    strict_parameters: bool = False
    #: One deployment only.
    no_fallback: bool = False
    recovery: Literal["cut", "buffer"] | None = None
    #: Sent with every request; never written down.
    headers: dict[str, str] | None = Field(default=None, exclude=True, repr=False)
    #: Further fields of the request.
    model_kwargs: dict[str, Any] = Field(default_factory=dict)
    #: Called with the decision of every call, in the end.
    on_decision: Callable[[Decision], None] | None = Field(default=None, exclude=True, repr=False)

    _clients: Clients = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._clients = clients_of(
            api_key=self.api_key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.max_retries,
            headers=self.headers,
        )

    @classmethod
    def from_gateway(cls, **options: Any) -> Self:
        """The same as the class, with `profile` filled from what the gateway knows of the model."""
        model = cls(**options)
        cards = model._clients.sync.models.list().to_dict()["data"]
        profile: Any = {**profile_in(cards, model.model), **(model.profile or {})}
        model.profile = profile
        return model

    @property
    def _llm_type(self) -> str:
        return "model-gateway"

    @property
    def lc_secrets(self) -> dict[str, str]:
        return {"api_key": "GATEWAY_API_KEY"}

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model, **self._parameters()}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = LangSmithParams(
            ls_provider="model-gateway",
            ls_model_name=kwargs.get("model", self.model),
            ls_model_type="chat",
        )
        if (temperature := kwargs.get("temperature", self.temperature)) is not None:
            params["ls_temperature"] = temperature
        if most := kwargs.get("max_tokens", self.max_tokens):
            params["ls_max_tokens"] = most
        if ends := stop or self.stop:
            params["ls_stop"] = ends
        return params

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SAMPLING if getattr(self, name) is not None}

    def get_token_ids(self, text: str) -> list[int]:
        if self.custom_get_token_ids is not None:
            return self.custom_get_token_ids(text)
        raise NotImplementedError(
            "The tokenizer depends on the model that answers. Set `custom_get_token_ids`, or call `get_num_tokens`."
        )

    def get_num_tokens(self, text: str) -> int:
        """An estimate, four characters a token, unless `custom_get_token_ids` is set."""
        return -(-len(text) // 4) if self.custom_get_token_ids is None else super().get_num_tokens(text)

    def get_num_tokens_from_messages(self, messages: list[BaseMessage], tools: Sequence[Any] | None = None) -> int:
        """An estimate, unless `custom_get_token_ids` is set."""
        if self.custom_get_token_ids is not None:
            return super().get_num_tokens_from_messages(messages, tools)
        if not tools:
            return count_tokens_approximately(messages)
        written = json.dumps([convert_to_openai_tool(tool) for tool in tools])
        return count_tokens_approximately(messages) + self.get_num_tokens(written)

    def _request(self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments of the client's call."""
        for name in kwargs:
            if name in _ELSEWHERE:
                raise ValueError(f"ChatModelGateway has no option {name!r} of a call: use {_ELSEWHERE[name]!r}.")
            if name in type(self).model_fields and name not in _PER_CALL:
                raise ValueError(f"{name!r} is an option of ChatModelGateway({name}=...), not of a call.")
        own = {name: kwargs.pop(name, getattr(self, name)) for name in _OF_THE_GATEWAY}
        timeout, max_retries = kwargs.pop("timeout", None), kwargs.pop("max_retries", None)
        more, strict = kwargs.pop("model_kwargs", None) or {}, kwargs.pop("strict", None)
        # What the caller asks of a stream is in the method it calls.
        for name in ("stream", "stream_usage", "ls_structured_output_format"):
            kwargs.pop(name, None)
        if strict is not None and kwargs.get("tools"):
            kwargs["tools"] = [tool_to_wire(tool, strict) for tool in kwargs["tools"]]
        body: dict[str, Any] = {"model": self.model, **self._parameters(), **self.model_kwargs, **kwargs, **more}
        if stop or self.stop:
            body["stop"] = stop or self.stop
        options = CallOptions(
            session=own["session"],
            end_user=own["end_user"],
            guardrails=own["guardrails"],
            tags=own["gateway_tags"],
            prefer=own["prefer"],
            strict=own["strict_parameters"],
            no_fallback=own["no_fallback"],
            recovery=own["recovery"],
            headers=own["headers"] or {},
            timeout=timeout,
            max_retries=max_retries,
        )
        return {**body, "messages": to_wire(messages), "options": options}

    def _told(self, decision: Decision | None) -> None:
        if decision is not None and self.on_decision is not None:
            self.on_decision(decision)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.streaming:
            return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))
        try:
            answer = self._clients.sync.chat.create(**self._request(messages, stop, kwargs))
        except GatewayError as error:
            raise raised(error) from error
        self._told(answer.gateway)
        return _result(message_of(answer.to_dict(), answer.gateway))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.streaming:
            return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))
        try:
            answer = await self._clients.asynchronous.chat.create(**self._request(messages, stop, kwargs))
        except GatewayError as error:
            raise raised(error) from error
        self._told(answer.gateway)
        return _result(message_of(answer.to_dict(), answer.gateway))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        request = _streamed(self._request(messages, stop, kwargs))
        indexes = BlockIndexes() if self.output_version == "v1" else None
        try:
            with self._clients.sync.chat.stream(**request) as stream:
                yield _first(stream.gateway, as_blocks=indexes is not None)
                for event in stream:
                    chunk = chunk_of(event.to_dict(), indexes)
                    if chunk is not None:
                        generation = ChatGenerationChunk(message=chunk)
                        if run_manager is not None:
                            run_manager.on_llm_new_token(chunk.text, chunk=generation)
                        yield generation
                final = stream.final()
        except GatewayError as error:
            raise raised(error) from error
        self._told(final.gateway)
        yield ChatGenerationChunk(message=last_chunk(final.to_dict(), final.gateway, as_blocks=indexes is not None))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        request = _streamed(self._request(messages, stop, kwargs))
        indexes = BlockIndexes() if self.output_version == "v1" else None
        try:
            async with self._clients.asynchronous.chat.stream(**request) as stream:
                yield _first(stream.gateway, as_blocks=indexes is not None)
                async for event in stream:
                    chunk = chunk_of(event.to_dict(), indexes)
                    if chunk is not None:
                        generation = ChatGenerationChunk(message=chunk)
                        if run_manager is not None:
                            await run_manager.on_llm_new_token(chunk.text, chunk=generation)
                        yield generation
                final = await stream.final()
        except GatewayError as error:
            raise raised(error) from error
        self._told(final.gateway)
        yield ChatGenerationChunk(message=last_chunk(final.to_dict(), final.gateway, as_blocks=indexes is not None))

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | bool | dict[str, Any] | None = None,
        strict: bool | None = None,
        parallel_tool_calls: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """`tool_choice`: `auto`, `none`, `any` (or True), the name of a tool, or the wire's own object."""
        wire = [tool_to_wire(tool, strict) for tool in tools]
        choice = tool_choice_to_wire(tool_choice, [tool.get("function", {}).get("name", "") for tool in wire])
        if choice is not None:
            kwargs["tool_choice"] = choice
        if parallel_tool_calls is not None:
            kwargs["parallel_tool_calls"] = parallel_tool_calls
        return self.bind(tools=wire, **kwargs)

    def with_structured_output(
        self,
        schema: dict[str, Any] | type | None = None,
        *,
        method: Literal["function_calling", "json_schema", "json_mode"] | None = None,
        include_raw: bool = False,
        strict: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, dict[str, Any] | BaseModel]:
        """Default: `json_schema` where the profile says that the model has it, else `function_calling`."""
        if method is None:
            method = "json_schema" if (self.profile or {}).get("structured_output") else "function_calling"
        return structured(self, schema, method, include_raw=include_raw, strict=strict, options=kwargs)


def _streamed(request: dict[str, Any]) -> dict[str, Any]:
    """Token counts are in the last piece, for those who want none too."""
    asked = request.get("stream_options") or {}
    return {**request, "stream_options": {"include_usage": True, **asked}}


def _first(decision: Decision | None, *, as_blocks: bool) -> ChatGenerationChunk:
    """Who answers, and the most that it can cost: all that is known of a stream that is left."""
    told = {} if decision is None else {"deployment": decision.deployment, "at_most_usd": decision.cost_usd}
    content: str | list[str | dict[Any, Any]] = [] if as_blocks else ""
    return ChatGenerationChunk(message=AIMessageChunk(content=content, response_metadata={"gateway_begun": told}))


def _result(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


register(ChatModelGateway)
