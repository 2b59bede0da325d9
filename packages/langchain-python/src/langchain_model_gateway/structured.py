"""Answers by a schema."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser
from langchain_core.output_parsers.openai_tools import JsonOutputKeyToolsParser, PydanticToolsParser
from langchain_core.runnables import Runnable, RunnableMap, RunnablePassthrough
from langchain_core.utils.function_calling import convert_to_json_schema, convert_to_openai_tool
from langchain_core.utils.pydantic import is_basemodel_subclass

if TYPE_CHECKING:
    from langchain_core.language_models import LanguageModelInput
    from langchain_core.language_models.chat_models import BaseChatModel
    from pydantic import BaseModel


def structured(
    model: BaseChatModel,
    schema: Any,
    method: str,
    *,
    include_raw: bool,
    strict: bool | None,
    options: dict[str, Any],
) -> Runnable[LanguageModelInput, dict[str, Any] | BaseModel]:
    """`method`: `function_calling`, `json_schema` or `json_mode`; `options` are bound to the model."""
    if schema is None and method != "json_mode":
        raise ValueError(f"`{method}` needs a schema.")
    kept = {"kwargs": {"method": method}, "schema": schema}
    of_class = schema if isinstance(schema, type) and is_basemodel_subclass(schema) else None
    llm: Runnable[LanguageModelInput, Any]
    parser: Any
    if method == "function_calling":
        llm = model.bind_tools([schema], tool_choice="any", strict=strict, ls_structured_output_format=kept, **options)
        name = convert_to_openai_tool(schema)["function"]["name"]
        parser = JsonOutputKeyToolsParser(key_name=name, first_tool_only=True)
        if of_class is not None:
            parser = PydanticToolsParser(tools=[of_class], first_tool_only=True)
    else:
        wanted = {"type": "json_object"} if method == "json_mode" else _json_schema(schema, strict)
        llm = model.bind(response_format=wanted, ls_structured_output_format=kept, **options)
        parser = JsonOutputParser() if of_class is None else PydanticOutputParser(pydantic_object=of_class)
    if not include_raw:
        parsed: Runnable[LanguageModelInput, dict[str, Any] | BaseModel] = llm | parser
        return parsed
    assigned = RunnablePassthrough.assign(parsed=itemgetter("raw") | parser, parsing_error=lambda _: None)
    nothing = RunnablePassthrough.assign(parsed=lambda _: None)
    return RunnableMap(raw=llm) | assigned.with_fallbacks([nothing], exception_key="parsing_error")


def _json_schema(schema: Any, strict: bool | None) -> dict[str, Any]:
    written = convert_to_json_schema(schema, strict=strict)
    named = {"name": written.get("title", "answer"), "schema": written}
    return {"type": "json_schema", "json_schema": {**named, **({} if strict is None else {"strict": strict})}}
