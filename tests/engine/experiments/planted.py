"""A corpus in which each question is lost, and exactly one lever finds it. Words, lengths and vectors are planted.

A page says in a word of its own how near it is to a topic's question: `fus90` has cosine 0.90 with that of `fus`, and where two
such words stand in one text the first counts. The vectors lie in the cache before anything is measured, so that no model runs:
the model folders hold a real tokenizer (words) and weights that nobody can load.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ragtriage.config import Config
from ragtriage.project import Project
from ragtriage.search.vectors_cache import VectorCache, key_of

__all__ = ["CONFIG", "OTHER_MODEL", "TOPICS", "Topic", "embed", "make", "vector", "write_model"]

OTHER_MODEL = "models/other"
CONFIG = """[chunking]
size = 64
[embedding]
model = "models/plain"
[retrieval]
k = 2
depth = 10
pool = 10
"""

_WIDTH = 64
_PADS = 20  # pages a topic that are a little near, so that none that is not near at all comes among the first


class Topic(NamedTuple):
    """`lever` is the kind that alone finds `question`; its evidence is a quote of `target`. `pages` are (id, title, text)."""

    lever: str
    name: str
    question: str
    target: str
    quote: str
    pages: tuple[tuple[str, str, str], ...]


def vector(text: str, model: str) -> np.ndarray:
    """float16[64], of length 1: a dimension a topic, and one of the others for what is left."""
    name, cosine = _nearness(text, model)
    residual = len(_NAMES) + hashlib.sha256(text.encode()).digest()[0] % (_WIDTH - len(_NAMES))
    out = np.zeros(_WIDTH)
    out[residual] = np.sqrt(1 - cosine**2)
    if name:
        out[_NAMES.index(name)] = cosine
    return out.astype(np.float16)


def _nearness(text: str, model: str) -> tuple[str, float]:
    words = text.split()
    for topic in TOPICS:
        if text == topic.question:
            return topic.name, 1.0
        first, second, noise = (topic.name + part in words for part in ("first", "second", "noise"))
        needs_second = any(f"{topic.name}second" in page[2] for page in topic.pages)
        if first or second:
            return topic.name, 0.9 if first and (second or not needs_second) and not noise else 0.2
    if model.endswith("other") and (found := re.search(r"\b([a-z]{3})other(\d\d)\b", text)):
        return found[1], int(found[2]) / 100
    found = re.search(rf"\b({'|'.join(_NAMES)})(\d\d)\b", text)
    return (found[1], int(found[2]) / 100) if found else ("", 0.0)


def make(root: Path, *, config: str = CONFIG, more: Sequence[dict[str, object]] = ()) -> Project:
    """The project of all topics, nothing embedded; `more` are further questions."""
    pages = [page for topic in TOPICS for page in topic.pages]
    lines = [{"id": name, "title": title, "text": text} for name, title, text in pages]
    questions: list[dict[str, object]] = [
        {"qid": topic.name, "question": topic.question, "evidence": [{"doc": topic.target, "quote": topic.quote}]}
        for topic in TOPICS
    ]
    for path, rows in ((root / "docs" / "pages.jsonl", lines), (root / "evals" / "golden.jsonl", [*questions, *more])):
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name in ("models/plain", OTHER_MODEL):
        write_model(root / name)
    (root / "ragtriage.toml").write_text(config, encoding="utf-8")
    return Project.open(root)


def embed(project: Project, configs: Iterable[Config]) -> None:
    """Put the planted vectors of everything that these configurations index, and of all questions, into the cache."""
    questions = [question.question for question in project.golden.questions]
    cache = VectorCache(project.cache / "vectors.sqlite")
    for config in configs:
        variant = project.variant(config)
        texts = {*variant.chunks.units.indexed_texts(), *questions}
        fingerprint, model = variant.encoder.fingerprint, config.embedding.model
        cache.put({key_of(fingerprint, text): vector(text, model) for text in texts})
        variant.close()
    cache.close()


def write_model(folder: Path) -> None:
    """A model folder whose tokens are words, with a window of 512 and without weights that load."""
    folder.mkdir(parents=True)
    words = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(words), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"name": folder.name}), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 512}', encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"nobody can load this")


def _page(name: str, *words: str, length: int = 15, title: str = "page") -> tuple[str, str, str]:
    """A page of `length` words, filled up."""
    return name, title, " ".join([*words, name, *["stone"] * (length - 1 - len(words))])


def _topic(lever: str, name: str, question: str, *pages: tuple[str, str, str], quote: str = "") -> Topic:
    """The last of `pages` is the one that is lost."""
    pads = [_page(f"{name}pad{number:02d}", f"{name}{40 - number}") for number in range(_PADS)]
    return Topic(lever, name, question, pages[-1][0], quote or pages[-1][0], (*pads, *pages))


def _nearer(name: str) -> list[tuple[str, str, str]]:
    """Pages that are before one that is not near."""
    return [_page(f"{name}a{number}", f"{name}{80 - number}") for number in range(4)]


def _mode() -> Topic:
    """The nearest, and without a word of the question: what has both is before it."""
    both = [_page(f"moda{number}", *["quarzo"] * (4 - number), f"mod{91 - number}") for number in range(2)]
    return _topic("mode", "mod", "quarzo", *both, _page("modlost", "mod92"))


def _fusion() -> Topic:
    """Fifth by its words and third by its vector, but far nearer than what is before it in both: only the scores tell."""
    words = [_page(f"fusa{number}", *["lumero"] * (9 - number), f"fus{52 - number}") for number in range(2)]
    more = [_page(f"fusb{number}", *["lumero"] * (7 - number)) for number in range(2)]
    near = [_page(f"fusc{number}", f"fus{97 - number}") for number in range(2)]
    return _topic("fusion", "fus", "lumero", *words, *more, *near, _page("fuslost", *["lumero"] * 5, "fus95"))


def _rrf_k() -> Topic:
    """Third and tenth, beside what is fifth and seventh or sixth in both: a small constant puts the third first."""
    words = [_page(f"rrfa{number}", *["vintara"] * (12 - number)) for number in range(4)]
    both = [_page("rrfb0", *["vintara"] * 8, "rrf86"), _page("rrfb1", *["vintara"] * 7, "rrf87")]
    more = [_page(f"rrfc{number}", *["vintara"] * (6 - number)) for number in range(3)]
    near = [_page(f"rrfd{number}", f"rrf{cosine}") for number, cosine in enumerate((92, 91, 89, 88))]
    return _topic("rrf_k", "rrf", "vintara", *words, *both, *more, *near, _page("rrflost", *["vintara"] * 3, "rrf90"))


def _depth() -> Topic:
    """Twelfth in both lists, and nothing else is in both."""
    words = [_page(f"depa{number:02d}", *["sorvane"] * 5) for number in range(11)]
    near = [_page(f"depb{number:02d}", f"dep{90 - number}") for number in range(11)]
    return _topic("depth", "dep", "sorvane", *words, *near, _page("deplost", "sorvane", "dep70"))


def _reranker() -> Topic:
    """Both words side by side, in a longer page than the others: only the reranker sees that they belong together."""
    apart = ["gamvo", *["stone"] * 5, "deltro"]
    others = [_page(f"rera{number}", *apart, f"rer{90 - number}", length=10) for number in range(2)]
    return _topic("reranker", "rer", "gamvo deltro", *others, _page("rerlost", "gamvo", "deltro", "rer60", length=15))


def _prefix() -> Topic:
    """The others are before it by their titles alone."""
    others = [_page(f"prea{number}", "epsilo", title=f"epsilo epsilo epsilo pre{90 - number}") for number in range(2)]
    return _topic("prefix", "pre", "epsilo", *others, _page("prelost", "epsilo", "epsilo", "pre60"))


def _long(name: str, length: int, places: dict[int, str]) -> tuple[str, str, str]:
    """A page without a place to break at, with words at some places."""
    return name, "page", " ".join(places.get(place, "stone") for place in range(length))


def _smaller() -> Topic:
    """What is asked fills half a chunk, and the other half is about something else; a quarter is too little."""
    _, _, first = _long("", 26, {0: "dwnfirst", 2: "dwnlost", 25: "dwnsecond"})
    _, _, rest = _long("", 20, {3: "dwnnoise"})
    return _topic("size", "dwn", "halfway", *_nearer("dwn"), ("dwnlost", "page", f"{first}\n\n{rest}"))


def _larger() -> Topic:
    """Two chunks hold what only makes sense together, far apart."""
    page = _long("upplost", 100, {5: "uppfirst", 95: "uppsecond", 90: "upplost"})
    return _topic("size", "upp", "together", *_nearer("upp"), page)


def _overlap() -> Topic:
    """A cut goes through what belongs together; all of both chunks is too much."""
    page = _long("ovelost", 100, {2: "ovenoise", 60: "ovefirst", 68: "ovesecond", 70: "ovelost"})
    return _topic("overlap", "ove", "cutting", *_nearer("ove"), page)


def _small_to_big() -> Topic:
    """A few words among others: even half a chunk says more of something else."""
    _, _, first = _long("", 12, {3: "smafirst", 5: "smalost"})
    rest = [_long("", 12, {2: "smanoise"})[2] for _ in range(3)]
    return _topic("small-to-big", "sma", "little", *_nearer("sma"), ("smalost", "page", "\n\n".join([first, *rest])))


def _model() -> Topic:
    """Near for another model only."""
    return _topic("model", "mdl", "elsewhere", *_nearer("mdl"), _page("mdllost", "mdl20", "mdlother95"))


_MADE = (_mode, _fusion, _rrf_k, _depth, _reranker, _prefix, _smaller, _larger, _overlap, _small_to_big, _model)
TOPICS: tuple[Topic, ...] = tuple(made() for made in _MADE)
_NAMES = [topic.name for topic in TOPICS]
