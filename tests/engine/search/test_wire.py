from __future__ import annotations

import os
import threading

import pytest

from ragtriage.search.wire import Inbox, Message, pack_texts, send, unpack_texts


def test_messages_arrive_whole_and_in_order() -> None:
    read, write = os.pipe()
    big = os.urandom(3_000_000)
    writer = threading.Thread(target=lambda: (send(write, {"id": 1}, big), send(write, {"id": 2}), os.close(write)))
    writer.start()
    inbox, messages = Inbox(read), []
    while inbox.fill():
        while (message := inbox.take()) is not None:
            messages.append(message)
    writer.join()
    os.close(read)
    assert messages == [Message({"id": 1}, big), Message({"id": 2}, b"")]


def test_half_a_message_waits_for_the_rest() -> None:
    read, write = os.pipe()
    send(write, {"id": 1}, b"body")
    whole = os.read(read, 1000)
    inbox = Inbox(read)
    for byte in whole[:-1]:
        os.write(write, bytes([byte]))
        inbox.fill()
        assert inbox.take() is None
    os.write(write, whole[-1:])
    inbox.fill()
    assert inbox.take() == ({"id": 1}, b"body")
    os.close(write)
    assert not inbox.fill()
    os.close(read)


@pytest.mark.parametrize("texts", [[], [""], ["a", "naïve 東京", "\0\n", ""]])
def test_texts_come_back(texts: list[str]) -> None:
    assert unpack_texts(*pack_texts(texts)) == texts


def test_lone_surrogates_are_replaced() -> None:
    assert unpack_texts(*pack_texts(["a\ud800b"])) == ["a\ufffdb"]
