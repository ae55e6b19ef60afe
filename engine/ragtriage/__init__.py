"""Find out which half of a RAG system failed, where the evidence was lost, and what would have found it.

    from ragtriage import Project, evaluate

    project = Project.open("path/of/the/project")
    run = evaluate(project)
    print(run.manifest["metrics"]["recall@5"]["value"])
    project.close()

What is exported here is what the documentation of the Python API describes. Importing it costs nothing: each name brings its
module when it is first asked for.
"""

TYPE_CHECKING = False  # typing itself is not imported for this; type checkers take the name for what it means

if TYPE_CHECKING:
    from ragtriage.compare.comparison import Comparison
    from ragtriage.compare.stored import compare_runs
    from ragtriage.corpus.find import find
    from ragtriage.diagnose.diagnosis import diagnose as diagnose_corpus
    from ragtriage.errors import InputError, Problem, RagtriageError, UsageError
    from ragtriage.experiments.grid import grid_of
    from ragtriage.experiments.sweep import sweep
    from ragtriage.experiments.what_if import what_if
    from ragtriage.gate.gating import gate_against, set_baseline
    from ragtriage.golden.file import append_question, read_beir, read_golden, remove_question, replace_question
    from ragtriage.interchange.measures import parse_measure
    from ragtriage.interchange.qrels import read_qrels, write_qrels
    from ragtriage.interchange.runs import read_run, write_run
    from ragtriage.interchange.scoring import Rules, score, score_files
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.review.review import review as review_revisions
    from ragtriage.search.pipeline import Query
    from ragtriage.search.systems.qdrant_upload import upload_project
    from ragtriage.types import Failure

__all__ = [
    "Comparison",
    "Failure",
    "InputError",
    "Problem",
    "Project",
    "Query",
    "QuestionResult",
    "RagtriageError",
    "Rules",
    "Run",
    "UsageError",
    "append_question",
    "compare_runs",
    "diagnose_corpus",
    "evaluate",
    "find",
    "gate_against",
    "grid_of",
    "parse_measure",
    "read_beir",
    "read_golden",
    "read_qrels",
    "read_run",
    "remove_question",
    "replace_question",
    "review_revisions",
    "score",
    "score_files",
    "set_baseline",
    "sweep",
    "upload_project",
    "what_if",
    "write_qrels",
    "write_run",
]

_HOMES = {
    "compare.comparison": ("Comparison",),
    "compare.stored": ("compare_runs",),
    "corpus.find": ("find",),
    "diagnose.diagnosis": ("diagnose_corpus",),
    "errors": ("InputError", "Problem", "RagtriageError", "UsageError"),
    "experiments.grid": ("grid_of",),
    "experiments.sweep": ("sweep",),
    "experiments.what_if": ("what_if",),
    "gate.gating": ("gate_against", "set_baseline"),
    "golden.file": ("append_question", "read_beir", "read_golden", "remove_question", "replace_question"),
    "interchange.measures": ("parse_measure",),
    "interchange.qrels": ("read_qrels", "write_qrels"),
    "interchange.runs": ("read_run", "write_run"),
    "interchange.scoring": ("Rules", "score", "score_files"),
    "measure.evaluate": ("evaluate",),
    "measure.results": ("QuestionResult", "Run"),
    "project": ("Project",),
    "review.review": ("review_revisions",),
    "search.pipeline": ("Query",),
    "search.systems.qdrant_upload": ("upload_project",),
    "types": ("Failure",),
}
_CALLED_THERE = {"diagnose_corpus": "diagnose", "review_revisions": "review"}  # packages of ours have these names here


if not TYPE_CHECKING:

    def __getattr__(name):
        for home, names in _HOMES.items():
            if name in names:
                from importlib import import_module

                value = getattr(import_module(f"{__name__}.{home}"), _CALLED_THERE.get(name, name))
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
