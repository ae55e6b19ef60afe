"""The reranking stage with a tiny cross-encoder that the test makes: random weights, the right shape."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtriage.config import EmbeddingConfig, RetrievalConfig
from ragtriage.errors import ConfigError, EncoderFailed
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.search.indexes import Indexes
from ragtriage.search.model_files import model_folder
from ragtriage.search.pipeline import Query, Retriever
from ragtriage.search.reranking import Asked
from ragtriage.types import Failure, Ranking, no_progress

pytestmark = pytest.mark.xdist_group("reranker")  # one worker starts the process once

TRAINER = Path(__file__).resolve().parents[2] / "fakes" / "train_reranker.py"
WIDTH = 16
PASSAGES = ["refunds within thirty days", "shipping takes a week " * 9, "reset your password", "", "refunds " * 400]


def tiny_cross_encoder(folder: Path, outputs: int = 1) -> Path:
    from safetensors.numpy import save_file

    folder.mkdir()
    packaged = model_folder(EmbeddingConfig())
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(packaged / name, folder / name)
    config = json.loads((packaged / "config.json").read_bytes())
    config |= {"architectures": ["BertForSequenceClassification"], "hidden_size": WIDTH, "intermediate_size": 32}
    config |= {"num_attention_heads": 2, "num_hidden_layers": 1, "id2label": {str(n): f"L{n}" for n in range(outputs)}}
    config |= {"label2id": {f"L{n}": n for n in range(outputs)}}
    (folder / "config.json").write_text(json.dumps(config))
    shapes = {
        "embeddings.word_embeddings": (30522, WIDTH),
        "embeddings.position_embeddings": (512, WIDTH),
        "embeddings.token_type_embeddings": (2, WIDTH),
        "encoder.layer.0.attention.self.query": (WIDTH, WIDTH),
        "encoder.layer.0.attention.self.key": (WIDTH, WIDTH),
        "encoder.layer.0.attention.self.value": (WIDTH, WIDTH),
        "encoder.layer.0.attention.output.dense": (WIDTH, WIDTH),
        "encoder.layer.0.intermediate.dense": (32, WIDTH),
        "encoder.layer.0.output.dense": (WIDTH, 32),
        "pooler.dense": (WIDTH, WIDTH),
    }
    rng = np.random.default_rng(5)
    tensors = {f"bert.{name}.weight": rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    tensors |= {
        f"bert.{name}.bias": np.zeros(shape[0], np.float32) for name, shape in shapes.items() if "_embeddings" not in name
    }
    for norm in ("embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"):
        tensors[f"bert.{norm}.LayerNorm.weight"] = np.ones(WIDTH, np.float32)
        tensors[f"bert.{norm}.LayerNorm.bias"] = np.zeros(WIDTH, np.float32)
    tensors["classifier.weight"] = rng.normal(0, 1, (outputs, WIDTH)).astype(np.float32)
    tensors["classifier.bias"] = np.zeros(outputs, np.float32)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EncoderProcess]:
    one = EncoderProcess(EmbeddingConfig(), cache=tmp_path_factory.mktemp("cache"))
    yield one
    one.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny"))


def scores(process: EncoderProcess, model: str, question: str, *passages: str) -> np.ndarray:
    (found,) = process.score(model, [Asked(question, passages)], no_progress)
    assert not isinstance(found, Failure)
    return found


def test_a_score_is_a_function_of_its_pair_alone(process: EncoderProcess, model: str) -> None:
    together = scores(process, model, "how to get a refund", *PASSAGES)
    assert together.dtype == np.float32
    assert len(set(together.tolist())) == 5
    alone = [scores(process, model, "how to get a refund", passage) for passage in PASSAGES]
    assert np.concatenate(alone).tobytes() == together.tobytes()
    other = scores(process, model, "reset", *PASSAGES)
    assert other.tolist() != together.tolist()
    asked = [Asked("reset", (*PASSAGES,)), Asked("nothing", ()), Asked("how to get a refund", (*PASSAGES,))]
    several = process.score(model, asked, no_progress)
    assert [some.tolist() for some in several if not isinstance(some, Failure)] == [other.tolist(), [], together.tolist()]


def test_the_pool_is_put_in_the_order_of_the_scores(
    process: EncoderProcess, model: str, tmp_path: Path, chunks_of: Callable[..., Any], fake_encoder: Any
) -> None:
    question = "refunds within days"
    retrieval = RetrievalConfig(rerank=model)
    indexes = Indexes(chunks_of(*PASSAGES), EmbeddingConfig(), cache=tmp_path, encoder=fake_encoder)
    (found,) = Retriever(indexes, retrieval, reranker=process).search([Query(question)])
    indexes.close()
    assert isinstance(found, Ranking)
    expected = [f"d{place + 1}" for place in np.argsort(-scores(process, model, question, *PASSAGES))]
    assert list(found.ids) == expected
    assert [hit.score for hit in found.hits] == pytest.approx(
        sorted(scores(process, model, question, *PASSAGES).tolist(), reverse=True), abs=1e-6
    )
    assert sorted(found.stages["fused"]) == sorted(expected)


def test_one_that_was_trained_and_saved_puts_first_what_it_learned(
    process: EncoderProcess, model: str, tmp_path: Path, chunks_of: Callable[..., Any], fake_encoder: Any
) -> None:
    learned = {"how to get a refund": 0, "when does it come": 1, "i cannot sign in": 2}
    texts = PASSAGES[:3]
    pairs = [[question, text, int(row == right)] for question, right in learned.items() for row, text in enumerate(texts)]
    folder = tmp_path / "trained"
    done = subprocess.run(
        [sys.executable, str(TRAINER), model, str(folder)], input=json.dumps(pairs), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "model.safetensors").is_file()
    indexes = Indexes(chunks_of(*texts), EmbeddingConfig(), cache=tmp_path, encoder=fake_encoder)
    one = Retriever(indexes, RetrievalConfig(rerank=str(folder), k=1, pool=3), reranker=process)
    found = one.search([Query(question) for question in learned])
    indexes.close()
    assert [each.ids[0] for each in found if isinstance(each, Ranking)] == ["d1", "d2", "d3"]


def test_what_is_no_reranker_is_refused(process: EncoderProcess, tmp_path: Path) -> None:
    with pytest.raises(EncoderFailed, match="2 outputs; a reranker has one"):
        scores(process, str(tiny_cross_encoder(tmp_path / "two", outputs=2)), "q", "p")
    with pytest.raises(ConfigError, match=r"retrieval\.rerank: there is no folder"):
        scores(process, "./absent", "q", "p")
