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
    from ragtriage.answers.calibration_file import load_calibration
    from ragtriage.compare.comparison import Comparison
    from ragtriage.compare.document import to_json as comparison_document
    from ragtriage.compare.stored import compare_runs
    from ragtriage.corpus.find import find
    from ragtriage.diagnose.diagnosis import diagnose as diagnose_corpus
    from ragtriage.diagnose.looking import diagnose_project
    from ragtriage.errors import InputError, Problem, RagtriageError, UsageError
    from ragtriage.experiments.accountant import audit as audit_reranker
    from ragtriage.experiments.adopt import proposed as propose_config
    from ragtriage.experiments.adopt import put_back as put_back_config
    from ragtriage.experiments.adopt import write as write_config
    from ragtriage.experiments.confirm import confirm as confirm_winner
    from ragtriage.experiments.document import to_csv as sweep_csv
    from ragtriage.experiments.document import to_json as sweep_document
    from ragtriage.experiments.grid import grid_of
    from ragtriage.experiments.kept import keep as keep_sweep
    from ragtriage.experiments.kept import newest as newest_sweep
    from ragtriage.experiments.markdown import to_markdown as sweep_markdown
    from ragtriage.experiments.rerank_document import to_json as reranker_document
    from ragtriage.experiments.svg import to_svg as sweep_svg
    from ragtriage.experiments.sweep import sweep
    from ragtriage.experiments.what_if import what_if
    from ragtriage.gate.baseline_file import load_baseline
    from ragtriage.gate.gating import Head, gate_against, ratchet, set_baseline
    from ragtriage.gate.settings import gate_settings
    from ragtriage.golden.file import append_question, read_beir, read_golden, remove_question, replace_question
    from ragtriage.interchange.measures import parse_measure
    from ragtriage.interchange.qrels import read_qrels, write_qrels
    from ragtriage.interchange.runs import read_run, write_run
    from ragtriage.interchange.scoring import Rules, score, score_files
    from ragtriage.labelling.adding import add_question
    from ragtriage.labelling.checking import check_golden
    from ragtriage.labelling.exporting import export_golden
    from ragtriage.labelling.formatting import diff_golden_set as diff_golden
    from ragtriage.labelling.formatting import format_golden_set as format_golden
    from ragtriage.labelling.importing import import_reports, open_inbox
    from ragtriage.labelling.mending import anchor_labels, mark_obsolete, write_anchors
    from ragtriage.labelling.proposing import propose_question
    from ragtriage.measure.calibrating import calibrate_judge
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.measure.named_runs import named_runs
    from ragtriage.measure.newest_run import newest_run
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.measure.run_files import export_run
    from ragtriage.new_project import init_project
    from ragtriage.project import Project
    from ragtriage.review.annotations import workflow_commands as review_annotations
    from ragtriage.review.decisions import record_intended
    from ragtriage.review.document import to_json as review_document
    from ragtriage.review.html import page as review_html
    from ragtriage.review.markdown import markdown as review_markdown
    from ragtriage.review.review import review as review_revisions
    from ragtriage.revisions.measuring import Asking
    from ragtriage.search.pipeline import Query
    from ragtriage.search.systems.qdrant_upload import upload_project
    from ragtriage.setup.checks import check_setup
    from ragtriage.trust import agree, agreements, revoke, what_it_would_do
    from ragtriage.types import Failure

__all__ = [
    "Asking",
    "Comparison",
    "Failure",
    "Head",
    "InputError",
    "Problem",
    "Project",
    "Query",
    "QuestionResult",
    "RagtriageError",
    "Rules",
    "Run",
    "UsageError",
    "add_question",
    "agree",
    "agreements",
    "anchor_labels",
    "append_question",
    "audit_reranker",
    "calibrate_judge",
    "check_golden",
    "check_setup",
    "compare_runs",
    "comparison_document",
    "confirm_winner",
    "diagnose_corpus",
    "diagnose_project",
    "diff_golden",
    "evaluate",
    "export_golden",
    "export_run",
    "find",
    "format_golden",
    "gate_against",
    "gate_settings",
    "grid_of",
    "import_reports",
    "init_project",
    "keep_sweep",
    "load_baseline",
    "load_calibration",
    "mark_obsolete",
    "named_runs",
    "newest_run",
    "newest_sweep",
    "open_inbox",
    "parse_measure",
    "propose_config",
    "propose_question",
    "put_back_config",
    "ratchet",
    "read_beir",
    "read_golden",
    "read_qrels",
    "read_run",
    "record_intended",
    "remove_question",
    "replace_question",
    "reranker_document",
    "review_annotations",
    "review_document",
    "review_html",
    "review_markdown",
    "review_revisions",
    "revoke",
    "score",
    "score_files",
    "set_baseline",
    "sweep",
    "sweep_csv",
    "sweep_document",
    "sweep_markdown",
    "sweep_svg",
    "upload_project",
    "what_if",
    "what_it_would_do",
    "write_anchors",
    "write_config",
    "write_qrels",
    "write_run",
]

