"""What a run costs, and no more."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import ChatGeneration

if TYPE_CHECKING:
    from uuid import UUID

    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

_NANO = 1_000_000_000


class SpendLimitError(Exception):
    """The handler's budget is used up: the call was not sent."""

    def __init__(self, spent_usd: float, budget_usd: float) -> None:
        super().__init__(f"The run's budget of {budget_usd:g} USD is used up: {spent_usd:.9f} USD are spent.")
        self.spent_usd = spent_usd
        self.budget_usd = budget_usd


class GatewaySpendCallbackHandler(BaseCallbackHandler):
    """Sums the cost of all calls it sees; with `budget_usd` it refuses the next one once that is used up.

    A call is counted when it has ended, so that the one that passes the budget, and those that run beside it, come to
    their end. For a limit that holds under any load give the key a budget: the gateway reserves before it sends.
    """

    # A handler that raises ends the run only if it says so; and it must be asked before the call is sent.
    raise_error = True
    run_inline = True

    def __init__(self, budget_usd: float | None = None) -> None:
        if budget_usd is not None and not budget_usd >= 0:
            raise ValueError("`budget_usd` must be a number of USD from 0 on.")
        self.budget_usd = budget_usd
        self.calls = 0
        self.failed_calls = 0
        #: Answers from LangChain's cache: they cost nothing.
        self.cached_calls = 0
        #: Answers of deployments whose price nobody knows.
        self.unpriced_calls = 0
        self.calls_by_deployment: Counter[str] = Counter()
        # Whole nano-dollars: sums of them are exact.
        self._spent = 0
        self._unsettled = 0
        self._by_deployment: Counter[str] = Counter()
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    @property
    def total_usd(self) -> float:
        """Of answers that came to their end: the gateway's ledger says the same."""
        return self._spent / _NANO

    @property
    def unsettled_usd(self) -> float:
        """The most that streams can have cost that were left, or broke off."""
        return self._unsettled / _NANO

    @property
    def usd_by_deployment(self) -> dict[str, float]:
        return {deployment: nano / _NANO for deployment, nano in self._by_deployment.items()}

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **kwargs: Any) -> None:
        with self._lock:
            spent = (self._spent + self._unsettled) / _NANO
        if self.budget_usd is not None and spent >= self.budget_usd:
            raise SpendLimitError(spent, self.budget_usd)

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        with self._lock:
            for generations in response.generations:
                for generation in generations[:1]:
                    if isinstance(generation, ChatGeneration):
                        self._count(generation.message)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        decision = getattr(error, "gateway", None)
        response = kwargs.get("response")
        at_most = getattr(decision, "cost_usd", None)
        if at_most is None and response is not None and response.generations and response.generations[0]:
            message = getattr(response.generations[0][0], "message", None)
            at_most = (getattr(message, "response_metadata", {}).get("gateway_begun") or {}).get("at_most_usd")
        with self._lock:
            self.failed_calls += 1
            self._unsettled += round((at_most or 0) * _NANO)

    def _count(self, message: BaseMessage) -> None:
        decision = message.response_metadata.get("gateway")
        if not isinstance(decision, dict):
            return
        usage = getattr(message, "usage_metadata", None) or {}
        request_id = str(decision["request_id"])
        if usage.get("total_cost") == 0 or request_id in self._seen:
            self.cached_calls += 1
            return
        self._seen.add(request_id)
        self.calls += 1
        self.calls_by_deployment[decision["deployment"]] += 1
        if decision["cost_usd"] is None:
            self.unpriced_calls += 1
            return
        nano = round(decision["cost_usd"] * _NANO)
        self._spent += nano
        self._by_deployment[decision["deployment"]] += nano
