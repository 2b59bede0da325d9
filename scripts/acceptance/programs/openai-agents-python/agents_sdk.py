"""Agents on Responses, the default, and on chat completions. Traces would go to the vendor: they are switched off."""

import asyncio
from typing import Any

from agents import Agent, OpenAIProvider, RunConfig, Runner, function_tool, set_tracing_disabled

from checks import KEY, URL, check

set_tracing_disabled(True)

# One for all runs: the client keeps its connections.
LOOP = asyncio.new_event_loop()

MODEL = "demo/standard"
QUESTION = "What is the weather in Paris?"


def config(use_responses: bool) -> RunConfig:
    return RunConfig(
        model_provider=OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY, use_responses=use_responses),
        tracing_disabled=True,
    )


def weather_agent() -> tuple[Agent[Any], list[str]]:
    cities: list[str] = []

    @function_tool
    def get_weather(city: str) -> str:
        """The weather in a city"""
        cities.append(city)
        return "19 degrees and sunny"

    return Agent(name="Weather", instructions="Be short.", model=MODEL, tools=[get_weather]), cities


def try_api(api: str, use_responses: bool) -> None:
    @check(f"{api}: a tool loop")
    def _() -> None:
        agent, cities = weather_agent()
        result = LOOP.run_until_complete(Runner.run(agent, QUESTION, run_config=config(use_responses)))
        assert len(cities) == 1 and "19 degrees and sunny" in result.final_output
        assert all(response.usage.output_tokens > 0 for response in result.raw_responses)

    @check(f"{api}: a tool loop, streamed")
    def _() -> None:
        async def run() -> Any:
            result = Runner.run_streamed(agent, QUESTION, run_config=config(use_responses))
            async for _event in result.stream_events():
                pass
            return result

        agent, cities = weather_agent()
        result = LOOP.run_until_complete(run())
        assert len(cities) == 1 and "19 degrees and sunny" in result.final_output

    @check(f"{api}: an output in a class")
    def _() -> None:
        from pydantic import BaseModel

        class Verdict(BaseModel):
            mood: str

        agent = Agent(name="Judge", model=MODEL, output_type=Verdict)
        result = LOOP.run_until_complete(Runner.run(agent, "Say hello", run_config=config(use_responses)))
        assert isinstance(result.final_output, Verdict)


try_api("Responses", True)
try_api("chat", False)


@check("Responses: turns that the gateway keeps, by previous_response_id")
def _() -> None:
    agent, cities = weather_agent()
    first = LOOP.run_until_complete(Runner.run(agent, QUESTION, run_config=config(True)))
    second = LOOP.run_until_complete(
        Runner.run(agent, "Say hello", previous_response_id=first.last_response_id, run_config=config(True))
    )
    assert second.final_output != "" and len(cities) == 1
