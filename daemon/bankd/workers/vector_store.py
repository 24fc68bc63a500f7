"""Sentence vectors on the disk, and which of them are nearest to a question. Only `vector_worker` and exports load this."""

from __future__ import annotations

import fcntl
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bankd.storage.disk import make_in_workspace

_EXACTLY = 1_000
"""The number of vectors that are compared exactly; of 200,000 they include 96 % of the nearest 25."""
_SAMPLE = 500
"""The mean vector is computed from this many."""
_CHUNK = 20_000
_OF_TEXT = 0.6
"""How much of what strangers would have is that of the text; the rest is that of the question."""

Array = np.ndarray[Any, Any]


class VectorStore:
    """The vectors of one model in `.bankd/meaning/<model>/keys` and `vectors-<dimension>`; read by many, appended to by one.

    A key is 8 bytes of a text's checksum; a vector is half floats of length 1. A kill between the two appends leaves one
    file longer: what has no partner is ignored, and overwritten by the next append.

    Nearest neighbours are found in two steps: by the signs of the difference from the average (one bit per dimension:
    200,000 memories are 10 MB and some milliseconds), then exactly among those that agree in most signs.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder, which is made by the first append."""
        self._folder = folder
        self._inode, self._size = 0, -1
        self._keys: Array = np.empty(0, np.int64)
        self._vectors: Array = np.empty((0, 1), np.float16)
        self._signs: Array = np.empty((1, 0), np.uint64)
        self._middle: Array = np.empty(0, np.float32)
        self._order: Array = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def refresh(self) -> None:
        """Read what was appended since; a file that was replaced is read anew."""
        file = self._folder / "keys"
        status = file.stat() if file.is_file() else None
        now = (status.st_ino, status.st_size) if status else (0, 0)
        if now == (self._inode, self._size):
            return
        if now[0] != self._inode:
            self._signs = self._signs[:, :0]
        self._inode, self._size = now
        self._read(file)

    def _read(self, file: Path) -> None:
        vectors = next(iter(sorted(self._folder.glob("vectors-*"))), None)
        if vectors is None or not file.is_file():
            self._keys, self._vectors = self._keys[:0], self._vectors[:0]
            return
        dimension = int(vectors.name.partition("-")[2])
        count = min(file.stat().st_size // 8, vectors.stat().st_size // (2 * dimension))
        self._keys = np.fromfile(file, np.int64, count)
        self._vectors = (
            np.memmap(vectors, np.float16, "r", shape=(count, dimension)) if count else np.empty((0, dimension))
        )
        self._order = np.argsort(self._keys, kind="stable")

    def missing(self, keys: Sequence[int]) -> list[int]:
        """Of these keys, the ones without a vector."""
        found = self._places(keys)
        return [key for key in dict.fromkeys(keys) if key not in found]

    def _places(self, keys: Sequence[int]) -> dict[int, int]:
        if not len(self._keys) or not keys:
            return {}
        asked = np.asarray(keys, np.int64)
        at = np.searchsorted(self._keys, asked, sorter=self._order)
        places = self._order[np.minimum(at, len(self._order) - 1)]
        same = self._keys[places] == asked
        return dict(zip(asked[same].tolist(), places[same].tolist(), strict=True))

    def vectors_of(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The stored vectors of these keys as half floats; keys without one are left out."""
        return {key: self._vectors[place].tobytes() for key, place in self._places(keys).items()}

    def cosines_between(self, pairs: Sequence[Sequence[int]]) -> list[float | None]:
        """The cosine of the two vectors of each pair of keys; None if one is missing."""
        places = self._places([key for pair in pairs for key in pair])
        vectors = {key: self._vectors[place].astype(np.float32) for key, place in places.items()}
        return [
            float(np.nan_to_num(vectors[one] @ vectors[other])) if one in vectors and other in vectors else None
            for one, other in pairs
        ]

    def append(self, keys: Sequence[int], vectors: Array | Sequence[Array]) -> None:
        """Add vectors, one per row; they are made to have length 1."""
        vectors = np.asarray(vectors, np.float32)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(length > 0, length, 1)).astype(np.float16)
        make_in_workspace(self._folder)
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._size = -1
            self.refresh()
            count, dimension = len(self._keys), unit.shape[1]
            if count and dimension != self._vectors.shape[1]:
                raise ValueError(
                    f"the model gives {dimension} numbers a text, and gave {self._vectors.shape[1]} before"
                )
            _write_at(self._folder / f"vectors-{dimension}", 2 * dimension * count, unit.tobytes())
            _write_at(self._folder / "keys", 8 * count, np.asarray(keys, np.int64).tobytes())
        self.refresh()

    def near(
        self, question: Array, strangers: Sequence[Array], keys: Sequence[int], most: int
    ) -> dict[int, tuple[float, float]]:
        """By key the cosine of a question to a text, and the one that strangers would have; all vectors have length 1.

        Of the texts that are nearest compared with strangers, and of those with these keys; one without a vector is left out.
        """
        if not len(self._keys):
            return {}
        question, others = np.asarray(question, np.float32), np.asarray(strangers, np.float32)
        wanted = [*self._places(keys).values()]
        places = np.union1d(self._likely(question - _OF_TEXT * others.mean(axis=0)), np.asarray(wanted, np.int64))
        texts = np.asarray(self._vectors[places], np.float32)
        cosines, usual = np.nan_to_num(texts @ question), usual_cosines(question, others, texts)
        best = np.argsort(usual - cosines, kind="stable")[:most]
        found = dict.fromkeys([*best, *np.searchsorted(places, wanted)])
        return {int(self._keys[places[at]]): (float(cosines[at]), float(usual[at])) for at in found}

    def _likely(self, asked: Array) -> Array:
        """The places of the texts that may be nearest to a question without its part of what all questions have in common."""
        if len(self._keys) <= _EXACTLY:
            return np.arange(len(self._keys))
        self._sign_new()
        differing = np.zeros(len(self._keys), np.uint16)
        apart = _signs_of((asked - (1 - _OF_TEXT) * self._middle)[None])[:, 0]
        for words, word in zip(self._signs, apart, strict=True):
            differing += np.bitwise_count(words ^ word)
        return np.sort(np.argpartition(differing, _EXACTLY)[:_EXACTLY])

    def _sign_new(self) -> None:
        """Compute the signs of what was appended since; the middle stays that of the first time."""
        if not self._signs.shape[1]:
            sample = self._vectors[:: max(1, len(self._keys) // _SAMPLE)]
            self._middle = np.asarray(sample, np.float32).mean(axis=0)
            self._signs = _signs_of(self._vectors[:0] - self._middle)
        new = [
            _signs_of(np.asarray(self._vectors[at : at + _CHUNK], np.float32) - self._middle)
            for at in range(self._signs.shape[1], len(self._keys), _CHUNK)
        ]
        self._signs = np.concatenate([self._signs, *new], axis=1) if new else self._signs


def usual_cosines(question: Array, strangers: Array, texts: Array) -> Array:
    """The cosine that strangers would have in the place of a question and each of some texts; all are vectors of length 1.

    Between the cosine of the question to the nearest stranger's question, and that of the text to all of them in the mean:
    some questions and some texts are near to everything. Speaker verification calls this S-norm. `bench/ranking.md` has the figures.
    """
    usual: Array = np.nan_to_num(
        _OF_TEXT * (texts @ strangers.mean(axis=0)) + (1 - _OF_TEXT) * (strangers @ question).max()
    )
    return usual


def _signs_of(vectors: Array) -> Array:
    """One bit per dimension, 64 to a number, all numbers of the same dimensions side by side."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _write_at(file: Path, place: int, data: bytes) -> None:
    with file.open("r+b" if file.exists() else "w+b") as out:
        out.truncate(place)
        out.seek(place)
        out.write(data)