_HOMES = {
    "answers.calibration_file": ("load_calibration",),
    "compare.comparison": ("Comparison",),
    "compare.document": ("comparison_document",),
    "compare.stored": ("compare_runs",),
    "corpus.find": ("find",),
    "diagnose.diagnosis": ("diagnose_corpus",),
    "diagnose.looking": ("diagnose_project",),
    "errors": ("InputError", "Problem", "RagtriageError", "UsageError"),
    "experiments.accountant": ("audit_reranker",),
    "experiments.adopt": ("propose_config", "put_back_config", "write_config"),
    "experiments.confirm": ("confirm_winner",),
    "experiments.document": ("sweep_csv", "sweep_document"),
    "experiments.grid": ("grid_of",),
    "experiments.kept": ("keep_sweep", "newest_sweep"),
    "experiments.markdown": ("sweep_markdown",),
    "experiments.rerank_document": ("reranker_document",),
    "experiments.svg": ("sweep_svg",),
    "experiments.sweep": ("sweep",),
    "experiments.what_if": ("what_if",),
    "gate.baseline_file": ("load_baseline",),
    "gate.gating": ("Head", "gate_against", "ratchet", "set_baseline"),
    "gate.settings": ("gate_settings",),
    "golden.file": ("append_question", "read_beir", "read_golden", "remove_question", "replace_question"),
    "interchange.measures": ("parse_measure",),
    "interchange.qrels": ("read_qrels", "write_qrels"),
    "interchange.runs": ("read_run", "write_run"),
    "interchange.scoring": ("Rules", "score", "score_files"),
    "labelling.adding": ("add_question",),
    "labelling.checking": ("check_golden",),
    "labelling.exporting": ("export_golden",),
    "labelling.formatting": ("diff_golden", "format_golden"),
    "labelling.importing": ("import_reports", "open_inbox"),
    "labelling.mending": ("anchor_labels", "mark_obsolete", "write_anchors"),
    "labelling.proposing": ("propose_question",),
    "measure.calibrating": ("calibrate_judge",),
    "measure.evaluate": ("evaluate",),
    "measure.named_runs": ("named_runs",),
    "measure.newest_run": ("newest_run",),
    "measure.results": ("QuestionResult", "Run"),
    "measure.run_files": ("export_run",),
    "new_project": ("init_project",),
    "project": ("Project",),
    "review.annotations": ("review_annotations",),
    "review.decisions": ("record_intended",),
    "review.document": ("review_document",),
    "review.html": ("review_html",),
    "review.markdown": ("review_markdown",),
    "review.review": ("review_revisions",),
    "revisions.measuring": ("Asking",),
    "search.pipeline": ("Query",),
    "search.systems.qdrant_upload": ("upload_project",),
    "setup.checks": ("check_setup",),
    "trust": ("agree", "agreements", "revoke", "what_it_would_do"),
    "types": ("Failure",),
}
_CALLED_THERE = {
    "audit_reranker": "audit",
    "comparison_document": "to_json",
    "confirm_winner": "confirm",
    "diagnose_corpus": "diagnose",
    "diff_golden": "diff_golden_set",
    "format_golden": "format_golden_set",
    "keep_sweep": "keep",
    "newest_sweep": "newest",
    "propose_config": "proposed",
    "put_back_config": "put_back",
    "reranker_document": "to_json",
    "review_annotations": "workflow_commands",
    "review_document": "to_json",
    "review_html": "page",
    "review_markdown": "markdown",
    "review_revisions": "review",
    "sweep_csv": "to_csv",
    "sweep_document": "to_json",
    "sweep_markdown": "to_markdown",
    "sweep_svg": "to_svg",
    "write_config": "write",
}  # what has a name here that says more


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
