"""Every action of the app: its keys, where it works, its footer label and its help sentence. No Textual in here.

Bindings, footers, help and palette are made from this one table. A small letter acts on the row, a capital goes somewhere;
no key has two meanings on a screen. A screen offers an action by a method `do_<id>` (with `_` for `-`).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ACTIONS", "EVERYWHERE", "FOOTERS", "MARKS", "Action", "Hint"]

EVERYWHERE: tuple[str, ...] = ()


class Action(NamedTuple):
    """One thing a key can do.

    `keys` are as people write them (`j`, `?`, `ctrl+p`, `space`), the first is shown. `where` names screens, empty means all.
    `needs` names the screen that must exist for the action to be offered. `group` puts it in one line of the help with its
    neighbours of the same group.
    """

    id: str
    keys: tuple[str, ...]
    where: tuple[str, ...]
    label: str
    help: str
    needs: str = ""
    group: str = ""


_LISTS = ("Triage", "Document", "Find", "Add", "Review", "Sweep", "Inbox", "What if")
_EDITED = ("Triage", "Document", "Find", "Add", "Review", "Inbox")
_LABELS = ("Triage", "Review")
_PARTS = ("Triage", "Document", "Find", "Review", "Sweep", "Inbox", "Judge")
_JUDGED = ("Triage", "Document", "Review")
_MARKED = ("Add", "Document", "Find", "Sweep", "Inbox")
_STEPS = ("Triage", "Document", "Review", "Inbox", "Judge")

_GRADE = "The five questions: yes, then no, then unsure."

ACTIONS: tuple[Action, ...] = (
    Action("move-down", ("j", "down"), EVERYWHERE, "down", "Go down or up; so do the arrows, PgDn and PgUp.", group="move"),
    Action("move-up", ("k", "up"), EVERYWHERE, "up", "Go up.", group="move"),
    Action("page-down", ("pagedown",), EVERYWHERE, "page down", "Go down by a page."),
    Action("page-up", ("pageup",), EVERYWHERE, "page up", "Go up by a page."),
    Action("first", ("g", "home"), EVERYWHERE, "first", "Go to the first or the last row.", group="ends"),
    Action("last", ("G", "end"), EVERYWHERE, "last", "Go to the last row.", group="ends"),
    Action("next", ("n",), _STEPS, "next", "Go to the next or the previous failure, flip, report, answer.", group="step"),
    Action("previous", ("N",), _STEPS, "previous", "Go to the previous failure.", group="step"),
    Action("label-1", ("1",), _LABELS, "label", "Label this failure; saved to disk at once.", group="label"),
    *(
        Action(f"label-{digit}", (str(digit),), _LABELS, "label", f"Label this failure with cause {digit}.", group="label")
        for digit in range(2, 8)
    ),
    Action("label-0", ("0",), _LABELS, "clear", "Take the label off."),
    Action("note", ("l",), (*_LABELS, "Judge"), "note", "Leave a note, the reason, beside what you decided."),
    Action("undo", ("u",), EVERYWHERE, "undo", "Undo the last change; U does it again.", group="undo"),
    Action("redo", ("U",), EVERYWHERE, "redo", "Do again what was undone.", group="undo"),
    Action("open", ("enter",), EVERYWHERE, "open", "Open what is under the cursor."),
    Action("close", ("escape",), EVERYWHERE, "close", "Close the innermost thing: field, zoom, quote, filter."),
    Action(
        "filter", ("/",), ("Triage", "Find", "Review", "Sweep", "Inbox", "Help"), "filter",
        "Filter by words, is:open, is:holes, kind:, tag:, cause:2.",
    ),
    Action("reword", ("/",), ("Add",), "reword", "Go back to the words of the question."),
    Action("fix", ("f",), ("Triage", "Review", "Inbox"), "fix label", "Fix the evidence of this question.", needs="Add"),
    Action("what-if", ("w",), _LABELS, "what if", "What if: which lever would have found it.", needs="What if"),
    Action("ask", ("p",), ("Triage",), "ask", "Have this question answered now, oracle and live; asks first when it costs."),
    Action("intended", ("i",), ("Review",), "intended", "Accept the flip as intended, with a reason.", needs="Review"),
    Action("relevant", ("r",), _JUDGED, "relevant", "Yes: this chunk answers the question too.", group="judged"),
    Action(
        "not-relevant", ("x",), (*_JUDGED, "Inbox"), "not", "No, not this: not relevant; in Inbox dismiss, obsolete.",
        group="judged",
    ),
    Action("mark", ("space",), _MARKED, "mark", "Mark as evidence, start a quote here; in Sweep compare with it."),
    Action("save", ("s",), (*_MARKED, "What if"), "save", "Save what is shown; in Inbox accept; in Sweep and What if use it."),
    Action("drop", ("x",), ("Add",), "drop", "Drop the question that was just saved, since it passes."),
    Action("no-answer", ("-",), ("Add",), "no answer", "No answer exists: the system should refuse."),
    Action("mention", ("m",), ("Add",), "mention", "What a right answer must mention; Tab adds what is suggested."),
    Action("kind", ("t",), ("Add",), "kind", "Change the kind of question."),
    Action("split", ("h",), ("Add",), "split", "Change the split, dev or holdout."),
    Action("duplicate", ("d",), ("Add", "Inbox"), "similar", "It is the similar question: take that one instead."),
    Action("unfold", ("+",), ("Triage", "Review"), "unfold", "Show every rank, or fold them again.", group="fold"),
    Action("fold", ("_",), ("Triage", "Review"), "fold", "Fold the ranks.", group="fold"),
    *(
        Action(f"grade-{digit}", (str(digit),), ("Judge",), "grade", _GRADE, needs="Judge", group="grade")
        for digit in range(1, 6)
    ),
    Action("bm25-only", ("b",), ("Triage", "Add"), "bm25 alone", "While embedding: go on with BM25 alone."),
    Action("next-pane", ("tab",), EVERYWHERE, "next pane", "Go to the next pane; shift+Tab goes back."),
    Action("previous-pane", ("shift+tab",), EVERYWHERE, "pane before", "Go to the pane before."),
    Action("list", ("L",), ("Triage", "Review"), "list",
           "Go to the list, the chunks, the answers; again: the other answer or side.", group="panes"),
    Action("chunks", ("C",), ("Triage", "Review"), "chunks", "Go to the chunks.", group="panes"),
    Action("answers", ("A",), ("Triage", "Review"), "answers", "Go to the answers.", group="panes"),
    Action("zoom", ("z",), ("Triage", "Document", "Add", "Find", "Review", "Sweep", "Inbox", "Judge"), "zoom",
           "Zoom the pane; z again brings all back."),
    Action("view", ("v",), ("Triage", "Add", "Review", "Sweep"), "other view",
           "The pane's other view: chunk text, what differs, sentences, chart."),
    Action("previous-part", ("[",), _PARTS, "part before",
           "Go to the part before or after: chunk, citation, candidate, sort column.", group="parts"),
    Action("next-part", ("]",), _PARTS, "next part",
           "Go to the next part.", group="parts"),
    Action("edit", ("e",), _EDITED, "edit", "Open in $EDITOR or in $PAGER.", group="outside"),
    Action("page", ("o",), (*_LISTS, "Judge"), "pager", "Open in $PAGER.", group="outside"),
    Action("copy", ("y",), EVERYWHERE, "copy", "Copy; says how many bytes were sent."),
    Action("add", ("a",), _LISTS, "add", "Add a question.", needs="Add"),
    Action("cancel", ("c",), EVERYWHERE, "cancel", "Cancel the running job."),
    Action("measure", ("ctrl+r",), EVERYWHERE, "measure again", "Measure again."),
    Action("redraw", ("ctrl+l",), EVERYWHERE, "redraw", "Draw the screen again."),
    Action("go-triage", ("T",), EVERYWHERE, "triage", "Go to Triage.", needs="Triage", group="go"),
    Action("go-inbox", ("I",), EVERYWHERE, "inbox", "Go to the Inbox.", needs="Inbox", group="go"),
    Action("go-review", ("R",), EVERYWHERE, "review", "Go to Review.", needs="Review", group="go"),
    Action("go-sweep", ("S",), EVERYWHERE, "sweep", "Go to Sweep.", needs="Sweep", group="go"),
    Action("go-find", ("F",), EVERYWHERE, "find", "Go to Find: search the whole text of every document.", needs="Find",
           group="go"),
    Action("go-judge", ("J",), EVERYWHERE, "judge", "Go to Judge: say what is right about answers.", needs="Judge", group="go"),
    Action("help", ("?", "f1"), EVERYWHERE, "keys", "These keys; F1 inside a field."),
    Action("palette", ("ctrl+p", ":"), EVERYWHERE, "all actions", "Find any action by its name."),
    Action("suspend", ("ctrl+z",), EVERYWHERE, "to the shell", "Go to the shell; fg comes back."),
    Action("back", ("q",), EVERYWHERE, "back", "Go back; in Triage, leave."),
    Action("leave", ("ctrl+c",), EVERYWHERE, "leave", "Once: says how to leave. Twice: leaves; nothing is lost."),
    Action("yes", ("Y",), EVERYWHERE, "do it", "Yes, only on a line that asks."),
)  # fmt: skip


class Hint(NamedTuple):
    """One entry of a footer: the first keys of `ids`, joined by `join`, and what they do."""

    ids: tuple[str, ...]
    label: str
    join: str = "/"


_LABEL_KEYS = ("label-1", "label-7")
_KEYS = Hint(("help",), "keys")
_NEXT = Hint(("next",), "next failure")
_BACK = Hint(("back",), "back")

# By screen, and by screen and state; in order of rank. As many as fit are shown, the last one always.
FOOTERS: dict[str, tuple[Hint, ...]] = {
    "Triage": (
        Hint(("move-down", "move-up"), "move"), _NEXT, Hint(_LABEL_KEYS, "label", "-"), Hint(("undo",), "undo"),
        Hint(("open",), "open"), Hint(("add",), "add"), Hint(("filter",), "filter"), Hint(("what-if",), "what if"),
        Hint(("zoom",), "zoom"), Hint(("ask",), "ask"), _KEYS,
    ),
    "Triage.zoomed": (
        Hint(("zoom", "back"), "all panes"), Hint(("move-down", "move-up"), "move"), _NEXT, Hint(_LABEL_KEYS, "label", "-"),
        Hint(("undo",), "undo"), Hint(("view",), "other view"), _KEYS,
    ),
    "Triage.chunks": (
        Hint(("move-down", "move-up"), "move"), Hint(("relevant",), "it answers too"), Hint(("not-relevant",), "it does not"),
        Hint(("open",), "open"), _NEXT, Hint(("undo",), "undo"), Hint(_LABEL_KEYS, "label", "-"), Hint(("view",), "its text"),
        Hint(("unfold",), "unfold"), _KEYS,
    ),
    "Triage.changed": (Hint(("undo",), "undo"), _NEXT, _KEYS),
    "Triage.cited": (Hint(("open",), "open it"), Hint(("previous-part", "next-part"), "citation", " "), _KEYS),
    "Triage.busy": (Hint(("cancel",), "cancel"), Hint(("bm25-only",), "bm25 alone"), _KEYS),
    "Document": (
        Hint(("move-down", "move-up"), "line"), Hint(("previous-part", "next-part"), "chunk", " "),
        Hint(("mark",), "start a quote"), _NEXT, _BACK, Hint(("relevant",), "relevant"), Hint(("not-relevant",), "not"),
        Hint(("edit",), "edit"), Hint(("copy",), "copy"), _KEYS,
    ),
    "Document.quote": (
        Hint(("move-down", "move-up"), "grow"), Hint(("save",), "save as evidence"), Hint(("mark",), "drop the quote"), _KEYS,
    ),
    "Document.changed": (Hint(("undo",), "undo"), _NEXT, _BACK, _KEYS),
    "Find": (
        Hint(("move-down", "move-up"), "move"), Hint(("open",), "open"), Hint(("mark",), "mark the sentence"),
        Hint(("filter",), "search"), _BACK, Hint(("copy",), "copy"), _KEYS,
    ),
    "Find.marked": (
        Hint(("save",), "save as evidence"), Hint(("mark",), "mark, unmark"), Hint(("undo",), "last mark off"), _BACK,
        Hint(("open",), "open"), _KEYS,
    ),
    "Find.begin": (
        Hint(("save",), "start a question with it"), Hint(("mark",), "mark, unmark"), Hint(("undo",), "last mark off"), _BACK,
        _KEYS,
    ),
    "Find.typing": (Hint(("open",), "to the matches"), Hint(("close",), "close"), Hint(("palette",), "all actions")),
    "Add.typing": (
        Hint(("open",), "to the results"), Hint(("close",), "close, the draft stays"), Hint(("palette",), "all actions"),
    ),
    "Add": (
        Hint(("mark",), "evidence"), Hint(("save",), "save"), Hint(("open",), "open"), Hint(("no-answer",), "no answer"),
        Hint(("reword",), "reword"), Hint(("undo",), "undo"), _BACK, _KEYS,
    ),
    "Add.marked": (
        Hint(("mark",), "evidence"), Hint(("save",), "save"), Hint(("next-pane",), "take evidence off"),
        Hint(("undo",), "undo"), Hint(("mention",), "mention"), Hint(("open",), "open"), Hint(("reword",), "reword"), _BACK,
        _KEYS,
    ),
    "Add.changed": (Hint(("undo",), "undo"), Hint(("open",), "see it"), Hint(("add",), "another")),
    "Add.passes": (Hint(("save",), "keep as guard"), Hint(("drop",), "drop"), Hint(("undo",), "undo"), _KEYS),
    "Add.similar": (
        Hint(("move-down", "move-up"), "move"), Hint(("open",), "take that one"), Hint(("duplicate",), "back to the results"),
        _KEYS,
    ),
    "Add.record": (
        Hint(("move-down", "move-up"), "move"), Hint(("mark",), "take it off"), Hint(("save",), "save"),
        Hint(("next-pane",), "to the results"), Hint(("undo",), "undo"), _KEYS,
    ),
    "Inbox": (
        Hint(("add",), "make question"), Hint(("duplicate",), "duplicate"), Hint(("not-relevant",), "dismiss"),
        Hint(("mark",), "evidence"), Hint(("next",), "next"), Hint(("undo",), "undo"),
        Hint(("previous-part", "next-part"), "candidate", " "), Hint(("open",), "open"), Hint(("filter",), "filter"), _BACK,
        _KEYS,
    ),
    "Inbox.label": (
        Hint(("save",), "accept"), Hint(("previous-part", "next-part"), "place", " "), Hint(("fix",), "fix by hand"),
        Hint(("not-relevant",), "obsolete"), Hint(("next",), "next"), Hint(("undo",), "undo"), Hint(("open",), "open"),
        Hint(("edit",), "edit"), _BACK, _KEYS,
    ),
    "Inbox.safe": (
        Hint(("save",), "mend them all"), Hint(("next",), "next"), Hint(("undo",), "undo"), Hint(("next-pane",), "the list"),
        _BACK, _KEYS,
    ),
    "Inbox.closed": (
        Hint(("move-down", "move-up"), "move"), Hint(("next",), "next"), Hint(("undo",), "undo"), Hint(("open",), "see it"),
        Hint(("filter",), "filter"), _BACK, _KEYS,
    ),
    "Inbox.changed": (Hint(("undo",), "undo"), Hint(("next",), "next"), _BACK, _KEYS),
    "Review": (
        Hint(("next",), "next flip"), Hint(_LABEL_KEYS, "label", "-"), Hint(("intended",), "intended"),
        Hint(("fix",), "fix label"), Hint(("undo",), "undo"), Hint(("view",), "text"), _BACK, Hint(("open",), "open"),
        Hint(("what-if",), "what if"), Hint(("filter",), "filter"), Hint(("list",), "what differs"), Hint(("zoom",), "zoom"),
        _KEYS,
    ),
    "Review.texts": (
        Hint(("view", "back"), "ranks"), Hint(("next",), "next flip"), Hint(_LABEL_KEYS, "label", "-"),
        Hint(("previous-part", "next-part"), "evidence", " "), Hint(("chunks",), "other side"), Hint(("undo",), "undo"),
        Hint(("zoom",), "zoom"), _KEYS,
    ),
    "Review.chunks": (
        Hint(("move-down", "move-up"), "move"), Hint(("chunks",), "other side"),
        Hint(("previous-part", "next-part"), "evidence", " "), Hint(("view",), "text"), Hint(("open",), "open"),
        Hint(("next",), "next flip"), Hint(("unfold",), "unfold"), Hint(("undo",), "undo"), _KEYS,
    ),
    "Review.zoomed": (
        Hint(("zoom", "back"), "all panes"), Hint(("move-down", "move-up"), "move"), Hint(("next",), "next flip"),
        Hint(_LABEL_KEYS, "label", "-"), Hint(("intended",), "intended"), Hint(("undo",), "undo"), Hint(("view",), "text"),
        _KEYS,
    ),
    "Review.changed": (Hint(("undo",), "undo"), Hint(("next",), "next flip"), _KEYS),
    "Review.done": (_BACK, Hint(("undo",), "undo"), _KEYS),
    "Review.empty": (
        _BACK, Hint(("measure",), "review again"), Hint(("list",), "what differs"), Hint(("move-down", "move-up"), "move"),
        _KEYS,
    ),
    "Review.busy": (Hint(("cancel",), "cancel"), _BACK, _KEYS),
    "Review.failed": (Hint(("measure",), "try again"), _BACK, _KEYS),
    "Sweep": (
        Hint(("previous-part", "next-part"), "sort", " "), Hint(("mark",), "compare"), Hint(("open",), "failures"),
        Hint(("save",), "use it"), Hint(("view",), "chart"), _BACK, Hint(("filter",), "filter"),
        Hint(("measure",), "measure again"), _KEYS,
    ),
    "Sweep.busy": (
        Hint(("previous-part", "next-part"), "sort", " "), Hint(("mark",), "compare"), Hint(("open",), "failures"),
        Hint(("save",), "use it"), Hint(("view",), "chart"), _BACK, Hint(("filter",), "filter"), Hint(("cancel",), "cancel"),
        _KEYS,
    ),
    "Sweep.flips": (
        Hint(("move-down", "move-up"), "move"), Hint(("open",), "see it in Triage"), Hint(("close",), "back to the table"),
        Hint(("zoom",), "zoom"), _BACK, _KEYS,
    ),
    "Sweep.zoomed": (
        Hint(("zoom", "back"), "all panes"), Hint(("move-down", "move-up"), "move"), Hint(("next-pane",), "pane"),
        Hint(("view",), "chart"), _KEYS,
    ),
    "Sweep.empty": (Hint(("measure",), "sweep"), _BACK, _KEYS),
    "Sweep.first": (Hint(("cancel",), "cancel"), _BACK, _KEYS),
    "Sweep.changed": (Hint(("undo",), "undo"), Hint(("go-triage",), "triage"), _BACK, _KEYS),
    "What if": (
        Hint(("move-down", "move-up"), "move"), Hint(("save",), "use it"), Hint(("undo",), "undo"), _BACK,
        Hint(("go-sweep",), "sweep"), Hint(("page",), "pager"), _KEYS,
    ),
    "What if.embed": (
        Hint(("move-down", "move-up"), "move"), Hint(("save",), "embed and try it"), Hint(("undo",), "undo"), _BACK,
        Hint(("go-sweep",), "sweep"), Hint(("page",), "pager"), _KEYS,
    ),
    "What if.busy": (Hint(("cancel",), "cancel"), Hint(("move-down", "move-up"), "move"), _BACK, _KEYS),
    "What if.failed": (Hint(("measure",), "try again"), _BACK, _KEYS),
    "What if.changed": (Hint(("undo",), "undo"), Hint(("go-triage",), "triage"), _BACK, _KEYS),
    "Judge": (
        Hint(("grade-1", "grade-5"), "yes, no, unsure", "-"), Hint(("next",), "next"), Hint(("undo",), "undo"),
        Hint(("previous-part", "next-part"), "citation", " "), _BACK, Hint(("note",), "note"), Hint(("open",), "open"),
        Hint(("zoom",), "zoom"), Hint(("next-pane",), "pane"), _KEYS,
    ),
    "Judge.zoomed": (
        Hint(("zoom", "back"), "all panes"), Hint(("move-down", "move-up"), "move"),
        Hint(("grade-1", "grade-5"), "yes, no, unsure", "-"), Hint(("next",), "next"), Hint(("undo",), "undo"), _KEYS,
    ),
    "Judge.changed": (Hint(("undo",), "undo"), Hint(("next",), "next"), _KEYS),
    "Find.changed": (Hint(("undo",), "undo"), _BACK, _KEYS),
    "Help": (
        Hint(("move-down", "move-up"), "scroll"), Hint(("next-pane",), "next pane's keys"), Hint(("filter",), "find a key"),
        Hint(("palette",), "all actions"), _BACK,
    ),
    "Palette.typing": (Hint(("open",), "do it"), Hint(("close",), "close")),
    "field": (Hint(("open",), "take it"), Hint(("close",), "close")),
}  # fmt: skip

MARKS: tuple[tuple[str, str], ...] = (
    ("✗ ✓ ·", "fails, passes, nothing to measure or not asked yet"),
    ("!", "could not be measured, an answer that failed"),
    ("✓ · - =", "in Judge and Inbox: done, to do; dismissed, duplicate"),
    ("2 2?", "labelled by a person, suggested by the ladder"),
    ("● ◐", "holds the evidence, holds part of it"),
    ("+ -", "judged relevant to the question, judged not"),
    ("━ ╌", "bars: labelled, suggested"),
    ("↑ ↓ =", "in Review: higher, lower, same rank on the other side"),
    ("i f i?", "in Review: intended, label fixed, no longer holds"),
    ("┃ ┆ >", "this chunk, shared with the one before, in the quote"),
    ("■ * < ▾", "in Sweep: compared with, best, dominated; sorted by, the best first"),
    ("▸ ━━", "where the cursor and the focus are"),
)
