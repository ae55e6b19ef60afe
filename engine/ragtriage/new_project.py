"""A new project: a commented ragtriage.toml, an empty golden set and its log, and how git merges them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ragtriage.errors import UsageError
from ragtriage.files import atomic_write, rewrite
from ragtriage.surrogates import clean_text

__all__ = ["TEMPLATE", "Started", "init_project"]

TEMPLATE = """\
# What ragtriage measures here. Every key is optional; a line without its # overrides the default that it shows.

[corpus]
path = {path}
# include = ["**/*.md", "**/*.txt", "**/*.html", "**/*.pdf", "**/*.jsonl"]
# access_key = ""              # the front-matter key that lists who may see a page; empty: everybody sees all

[golden]
# path = "evals/golden.jsonl"
# needs = "all"                # all | any: what a question needs of its evidence where it does not say

[chunking]
# strategy = "recursive"       # whole | fixed | recursive | semantic | small_to_big
# size = 200                   # tokens of text; with prefix and special tokens it fits a window of 256
# overlap = 0
# heading_prefix = true        # index "title > heading path" with each chunk
# child_size = 64              # small_to_big: what is searched; the chunk of `size` around it is returned
# break_at = "percentile"      # semantic: threshold is a percentile | absolute: a cosine distance, 0 to 2
# threshold = 90.0             # semantic: neighbouring sentences further apart than this are parted

[embedding]
# provider = "local"           # local | openai (whatever speaks like it: TEI, vLLM, Ollama)
# model = "sentence-transformers/all-MiniLM-L6-v2"    # or a folder; of a server, as it calls it
# device = "cpu"
# dtype = "float32"            # float32 | bfloat16
# batch_size = 32
# offline = false              # true: never ask the hub
# base_url = ""                # provider = "openai": such as "http://127.0.0.1:8080/v1"; empty: OpenAI's own
# api_key_env = ""             # the environment variable that holds the key; empty: OPENAI_API_KEY
# price = 0.0                  # of a million tokens; 0: not known
# dimensions = 0               # 0: as the model has them
# tokenizer = ""               # whose tokens count sizes: a model or a folder; empty: all-MiniLM-L6-v2
# window = 512                 # tokens of a text that the server's model reads
# query_prefix = ""            # before each question, such as "query: "; with provider = "local", too
# document_prefix = ""         # before each indexed text, such as "passage: "

[retrieval]
# system = "embedded"          # embedded | python | command | http | recorded | qdrant: whose retriever is measured
# mode = "hybrid"              # bm25 | dense | hybrid
# k = 5                        # passages in the prompt
# fusion = "rrf"               # rrf | zscore
# rrf_k = 60
# depth = 100                  # candidates of each retriever
# pool = 50                    # candidates kept: what a reranker sees
# rerank = ""                  # a cross-encoder's name or folder, or lexical (no model), or command
# rerank_command = []          # a program and its arguments
# language = "en"
# python = "python3"           # system = "python": the interpreter, such as ".venv/bin/python"
# callable = ""                # the function that retrieves: "myapp.rag:retrieve"
# answer_callable = ""         # the function that answers from passages, for generator = "system"
# command = []                 # system = "command": a program and its arguments, which reads and writes lines of JSON
# url = ""                     # system = "http"; {{{{question}}}} and {{{{k}}}} may stand in it
# answer_url = ""              # answers from passages, for generator = "system"
# method = "POST"              # POST | GET
# headers = []                 # such as "Authorization: Bearer ${{SEARCH_TOKEN}}": a variable of the environment
# request = ""                 # what is sent, as JSON: {{"query": "{{{{question}}}}", "top": "{{{{k}}}}"}}
# answer_request = ""          # {{{{question}}}} and {{{{passages}}}}
# hits_at = ""                 # where in the reply the hits stand, such as "hits.hits"; empty: under a usual name
# id_at = ""                   # and where in each hit, such as "_source.ref"
# text_at = ""
# doc_at = ""
# score_at = ""
# answer_at = ""
# recorded = ""                # system = "recorded": a TREC run, JSON lines or exported traces; nothing is called
# own_answers = false          # true: answers come with the passages, for generator = "system"
# urls = []                    # system = "qdrant": the nodes of one cluster, such as "http://10.0.0.5:6333"
# collection = ""              # what ragtriage index --to qdrant makes and fills
# api_key_env = ""             # the environment variable that holds the key; empty: none is asked for
# shards = 1                   # BM25 weighs words by shard: rankings depend on it
# replicas = 1                 # copies of each shard

