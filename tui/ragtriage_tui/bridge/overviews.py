"""A run, the golden set and the verdicts as the list, the causes and the header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.bridge.calibration import calibration_of_run, judged_tax
from ragtriage_tui.model_names import STAND_IN, is_stand_in
from ragtriage_tui.text import one_line, scrub
from ragtriage_tui.views import Advice, CategoryView, Figure, Overview, QuestionRow, RowState

if TYPE_CHECKING:
    from ragtriage.config import Config
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.triage.verdicts import Verdict
    from ragtriage.types import Question

__all__ = ["category_key", "overview_of", "setup_name", "setup_of", "state_of"]


def setup_name(config: Config) -> str:
    """`hybrid k=5`, or of a system that is not ours `http k=5`."""
    return setup_of(config.as_dict()["retrieval"])


def setup_of(retrieval: Mapping[str, Any]) -> str:
    """`setup_name` from the table, as the manifest of a run has it."""
    if (system := retrieval.get("system", "embedded")) != "embedded":
        return f"{system} k={retrieval.get('k', '')}"
    mode, fusion = retrieval.get("mode", ""), retrieval.get("fusion", "rrf")
    fused = f" {fusion}" if mode == "hybrid" and fusion != "rrf" else ""
    return f"{mode}{fused}{' reranked' if retrieval.get('rerank') else ''} k={retrieval.get('k', '')}"


def category_key(slug: str) -> int:
    """The digit of a category, 0 for none or one that is not known."""
    from ragtriage.triage.categories import CATEGORIES

    return next((int(category.key) for category in CATEGORIES if category.slug == slug), 0)


def state_of(result: QuestionResult | None, question: Question | None, config: Mapping[str, Any]) -> RowState:
    """The mark of a question in the list. `config` is that of the run which the result is of."""
    if result is None:
        return "waiting"
    if result.status == "failed":
        return "unmeasured"
    if result.suggested:
        return "fails"
    if result.status != "unlabelled" and _waits(result, question, config):
        return "unasked"
    if result.status == "unlabelled" or (result.status == "unanswerable" and result.live is None):
        return "nothing"
    return "passes"


def _waits(result: QuestionResult, question: Question | None, config: Mapping[str, Any]) -> bool:
    """Whether a model's answer would be graded, and was not asked for yet."""
    if question is None or result.live is not None or not config or is_stand_in(config):
        return False
    from ragtriage.answers.grading import gradable

    return gradable(question)


def overview_of(
    project: Project, run: Run | None, questions: tuple[Question, ...], verdicts: Mapping[str, Verdict], *,
    notice: str, read_only: str, reports: int = 0, look: Sequence[str] = (),
) -> Overview:  # fmt: skip
    """Everything about all questions of the shown split. `run` None: nothing is measured yet. `look` are the ids of those with
    passages to judge, in the order in which that tells most."""
    from ragtriage.triage.categories import CATEGORIES

    results = {result.qid: result for result in run.questions} if run else {}
    manifest: Mapping[str, Any] = run.manifest if run else {}
    k = int(manifest.get("k", project.config.retrieval.k))
    config = manifest.get("config", {})
    places = {qid: place for place, qid in enumerate(look, start=1)}
    rows = tuple(
        _row(question, results.get(question.qid), verdicts.get(question.qid), config, places.get(question.qid, 0))
        for question in questions
    )
    return Overview(
        project=scrub(one_line(project.name)),
        setup=scrub(one_line(setup_of(manifest["config"]["retrieval"]) if run else setup_name(project.config))),
        k=k,
        questions=rows,
        categories=tuple(CategoryView(int(one.key), one.slug, one.name, one.short) for one in CATEGORIES),
        figures=_figures(manifest.get("metrics", {}), k),
        tax=_tax(project, run) if run else None,
        run_id=run.id if run else "",
        notice=scrub(notice),
        advice=tuple(Advice(scrub(one["sentence"]), tuple(map(scrub, one["qids"]))) for one in manifest.get("advice", ())),
        read_only=scrub(read_only),
        warning=scrub(_warning(project)),
        reports=reports,
    )


def _warning(project: Project) -> str:
    bad = sum(problem.severity == "error" for problem in project.golden.problems)
    lines = "1 line" if bad == 1 else f"{bad} lines"
    return f"{lines} of the golden set cannot be used; `ragtriage golden check` names them" if bad else ""


def _row(
    question: Question, result: QuestionResult | None, verdict: Verdict | None, config: Mapping[str, Any], look: int
) -> QuestionRow:
    return QuestionRow(
        qid=scrub(question.qid),
        text=scrub(one_line(question.question[:2000])),
        state=state_of(result, question, config),
        suggested=category_key(result.suggested) if result and result.suggested else 0,
        label=category_key(verdict.category) if verdict else 0,
        old=bool(verdict and result and not verdict.fits(result.seen)),
        kind=scrub(question.kind),
        split=question.split,
        tags=tuple(scrub(tag) for tag in question.tags),
        look=look,
    )


def _figures(metrics: Mapping[str, Any], k: int) -> tuple[Figure, ...]:
    names = (f"recall@{k}", f"hit@{k}", "mrr")
    return tuple(Figure(name, metrics[name]["value"], metrics[name]["n"]) for name in names if name in metrics)


def _tax(project: Project, run: Run) -> Figure | None:
    tax = run.manifest.get("answers", {}).get("tax")
    if not tax or not tax["n"]:
        return None
    words = [STAND_IN] if is_stand_in(run.manifest["config"]) else []
    words += [calibration_of_run(project, run.manifest).word(["correct"])] if judged_tax(run) else []
    return Figure("tax", tax["value"], tax["n"], ", ".join(words))
