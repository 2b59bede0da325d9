"""The Model Gateway in LangChain: every answer says who gave it, and what it cost."""

from .chat_models import ChatModelGateway
from .clients import GatewayContextOverflowError
from .embeddings import ModelGatewayEmbeddings
from .rerank import ModelGatewayRerank
from .spend import GatewaySpendCallbackHandler, SpendLimitError
from .version import VERSION as __version__

__all__ = [
    "ChatModelGateway",
    "GatewayContextOverflowError",
    "GatewaySpendCallbackHandler",
    "ModelGatewayEmbeddings",
    "ModelGatewayRerank",
    "SpendLimitError",
    "__version__",
]