[answers]
# generator = "extractive"     # extractive (no model) | openai (whatever speaks like it) | anthropic | command | system
# model = ""                   # as the provider calls it
# base_url = ""                # such as "http://127.0.0.1:8080/v1"; empty: the provider's own
# api_key_env = ""             # the environment variable that holds the key; empty: OPENAI_API_KEY, ANTHROPIC_API_KEY
# command = []                 # a program and its arguments, which reads and writes lines of JSON
# temperature = 0.0
# max_tokens = 500             # the longest answer
# input_price = 0.0            # of a million tokens, in any currency; 0: not known
# output_price = 0.0
# max_context_tokens = 3000    # passages in the prompt, together
# order = "ranked"             # ranked | reversed (the best last) | document: how they stand in the prompt
# prompt = ""                  # a template file with {{passages}} and {{question}}; empty: the built-in one

[judge]
# provider = "none"            # none | openai | anthropic | command: who judges what the grades cannot decide
# model = ""                   # this and the keys below are those of [answers]
# base_url = ""
# api_key_env = ""
# command = []
# temperature = 0.0
# max_tokens = 1000
# input_price = 0.0
# output_price = 0.0

[gate]
# metrics = ["recall@k", "mrr"]    # what must not fall; hit@k, ndcg@10 and the like, too
# answers = ["correct"]        # with gate --answers; and of a judge grounded, cited, honest, addresses
# tolerance = "auto"           # how much a mean may fall; auto: 0.05, and 2.5 questions where that is more
# floors = []                  # such as "recall@k 0.7", "hit@k kind:exact 0.9", "mrr tag:billing 0.5"

[sweep]
# strategy = []                # what ragtriage sweep combines, such as ["recursive", "small_to_big"]
# size = []                    # [128, 256, 512]; under small_to_big the parents
# overlap = []
# child_size = []              # left out: a quarter of the size
# heading_prefix = []          # [true, false]
# model = []
# dtype = []
# mode = []
# k = []
# fusion = []
# rrf_k = []
# depth = []
# pool = []
# rerank = []
# language = []

[run]
# timeout_s = 30.0             # for one request to a model
# concurrency = 4              # requests at once
# retries = 4                  # tries after the first, on 429, 5xx and cut connections
# pass_env = []                # environment variables that programs get beside PATH, HOME, LANG, LC_* and TMPDIR
# keep = 50                    # runs kept; those that a verdict or the baseline names stay always
"""

_MERGED = ("golden.jsonl", "verdicts.jsonl", "judgements.jsonl", "reviews.jsonl", "inbox.jsonl", "holdout.jsonl")
"""Files of which a merge keeps both branches' lines. A question that both changed then stands twice: golden check names it."""
_LIKELY = ("docs", "doc", "documentation", "content", "pages", "articles", "corpus", "wiki")


class Started(NamedTuple):
    """The files that were written, those that were there already and stay as they are, and the folder of the documents as the
    configuration names it, which need not be there yet."""

    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    docs: str


def init_project(root: Path | str, *, docs: str = "") -> Started:
    """Make a project of a folder, which may hold one already: nothing that is there is replaced.

    `docs` is where the documents lie, seen from `root`; where it is "", a likely folder that is there, else `docs`. Raises
    UsageError where `root` is a file, StorageError.
    """
    root = Path(root)
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root}: not a folder")
    docs = docs or _likely(root)
    written, kept = [], []
    wanted = {
        root / "ragtriage.toml": TEMPLATE.format(path=_toml_string(docs)),
        root / "evals" / "golden.jsonl": "",
        root / "evals" / "verdicts.jsonl": "",
    }
    for path, text in wanted.items():
        if path.exists():
            kept.append(path)
        else:
            atomic_write(path, text.encode("utf-8", "surrogateescape"))
            written.append(path)
    (written if _merge_rules(root / ".gitattributes") else kept).append(root / ".gitattributes")
    return Started(tuple(written), tuple(kept), docs)


def _likely(root: Path) -> str:
    return next((name for name in _LIKELY if (root / name).is_dir()), "docs")


def _toml_string(text: str) -> str:
    import json

    return json.dumps(clean_text(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _merge_rules(path: Path) -> bool:
    """Add the lines that are missing from .gitattributes; whether there were any."""
    added = False

    def change(old: bytes) -> bytes:
        nonlocal added
        known = {line.split()[0] for line in old.decode("utf-8", "replace").splitlines() if line.split()}
        new = [f"evals/{name} merge=union\n" for name in _MERGED if f"evals/{name}" not in known]
        added = bool(new)
        separator = b"\n" if old and not old.endswith(b"\n") else b""
        return old + (separator + "".join(new).encode() if new else b"")

    rewrite(path, change)
    return added
