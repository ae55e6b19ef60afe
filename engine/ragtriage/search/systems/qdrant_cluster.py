"""A Qdrant collection behind a list of URLs. The one file that calls the client's library.

Every call goes to one node and on to the next where that one refuses, is too slow or in trouble. What stops all of them (a key
that is refused, a collection of another shape) is raised at once.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ragtriage.errors import ConfigError, MissingExtra, SystemFailed
from ragtriage.programs.words import clipped, json_of, message_of
from ragtriage.remote.keys import Key
from ragtriage.remote.wording import Address, address_of
from ragtriage.search.systems.failover import Failover, NodeFailed
from ragtriage.search.systems.qdrant_points import Point
from ragtriage.types import Groups

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

__all__ = ["CREATED_S", "INSTALL", "Cluster", "Found", "Shape", "Stored", "Wanted"]

INSTALL = "python -m pip install 'ragtriage[qdrant]'"

BM25 = "qdrant/bm25"
_SPARSE = "bm25"
_DENSE = "dense"
_SHOWN = ["chunk_id"]
_TRANSIENT = (408, 429, 500, 502, 503, 504)
CREATED_S = 60
"""How long a cluster may take to make a collection: all nodes have to agree."""
Result = TypeVar("Result")


class Shape(NamedTuple):
    """What a collection is: `dimension` that of its dense vectors, 0 where it has none of that name or none for BM25."""

    shards: int
    replicas: int
    dimension: int


class Wanted(NamedTuple):
    """One search. `words` None: no BM25; `vector` None: no vectors. `depth` is of each, `limit` of the fused list."""

    generation: str
    groups: Groups
    words: str | None
    options: dict[str, Any]
    vector: np.ndarray | None
    rrf_k: int
    depth: int
    limit: int


class Found(NamedTuple):
    """A unit that was found, by the id of its chunk."""

    chunk_id: str
    score: float


class Stored(NamedTuple):
    """A point as it was read back: `vector` float32[d], empty where it has none."""

    payload: dict[str, Any]
    vector: np.ndarray


class _Node(NamedTuple):
    name: str
    client: QdrantClient


class _Absent(SystemFailed):
    """No node knows the collection."""


class Cluster:
    """One collection. Safe to use from several threads. Connects when it is first asked.

    Everything raises SystemFailed where no node answers, ConfigError where the key is refused.
    """

    def __init__(
        self,
        urls: Sequence[str],
        collection: str,
        *,
        key: Callable[[], Key],
        timeout_s: float,
        rounds: int,
        connections: int,
        permit: Callable[[], None],
    ) -> None:
        """`timeout_s` is for one call, whatever number of nodes it takes; `rounds` is how often all are tried.

        `permit` raises unless the user has agreed; it is called before anything is sent, and so is `key`. Raises ConfigError
        for an address; the first call MissingExtra without the library.
        """
        self.collection = collection
        self._addresses = [address_of(url) for url in urls]
        self._read_key = key
        self._key = Key("")
        self._permit = permit
        self._timeout_s = timeout_s
        self._rounds = rounds
        self._connections = connections
        self._open_nodes: Failover[_Node] | None = None
        self._lock = threading.Lock()

    def shape(self) -> Shape | None:
        """What the collection is, None where there is none."""
        try:
            info = self._call(lambda client: client.get_collection(self.collection))
        except _Absent:
            return None
        params = info.config.params
        dense = params.vectors.get(_DENSE) if isinstance(params.vectors, dict) else None
        ours = dense is not None and _SPARSE in (params.sparse_vectors or {})
        return Shape(params.shard_number or 1, params.replication_factor or 1, dense.size if ours and dense else 0)

    def create(self, shape: Shape) -> None:
        """Make the collection; it may have been made meanwhile."""
        from qdrant_client import models

        def make(client: QdrantClient) -> None:
            if client.collection_exists(self.collection):
                return
            client.create_collection(
                self.collection,
                vectors_config={_DENSE: models.VectorParams(size=shape.dimension, distance=models.Distance.COSINE)},
                sparse_vectors_config={_SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                shard_number=shape.shards,
                replication_factor=shape.replicas,
                timeout=CREATED_S,
            )

        self._call(make)

    def index(self) -> None:
        """Have the server index what every search filters by."""
        from qdrant_client import models

        def make(client: QdrantClient) -> None:
            for name in ("generation", "groups"):
                client.create_payload_index(self.collection, name, models.PayloadSchemaType.KEYWORD, wait=True)

        self._call(make)

    def count(self, generation: str | None = None) -> int:
        """How many points there are, or those of one generation. Counted, not estimated."""
        chosen = None if generation is None else self._of(generation)
        return self._call(lambda client: client.count(self.collection, chosen, exact=True)).count

    def count_foreign(self) -> int:
        """How many points no upload of ragtriage has written."""
        from qdrant_client import models

        foreign = models.Filter(must=[models.IsEmptyCondition(is_empty=models.PayloadField(key="generation"))])
        return self._call(lambda client: client.count(self.collection, foreign, exact=True)).count

    def search(self, wanted: Wanted) -> list[Found]:
        """One request: BM25, vectors, fusion and filter on the server. Equal scores come in the server's order."""
        from qdrant_client import models

        seen = self._seen(wanted.generation, wanted.groups)
        queries: list[tuple[str, Any]] = []
        if wanted.words is not None:
            queries.append((_SPARSE, models.Document(text=wanted.words, model=BM25, options=wanted.options)))
        if wanted.vector is not None:
            queries.append((_DENSE, wanted.vector.astype(float).tolist()))

        def ask(client: QdrantClient) -> models.QueryResponse:
            if len(queries) == 1:
                (using, query), *_ = queries
                return client.query_points(
                    self.collection, query, using=using, query_filter=seen, limit=wanted.limit, with_payload=_SHOWN
                )
            return client.query_points(
                self.collection,
                models.RrfQuery(rrf=models.Rrf(k=wanted.rrf_k + 1)),  # ranks begin at 0 there, in the formula at 1
                # in each list and at the root: what may not be seen takes no place in any of them
                prefetch=[
                    models.Prefetch(query=query, using=using, filter=seen, limit=wanted.depth) for using, query in queries
                ],
                query_filter=seen,
                limit=wanted.limit,
                with_payload=_SHOWN,
            )

        found = self._call(ask)
        return [_found(point) for point in found.points]

    def put(self, points: Sequence[Point], options: dict[str, Any]) -> None:
        """Write points; those that are there are replaced. Back when they are stored."""
        from qdrant_client import models

        rows = [
            models.PointStruct(
                id=point.id,
                vector={
                    _DENSE: point.vector.astype(float).tolist(),
                    _SPARSE: models.Document(text=point.text, model=BM25, options=options),
                },
                payload=point.payload,
            )
            for point in points
        ]
        self._call(lambda client: client.upsert(self.collection, rows, wait=True))

    def shas(self, ids: Sequence[str]) -> dict[str, str]:
        """Of those points that are there the hash of what they hold, by id."""
        rows = self._call(lambda client: client.retrieve(self.collection, list(ids), with_payload=["sha"]))
        return {str(row.id): str((row.payload or {}).get("sha", "")) for row in rows}

    def read(self, ids: Sequence[str]) -> dict[str, Stored]:
        """Those points that are there, by id."""
        rows = self._call(lambda client: client.retrieve(self.collection, list(ids), with_payload=True, with_vectors=[_DENSE]))
        out = {}
        for row in rows:
            vector = row.vector.get(_DENSE, []) if isinstance(row.vector, dict) else []
            out[str(row.id)] = Stored(row.payload or {}, np.asarray(vector, dtype=np.float32))
        return out

    def keep_only(self, generation: str) -> None:
        """Remove the points of other generations. What no upload has written stays."""
        from qdrant_client import models

        old = models.Filter(
            must_not=[
                models.FieldCondition(key="generation", match=models.MatchValue(value=generation)),
                models.IsEmptyCondition(is_empty=models.PayloadField(key="generation")),
            ]
        )
        self._call(lambda client: client.delete(self.collection, models.FilterSelector(filter=old), wait=True))

    def close(self) -> None:
        """Close the connections. It may be asked again."""
        with self._lock:
            nodes, self._open_nodes = self._open_nodes, None
        for node in nodes.nodes if nodes else ():
            node.client.close()

    def _nodes(self) -> Failover[_Node]:
        with self._lock:
            if self._open_nodes is None:
                self._permit()
                self._key = self._read_key()
                nodes = [self._open(address) for address in self._addresses]
                self._open_nodes = Failover(nodes, rounds=self._rounds, limit_s=self._timeout_s)
            return self._open_nodes

    def _open(self, address: Address) -> _Node:
        try:
            from qdrant_client import QdrantClient
        except ImportError as error:
            raise MissingExtra(f"the system qdrant needs qdrant-client ({error}); {INSTALL}") from None
        from ragtriage.search.systems.qdrant_transport import bounded_transport

        each_s = max(1.0, self._timeout_s / len(self._addresses))
        client = QdrantClient(
            url=address.url,
            timeout=math.ceil(each_s),
            cloud_inference=True,  # BM25 is the server's; else the library would look for a model on this machine
            check_compatibility=False,
            headers={"api-key": self._key.reveal()} if self._key.reveal() else {},
            trust_env=False,
            transport=bounded_transport(
                address.url, timeout_s=each_s, loopback=address.loopback, connections=self._connections
            ),
        )
        return _Node(address.host, client)

    def _call(self, act: Callable[[QdrantClient], Result]) -> Result:
        """`act` on a node that answers. Raises _Absent where all of them say that there is no such collection."""
        missing: set[str] = set()

        def on(node: _Node) -> Result:
            try:
                return act(node.client)
            except Exception as error:  # the library lets through whatever a strange reply does to it
                raise self._told(node.name, error, missing) from None

        nodes = self._nodes()
        try:
            return nodes.call(on)
        except SystemFailed as error:
            kind = _Absent if missing == {node.name for node in nodes.nodes} else SystemFailed
            raise kind(f"Qdrant: {error}") from None

    def _told(self, name: str, error: Exception, missing: set[str]) -> Exception:
        """What a node's failure means: another may do it, or none will."""
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        if isinstance(error, UnexpectedResponse):
            status = error.status_code or 0
            words = clipped(self._key.hide(_words(error.content)))
            if status in (401, 403):
                return ConfigError(f"{name}: the key was refused ({status}); retrieval.api_key_env names its variable")
            if status == 404:  # a node that has only just come back may not know it yet
                missing.add(name)
            if status in _TRANSIENT or status == 404:
                return NodeFailed(f"{name}: {status}: {words}", certain=status == 404)
            return SystemFailed(f"Qdrant at {name} refused: {status}: {words}")
        if isinstance(error, ResponseHandlingException):
            inner = error.source
            return NodeFailed(f"{name}: {clipped(self._key.hide(str(inner))) or type(inner).__name__}")
        if isinstance(error, QdrantException):
            return NodeFailed(f"{name}: {clipped(self._key.hide(str(error)))}")
        return NodeFailed(f"{name}: its answer is none of Qdrant's ({type(error).__name__})")

    def _of(self, generation: str) -> models.Filter:
        from qdrant_client import models

        return models.Filter(must=[models.FieldCondition(key="generation", match=models.MatchValue(value=generation))])

    def _seen(self, generation: str, groups: Groups) -> models.Filter:
        """What a question of `groups` may see of a generation."""
        from qdrant_client import models

        from ragtriage.search.access import seen_tags, sees_everything

        must: list[Any] = [models.FieldCondition(key="generation", match=models.MatchValue(value=generation))]
        if not sees_everything(groups):
            must.append(models.FieldCondition(key="groups", match=models.MatchAny(any=seen_tags(groups))))
        return models.Filter(must=must)


def _found(point: models.ScoredPoint) -> Found:
    chunk_id = (point.payload or {}).get("chunk_id")
    if not isinstance(chunk_id, str) or not math.isfinite(point.score):
        raise SystemFailed("Qdrant returned a point without the id of a chunk, or with a score that is no number")
    return Found(chunk_id, float(point.score))


def _words(content: bytes) -> str:
    """What Qdrant says: {"status": {"error": …}}."""
    body = json_of(content)
    status = body.get("status") if isinstance(body, dict) else None
    return message_of(status) or message_of(body) or content[:400].decode("utf-8", "replace")
