"""One module a command, named like it (`local-llm`: local_llm): `arguments(parser)` adds its arguments, `run(call)` returns the
exit code.

The table is all that is loaded before a command is chosen. Nothing in here imports Textual.
"""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS: dict[str, str] = {
    "eval": "measure retrieval and answers on the golden set",
    "failures": "list the failing questions of the newest run, and why they fail",
    "show": "everything about one question, chunk or document",
    "search": "what retrieval returns for a question",
    "find": "search the whole text of every document, whatever the index holds",
    "verdict": "say why a question fails or that its flip was meant, or take that back",
    "add": "add a question to the golden set",
    "import": "take reports of bad answers in from what other systems export",
    "inbox": "list the reports that wait, and say what became of them",
    "golden": "check, format, compare, anchor and export the golden set",
    "judge": "have a model judge the answers, and see how far it agrees with people",
    "rerank": "what a reranker gains and costs at each size of the pool, and when it cannot help",
    "compare": "what broke, was fixed or moved between two runs, question by question",
    "gate": "measure, and say whether it got worse than the baseline; the exit code says the same",
    "baseline": "set what a gate measures against, and show it",
    "sweep": "measure many configurations, and compare them with the one in use",
    "what-if": "which single change would have found what is lost, and what it would break",
    "review": "measure two git revisions of the project, and compare them question by question",
    "runs": "list, show, export and prune stored runs",
    "index": "read, cut, embed and index the corpus, ahead of time",
    "trust": "show what the configuration would run or send, and agree to it",
    "doctor": "look at the set-up, and say what is wrong with it",
    "init": "write a commented ragtriage.toml and an empty golden set",
    "local-llm": "serve a small language model on this machine, to try answers with",
    "demo": "open a copy of the sample: a small company's help centre",
}
"""Each command and its one line in `ragtriage --help`, in the order shown there."""
