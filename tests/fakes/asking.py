"""A process that asks a server one list of questions and says after each how many it has: to be killed, or interrupted.

python -m tests.fakes.asking PROVIDER URL COUNT CACHE
"""

from __future__ import annotations

import sys
from pathlib import Path

from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Request
from ragtriage.answers.models.replies import ReplyCache
from ragtriage.remote.endpoint import Endpoint


def main(provider: str, url: str, count: str, cache: str) -> None:
    endpoint = Endpoint(provider, model="m", base_url=url, timeout_s=30.0, retries=2)  # type: ignore[arg-type]
    asker = Asker(endpoint, ReplyCache(Path(cache)), permit=lambda: None)

    def tell(stage: str, done: int, total: int) -> None:
        print(f"{stage} {done}", flush=True)

    try:
        found = asker.ask([Request("", f"q{n}") for n in range(int(count))], lambda _: None, stage="have", progress=tell)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        return
    for one in found:
        print(one, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
