"""What must be agreed to first, where the app measures or has one question answered; then its answers, oracle and live."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragtriage_tui.answer_views import Asked, Consent
from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.estimates import asking_line, price
from ragtriage_tui.figures import sent_rows
from ragtriage_tui.text import scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError, NeedsWord

if TYPE_CHECKING:
    from ragtriage.dangers import Danger
    from ragtriage.measure.answer_results import AnswerResult, Arm
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.remote.endpoint import Endpoint
    from ragtriage.remote.estimate import Agree, Estimate
    from ragtriage_tui.bridge.door import Door

__all__ = ["Asking", "needs_no_word"]


class _Unagreed(Exception):
    """Something would be sent that costs, or that nobody agreed to."""

    def __init__(self, consent: Consent) -> None:
        super().__init__(consent.question)
        self.consent = consent


class Asking:
    """Asks for a door. What was shown to be trusted is kept here by its token, so that exactly that is agreed to."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._shown: dict[str, tuple[Danger, ...]] = {}

    @guarded
    def ask(self, qid: str, progress: Progress, agreed: frozenset[str]) -> Asked | Consent:
        """See TriageDoor.ask. The project it asks with is its own, so that looking and labelling go on meanwhile."""
        from ragtriage.measure.evaluate import evaluate

        told = engine_progress(progress)
        told("asking", 0, 0)
        raw = self._door.names.raw(qid)
        project = self._door.fresh(told)
        try:
            with self.first(project, agreed, "ask", ("answers", "retrieval", "corpus")) as agree:
                run = evaluate(project, only=[raw], ask=agree, ungraded=True, store=False, progress=told)
        except NeedsWord as needed:
            return needed.consent
        finally:
            project.close()
        result = run.questions[0]
        kept = self._door.put(result, run.timings)
        return _asked(qid, result, run, kept=kept)

    @contextlib.contextmanager
    def first(
        self, project: Project, agreed: frozenset[str], what: str, tables: tuple[str, ...] = ("retrieval", "corpus")
    ) -> Iterator[Agree]:
        """Raise NeedsWord where what is done inside needs a word that is not in `agreed` (tokens of Consent): for what the
        `tables` of the configuration and its embedding want, or for what embedding or answering costs. `what` is done then."""
        from ragtriage.errors import Untrusted

        self._trust(project, agreed)

        def agree(estimate: Estimate) -> None:
            if consent := _consent_to_cost(estimate, agreed):
                raise _Unagreed(consent)

        project.consent.ask = agree
        try:
            yield agree
        except _Unagreed as unagreed:
            raise NeedsWord(f"{' '.join(unagreed.consent.lines)}; nothing was sent", unagreed.consent) from None
        except Untrusted as error:
            if consent := self._consent_to_trust(project, what, tables):
                raise NeedsWord(scrub(str(error)), consent) from None
            raise
        finally:
            project.consent.ask = None  # what was agreed to is not what is sent next

    def _trust(self, project: Project, agreed: frozenset[str]) -> None:
        """Keep the user's word for what was shown. Raises what keeping it raises."""
        from ragtriage.trust import agree

        for token in agreed & set(self._shown):
            agree(project.root, self._shown.pop(token))

    def _consent_to_trust(self, project: Project, what: str, tables: tuple[str, ...]) -> Consent | None:
        """What of the configuration nobody has agreed to yet, said in full."""
        from ragtriage.trust import untrusted

        config = project.config
        if config.retrieval.mode != "bm25" or config.chunking.strategy == "semantic":
            tables = (*tables, "embedding")
        found = untrusted(project.root, config, typed=project.typed, tables=tables)
        if not found:
            return None
        obstacle = next((f"{one.table}: {one.obstacle}" for one in found if one.obstacle), "")
        token = "trust:" + ",".join(one.digest for one in found)
        self._shown[token] = found
        lines = ("The configuration of this project would do what you have not agreed to:", *(one.sentence for one in found))
        return Consent(f"Trust this from now on, and {what}?", lines, token, scrub(obstacle))


def _consent_to_cost(estimate: Estimate, agreed: frozenset[str]) -> Consent | None:
    """What is to be agreed to before `estimate` is sent, where it costs."""
    token = f"cost:{estimate.stage}:{estimate.endpoint.spec}:{estimate.requests}:{estimate.texts}"
    if needs_no_word(estimate.endpoint) or token in agreed:
        return None
    return Consent("Send them?" if estimate.texts else "Ask it?", (scrub(asking_line(estimate)),), token)


def needs_no_word(endpoint: Endpoint) -> bool:
    """Whether one question is asked at once: what is free, or a program without prices, which was agreed to by itself.
    Raises ConfigError."""
    from ragtriage.remote.wording import is_free

    priced = bool(endpoint.input_price or endpoint.output_price)
    return is_free(endpoint) or (endpoint.provider == "command" and not priced)


def _asked(qid: str, result: QuestionResult, run: Run, *, kept: bool) -> Asked:
    if result.status == "failed":
        raise DoorError(f"{qid} could not be measured: {scrub(result.reason)}")
    arms: tuple[Arm, ...] = ("oracle", "live")
    said = [f"{arm} {_word(result.answers[arm], arm)}" for arm in arms if arm in result.answers]
    failed = [f"{arm} failed: {scrub(reason)}" for arm, reason in result.unanswered.items()]
    if not said and not failed:
        return Asked(qid, f"{qid}: nothing was answered", wrong=True)
    if not kept:
        return Asked(qid, f"{qid} was answered, but the run that is shown is of other files; ctrl+r measures again", wrong=True)
    return Asked(qid, f"{qid} answered: {', '.join(failed + said)}{_price(run)}", wrong=bool(failed))


def _word(answer: AnswerResult, arm: Arm) -> str:
    if answer.blocked and arm == "live":
        return "blocked"
    return "not graded" if answer.correct is None else "right" if answer.correct else "wrong"


def _price(run: Run) -> str:
    fresh = sent_rows(run.timings, "answer")
    counts = [one[name] for one in fresh for name in ("input_tokens", "output_tokens")]
    costs = [one["cost"] for one in fresh]
    tokens = f"   {sum(counts):,} tokens" if counts and None not in counts else ""
    return tokens + (f", cost {price(sum(costs))}" if costs and None not in costs else "")
