"""Embeddings, legacy completions, moderations."""

from _client import connect
from checks import check


@check("embeddings, base64 and float alike")
def _() -> None:
    client = connect()
    packed = client.embeddings.create(model="demo/embed", input=["a raven", "a writing desk"])
    floats = client.embeddings.create(
        model="demo/embed", input=["a raven", "a writing desk"], encoding_format="float", dimensions=256
    )
    assert len(packed.data) == 2 and packed.usage.prompt_tokens > 0
    for one, other in zip(packed.data, floats.data):
        assert all(abs(a - b) < 1e-6 for a, b in zip(one.embedding, other.embedding, strict=True))


@check("embeddings of tokens, of a length")
def _() -> None:
    answer = connect().embeddings.create(model="demo/embed", input=[[1, 2], [3]], dimensions=64)
    assert [len(one.embedding) for one in answer.data] == [64, 64]


@check("completions, whole and streamed")
def _() -> None:
    client = connect()
    whole = client.completions.create(model="demo/mini", prompt="Say hello")
    stream = client.completions.create(model="demo/mini", prompt="Say hello", stream=True)
    text = "".join(chunk.choices[0].text for chunk in stream if chunk.choices)
    assert whole.choices[0].text != "" and text != ""


@check("moderations, with a model and without")
def _() -> None:
    client = connect()
    answer = client.moderations.create(model="demo/moderation", input=["Hello", "I will kill you"])
    assert [one.flagged for one in answer.results] == [False, True]
    assert answer.results[1].categories.violence
    assert len(client.moderations.create(input="Hello").results) == 1
