"""The grade of an answer, decided without a model where that is possible.

What reads answers is loaded with the first of them: an evaluation of retrieval alone need not compile its patterns.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.answers.extractive import REFUSAL
from ragtriage.types import Answer, Grade, Passage, Question

__all__ = ["gradable", "grade"]


def gradable(question: Question) -> bool:
    """Whether an answer to this question can be judged right without a model: it says what to mention, or wants a refusal."""
    return not question.answerable or bool(question.must_mention)


def grade(question: Question, answer: Answer, passages: Sequence[Passage]) -> Grade:
    """Grade `answer`, which was given `passages`.

    An unanswerable question is answered correctly by a refusal, an answerable one by stating every must-mention; either way
    nothing that must not be mentioned may be said. `correct` is None where neither decides, and never None for a
    must-not-mention that was said.
    """
    from ragtriage.answers.citations import cited_numbers, invalid_citations
    from ragtriage.answers.must_mention import mentioned, missing_mentions
    from ragtriage.answers.numbers import unsupported_numbers

    text = answer.text
    refused = _refused(answer)
    missing = missing_mentions(text, question.must_mention) if question.answerable else ()
    said_wrong = mentioned(text, question.must_not_mention)
    cited = cited_numbers(text)
    return Grade(
        correct=_correct(question, refused, bool(missing), bool(said_wrong)),
        refused=refused,
        missing=missing,
        said_wrong=said_wrong,
        cited=cited,
        invalid=invalid_citations(cited, len(passages)),
        unsupported=unsupported_numbers(text, [question.question, *map(_as_sent, passages)]),
    )


def _refused(answer: Answer) -> bool:
    # a generator that only quotes refuses with its own sentence, whatever its sources say that they do not know
    if answer.generator.startswith("extractive"):
        return answer.text == REFUSAL
    from ragtriage.answers.refusal import is_refusal  # its patterns take longer to compile than a hundred answers to grade

    return is_refusal(answer.text)


def _correct(question: Question, refused: bool, missing: bool, said_wrong: bool) -> bool | None:
    if said_wrong:
        return False
    if not question.answerable:
        return refused
    if not question.must_mention:
        return None
    return not missing and not refused


def _as_sent(passage: Passage) -> str:
    return "\n".join((passage.title, *passage.heading, passage.text))
