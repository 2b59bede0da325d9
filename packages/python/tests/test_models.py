from __future__ import annotations

import copy
import pickle

import pytest

from model_gateway_client import Gateway
from model_gateway_client.wire import ChatCompletion, SpendReport

ANSWER = {
    "id": "a",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi", "novelty": [1]}}],
    "brand_new": {"kept": True},
}


def test_unknown_fields_are_kept_and_can_be_read() -> None:
    answer = ChatCompletion(ANSWER)
    assert answer["brand_new"] == {"kept": True}
    assert answer.choices[0].message["novelty"] == [1]
    assert answer.to_dict() == ANSWER


def test_what_did_not_come_is_none_and_what_does_not_exist_is_an_error() -> None:
    answer = ChatCompletion(ANSWER)
    assert answer.usage is None
    with pytest.raises(AttributeError, match="no field 'chioces'"):
        _ = answer.chioces  # type: ignore[attr-defined]


def test_answers_cant_be_changed() -> None:
    with pytest.raises(AttributeError):
        ChatCompletion(ANSWER).id = "b"


def test_a_field_whose_name_is_a_word_of_the_language() -> None:
    assert SpendReport({"from": "2026-01-01"}).from_ == "2026-01-01"


def test_answers_are_copied_and_pickled_with_their_decision(gateway: Gateway) -> None:
    answer = gateway.chat.create(model="demo/mini", messages=[{"role": "user", "content": "Hello"}])
    for again in (copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))):
        assert again == answer
        assert again.gateway == answer.gateway


def test_an_answer_of_another_shape_inside_is_given_as_it_came() -> None:
    came: object = ChatCompletion({"choices": "none"}).choices
    assert came == "none"


def test_a_message_can_be_sent_back(gateway: Gateway) -> None:
    first = gateway.chat.create(model="demo/mini", messages=[{"role": "user", "content": "Hello"}])
    message = first.choices[0].message
    again = gateway.chat.create(
        model="demo/mini",
        messages=[{"role": "user", "content": "Hello"}, message.to_dict(), {"role": "user", "content": "Go on"}],
    )
    assert again.choices[0].message.content
