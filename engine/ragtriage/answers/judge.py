"""A judge says yes, no or cannot tell to five questions about an answer; here, a language model that is asked to.

A judge is no authority: what it says is shown with how well it agreed with people (answers.calibration), and where a
deterministic grade decides, that one counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ragtriage.answers.citations import find_citations
from ragtriage.answers.judge_prompt import RUBRIC_VERSION, Judging, judge_identity, judge_request, repair_request
from ragtriage.answers.judge_reply import BadReply, Reading, read_reply
from ragtriage.answers.models.base import Reply, Request
from ragtriage.remote.endpoint import Endpoint
from ragtriage.types import AXES, Failure, Judged, Progress, no_progress

if TYPE_CHECKING:  # asyncio, which a run without a judge does not need
    from ragtriage.answers.models.asking import Asker
    from ragtriage.remote.estimate import Agree

__all__ = ["UNUSABLE", "Judge", "JudgeResult", "Judging", "ModelJudge"]

UNUSABLE = "a reply that cannot be used"
"""How the reason of an answer begins whose replies are known and of no use: the next run finds them again, and asks nothing."""

_STAGE = "judging"


class JudgeResult(NamedTuple):
    """What the judge says, None where nobody asked it, and the replies that it came in (none, one, or with a second pass and
    repairs up to four). `cached`: every reply was known before."""

    judged: Judged | None
    replies: tuple[Reply, ...] = ()
    cached: bool = False


class Judge(Protocol):
    """Judges answers. Two with the same `identity` say the same and are calibrated together."""

    @property
    def identity(self) -> str: ...

    @property
    def endpoint(self) -> Endpoint | None:
        """Where its language model is; None where there is none."""
        ...

    def manifest(self) -> dict[str, Any]:
        """What is kept of it with a run."""
        ...

    def judge(
        self,
        judgings: Sequence[Judging],
        *,
        agree: Agree | None = None,
        stability: bool = False,
        progress: Progress = no_progress,
    ) -> list[JudgeResult]:
        """One result a judging, in their order.

        Without `agree` nothing is sent anywhere: what is known is used. `stability` has each judged twice, the second time
        with the passages in reverse order, and makes None of what then comes out otherwise.
        """
        ...


class ModelJudge:
    """A language model as a judge. `headings`: answers were given from passages with title and headings.

    Two rules stand above what it says: `correct` is None where the golden set expects no answer, `cited` where the answer
    cites nothing.
    """

    def __init__(self, asker: Asker, *, headings: bool) -> None:
        self._asker = asker
        self._headings = headings
        self.spec = asker.endpoint.shown
        self.identity = judge_identity(asker.endpoint)

    @property
    def endpoint(self) -> Endpoint:
        """See Judge."""
        return self._asker.endpoint

    def manifest(self) -> dict[str, Any]:
        """See Judge: the model with its settings, the rubric, the identity, and how many requests were sent and failed."""
        asked = self._asker.asked
        counts = {"asked": asked, "failed": asked - self._asker.kept}
        return {"spec": self.spec, "rubric": RUBRIC_VERSION, "identity": self.identity, **counts}

    def requests(self, judgings: Sequence[Judging], *, stability: bool = False) -> list[Request]:
        """What would be sent; what replies that cannot be read may need on top is not known before."""
        return [request for judging in judgings for request in self._passes(judging, stability)]

    def judge(
        self,
        judgings: Sequence[Judging],
        *,
        agree: Agree | None = None,
        stability: bool = False,
        progress: Progress = no_progress,
    ) -> list[JudgeResult]:
        """See Judge. Raises MissingExtra, ConfigError, StorageError, and what `agree` and `progress` raise."""
        passes = [self._passes(judging, stability) for judging in judgings]
        flat = [request for requests in passes for request in requests]
        tries = iter(self._read_all(flat, agree, progress))
        return [_result(judging, [next(tries) for _ in requests]) for judging, requests in zip(judgings, passes, strict=True)]

    def _passes(self, judging: Judging, stability: bool) -> list[Request]:
        """One request, or two; fewer than two passages have one order only, and nothing to be unstable about."""
        first = judge_request(judging, headings=self._headings)
        if not stability or len(judging.passages) < 2:
            return [first]
        return [first, judge_request(judging, headings=self._headings, backwards=True)]

    def _read_all(self, requests: Sequence[Request], agree: Agree | None, progress: Progress) -> list[_Tried]:
        """What came of each request, after one repair where its reply could not be read."""
        tried = [_tried(reply, cached) for reply, cached in self._replies(requests, agree, progress)]
        bad = [(number, one) for number, one in enumerate(tried) if one.replies and one.reading is None]
        repairs = [repair_request(requests[number], one.replies[0].text, one.reason) for number, one in bad]
        for (number, first), (reply, cached) in zip(bad, self._replies(repairs, agree, progress), strict=True):
            again = _tried(reply, cached)
            which = UNUSABLE if again.replies else "a first reply that cannot be used"
            reason = f"{which}: {first.reason}; asked again: {again.reason}" if again.reason else ""
            tried[number] = _Tried(again.reading, reason, first.replies + again.replies, first.cached and again.cached)
        return tried

    def _replies(
        self, requests: Sequence[Request], agree: Agree | None, progress: Progress
    ) -> list[tuple[Reply | Failure | None, bool]]:
        """A reply, a failure, or None a request, and whether it was in the cache."""
        known = self._asker.known(requests)
        replies: Sequence[Reply | Failure | None] = known
        if agree is not None and not all(known):
            replies = self._asker.ask(requests, agree, stage=_STAGE, progress=progress)
        return [(reply, before is not None) for reply, before in zip(replies, known, strict=True)]


class _Tried(NamedTuple):
    """What came of a request: a reading, or the reason why there is none, or neither where it was not asked."""

    reading: Reading | None
    reason: str
    replies: tuple[Reply, ...]
    cached: bool


def _tried(reply: Reply | Failure | None, cached: bool) -> _Tried:
    if not isinstance(reply, Reply):
        return _Tried(None, reply.reason if reply else "", (), False)
    try:
        return _Tried(read_reply(reply.text, cut=reply.cut), "", (reply,), cached)
    except BadReply as error:
        return _Tried(None, str(error), (reply,), cached)


def _result(judging: Judging, tries: Sequence[_Tried]) -> JudgeResult:
    """Both passes as one. Where one of them could not be read, nothing is known of how stable the other is."""
    replies = tuple(reply for one in tries for reply in one.replies)
    cached = all(one.cached for one in tries)
    readings = [one.reading for one in tries if one.reading is not None]
    if len(readings) < len(tries):
        reason = next((one.reason for one in tries if one.reason), "")
        return JudgeResult(Judged(reason=reason) if reason else None, replies, cached)
    first = readings[0]
    unstable = tuple(axis for axis in AXES if any(one.on(axis) != first.on(axis) for one in readings))
    unasked = {"correct": not judging.question.expected_answer, "cited": not find_citations(judging.answer)}
    correct, grounded, cited, honest, addresses = (
        None if axis in unstable or unasked.get(axis) else first.on(axis) for axis in AXES
    )
    claims = tuple(dict.fromkeys(claim for one in readings for claim in one.claims))
    unstable = tuple(axis for axis in unstable if not unasked.get(axis))
    judged = Judged(correct, grounded, cited, honest, addresses, claims, unstable)
    return JudgeResult(judged, replies, cached)
