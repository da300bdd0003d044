"""The requests as methods, typed by methods.pyi."""

from .ops import Batch
from .ops import Requests as AsyncRequests
from .ops import Requests as LaterRequests
from .ops import Requests as SyncRequests

__all__ = ["AsyncRequests", "Batch", "LaterRequests", "SyncRequests"]
