"""The user's own retriever as the system under test: asked a few questions at once, its hits matched with our corpus.

What only the embedded engine can tell comes from there and is a probe: BM25 here has it at 3, your system missed it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from ragtriage.chunking.passages import Passages
from ragtriage.search.systems.base import Asked, foreign_ranking
from ragtriage.search.systems.foreign import Asker, ForeignHit, Prepares, Timed
from ragtriage.search.systems.foreign_tally import Tally
from ragtriage.search.systems.matching import Matcher
from ragtriage.types import Failure, FoundAt, Progress, Ranking, no_progress

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.search.pipeline import Query, Retriever
    from ragtriage.search.systems.embedded import EmbeddedSystem

__all__ = ["ForeignSystem"]

_TICK_S = 0.2  # how often a waiting caller may cancel


class _Reply:
    """What came for one question, and how long the system took for it; None where it was not asked."""

    def __init__(self, said: Sequence[ForeignHit] | Failure, seconds: float | None) -> None:
        self.said = said
        self.seconds = seconds


class ForeignSystem:
    """A `System` behind an `Asker`. `embedded` is our own engine over the same documents, which is asked beside it."""

    def __init__(
        self, asker: Callable[[], Asker], embedded: Callable[[], EmbeddedSystem], chunks: Callable[[], Chunks], *, name: str,
        k: int, concurrency: int,
    ) -> None:  # fmt: skip
        """`k` is how many passages are asked for. What is given as a function is made when it is first needed."""
        self._open = asker
        self._embedded = embedded
        self._chunks = chunks
        self._name = name
        self._k = k
        self._concurrency = concurrency
        self._lock = threading.Lock()
        self._matcher: Matcher | None = None

    @property
    def asker(self) -> Asker:
        """What asks it. Raises ConfigError."""
        return self._open()

    @property
    def spec(self) -> str:
        return self.asker.spec

    @property
    def retriever(self) -> Retriever:
        """The embedded engine's: its statistics, its vectors."""
        return self._embedded().retriever

    @property
    def encoded(self) -> int:
        """Texts sent through our embedding model so far."""
        return self._embedded().encoded

    @property
    def window(self) -> int:
        """0: how much of a passage its encoder reads is not known."""
        return 0

    def missing(self) -> int:
        """How many texts would have to be embedded for the probes."""
        return self._embedded().missing()

    def prepare(self, progress: Progress = no_progress) -> None:
        """Build or open the embedded engine's indexes."""
        self._embedded().prepare(progress)

    def search(
        self, queries: Sequence[Query], *, progress: Progress = no_progress, wait: bool = True
    ) -> list[Ranking | Failure]:
        """See System. With `wait` False the system is not asked: what comes is the embedded engine's, at once."""
        if not wait:
            return self._embedded().search(queries, progress=progress, wait=False)
        return self.ask(queries, progress=progress).rankings

    def ask(self, queries: Sequence[Query], *, progress: Progress = no_progress) -> Asked:
        """The rankings, with all that is known of the passages in them. Raises what stops all questions: Untrusted,
        ConfigError, SystemFailed, and what `progress` raises."""
        asker = self.asker
        if isinstance(asker, Prepares):
            asker.prepare([query.text for query in queries], progress)
        replies = self._replies(asker, queries, progress)
        probes = self._embedded().search(queries, progress=progress)
        tally = Tally()
        with self._lock:
            if self._matcher is None:
                self._matcher = Matcher(self._chunks())
            rankings = []
            for number, (query, reply, probe) in enumerate(zip(queries, replies, probes, strict=True)):
                if number % 20 == 0:
                    progress("aligning", number, len(queries))
                rankings.append(self._ranking(self._matcher, query, reply.said, probe, tally))
        chunks = self._chunks()
        places = {name: place for one in rankings if isinstance(one, Ranking) for name, place in one.places.items()}
        also = {name: more for one in rankings if isinstance(one, Ranking) for name, more in one.also.items()}
        most = 0 if self._name == "qdrant" else min(self._k, len(chunks))  # which holds our chunks, and leaves none out
        counts = tally.json(self._matcher.documents, most=most)
        account = {"name": self._name, "spec": asker.spec, "asked_for": self._k, **counts}
        answered = [reply.seconds for reply in replies if not isinstance(reply.said, Failure)]
        account["seconds"] = _percentiles([seconds for seconds in answered if seconds is not None])
        timings = tuple(
            {"stage": "system", "number": number, "seconds": round(reply.seconds, 4), "failed": isinstance(reply.said, Failure)}
            for number, reply in enumerate(replies)
            if reply.seconds is not None
        )
        return Asked(rankings, Passages(chunks, places, tally.unplaced, also) if places else chunks, account, timings)

    def close(self) -> None:
        """Nothing: who opened the asker closes it, and so with the embedded engine."""

    def _replies(self, asker: Asker, queries: Sequence[Query], progress: Progress) -> list[_Reply]:
        """What the system says to each question, `concurrency` of them asked at once."""

        def one(query: Query) -> _Reply:
            began = time.perf_counter()
            said = asker.ask(query.text, self._k, query.groups)
            if isinstance(asker, Timed) and not isinstance(said, Failure):
                return _Reply(said, asker.took())
            return _Reply(said, time.perf_counter() - began)

        pool = ThreadPoolExecutor(max(1, min(self._concurrency, len(queries))), thread_name_prefix="system")
        futures: list[Future[_Reply]] = []
        try:
            futures = [pool.submit(one, query) for query in queries]
            waiting: set[Future[_Reply]] = set(futures)
            while waiting:
                progress("asking", len(futures) - len(waiting), len(futures))
                done, waiting = wait(waiting, timeout=_TICK_S, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
            progress("asking", len(futures), len(futures))
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            asker.close()  # who is being asked is not waited for
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _ranking(
        self, matcher: Matcher, query: Query, said: Sequence[ForeignHit] | Failure, probe: Ranking | Failure, tally: Tally
    ) -> Ranking | Failure:
        if isinstance(said, Failure):
            return said
        hits = list(said[: self._k])
        matched = matcher.match(hits, query.groups)
        tally.count(hits, matched, cut=len(said) - len(hits))
        ranking = foreign_ranking(
            [one.name for one in matched], [0.0 if hit.score is None else hit.score for hit in hits], self._k
        )
        places: dict[str, FoundAt] = {one.name: one.place for one in matched if one.how != "id"}
        stages = probe.stages if isinstance(probe, Ranking) else {}
        own = {name: ids for name, ids in stages.items() if name in ("bm25", "dense")}
        also = {one.name: one.also for one in matched if one.also}
        hidden = tuple(dict.fromkeys(one.name for one in matched if one.hidden))
        return Ranking(ranking.hits, own, ranking.repeated, places, also, hidden, probe=True)


def _percentiles(seconds: Sequence[float]) -> dict[str, float | None]:
    """The smallest time that so many of a hundred questions did not exceed (nearest rank)."""
    ordered = sorted(seconds)
    return {f"p{share}": round(ordered[-(-len(ordered) * share // 100) - 1], 4) if ordered else None for share in (50, 95, 99)}
