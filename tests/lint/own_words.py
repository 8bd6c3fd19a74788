#!/usr/bin/env python3
"""Finds passages that our sources share with torch, torchgen, functorch, transformers or NumPy.

  tests/lint/own_words.py                        the checkout, compared with the oracle environment
  tests/lint/own_words.py --paths impl python    only these folders and files
  tests/lint/own_words.py --other DIR            compares with another tree; may be repeated

It looks for three things and ignores layout:
  code       55 tokens in a row of one function. Ignores strings, comments, imports, decorators, declared fields and
             signatures of functions: names, error texts and signatures are facts.
  prose      23 words in a row, of comments, docstrings and Markdown.
  functions  Python bodies of 80 tokens or more with the same shape: all variables count as equal, and `ALIKE` is the
             share of common five-token sequences.

Code and prose are found by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003), shapes by bottom-k sketches (Cohen,
1997). build/own-words caches the index of a tree until its version or this file changes. `tests/data/own-words.txt`
lists permitted passages with reasons.

Needs numpy. Exit status: 0 if nothing was found, 1 if something was or an entry of the list is unused, 2 if torch is
missing.
"""

import argparse
import hashlib
import importlib.metadata
import keyword
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = ROOT / "tests/data/own-words.txt"
TREES = {"torch": "torch", "torchgen": "torch", "functorch": "torch", "transformers": "transformers", "numpy": "numpy"}
PYTHON, C = {".py", ".pyi"}, {".c", ".cc", ".cpp", ".h", ".hpp", ".i"}
# Headers that a generator writes from signatures alone, so that equal text in them is not copied.
GENERATED = ("include/ATen/ops/", "include/ATen/Functions.h", "include/ATen/core/TensorBody.h")
LEFT_OUT = {".git", "build", "node_modules", "__pycache__"}
FROZEN = "capi/abi/history/"  # programs of earlier releases, which are never edited

CODE_WINDOW, PROSE_WINDOW, STEP = 48, 16, 8  # finds shared runs of at least WINDOW + STEP - 1 tokens
FEWEST = 12  # distinct tokens that a passage must have
SHAPE_WINDOW, SKETCH, SHORTEST, ALIKE = 5, 32, 80, 0.75
MOST_ALLOWED = 40

PYTHON_TOKEN = re.compile(
    r"""[rRbBfFuU]{0,2}(?:\"{3}[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"{3}|'{3}[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'{3}"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')|\#[^\n]*|\n[ \t]*|\w+|[^\w\s]""",
    re.DOTALL,
)
C_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
    r"""|\n|\w+|[^\w\s]""",
    re.DOTALL | re.MULTILINE,
)
WORD = re.compile(r"\w+|\n")
NEWLINE, STRING, COMMENT, VARIABLE = (np.uint64(2 * number) for number in range(1, 5))
QUOTES = ('"', "'")


class Numbers(dict):
    """Returns a number for each token, odd for names; all strings have one number, as do all comments and all line
    ends."""

    def __missing__(self, token):
        if token[0] == "\n":
            return NEWLINE
        if token[0] == "#" or token[:2] in ("//", "/*") or token.lstrip().startswith("#"):
            return COMMENT
        if token[-1] in QUOTES and len(token) > 1:
            return STRING
        digest = int.from_bytes(hashlib.blake2b(token.encode(), digest_size=8).digest(), "little")
        is_name = token.isidentifier() and not keyword.iskeyword(token)
        number = self[token] = np.uint64(digest | 1 if is_name else digest & ~1)
        return number

    def number_tokens(self, tokens):
        return np.fromiter(map(self.__getitem__, tokens), np.uint64, len(tokens))


NUMBERS = Numbers()
SEPARATORS, DOT, CALL = NUMBERS.number_tokens(",:"), NUMBERS["."], NUMBERS["("]
OPENING, CLOSING = NUMBERS.number_tokens("([{"), NUMBERS.number_tokens(")]}")


def hash_windows(numbers, size):
    """Hashes each `size` consecutive numbers, by doubling windows of 1, 2, 4, ... numbers."""
    count = len(numbers) - size + 1
    if count <= 0:
        return np.empty(0, np.uint64)
    result, done = np.zeros(count, np.uint64), 0
    chunk, length, factor = numbers, 1, 0x9E3779B97F4A7C15
    while length <= size:
        if size & length:
            result = result * np.uint64(factor) + chunk[done : done + count]
            done += length
        chunk = chunk[:-length] * np.uint64(factor) + chunk[length:]
        length, factor = 2 * length, factor * factor % 2**64
    result ^= result >> np.uint64(31)
    return result * np.uint64(0xD6E8FEB86659FD93)


def reduce_windows(reduction, values, size):
    """Applies `reduction` (np.minimum or np.maximum) to each `size` consecutive values."""
    length = 1
    while 2 * length <= size:
        values = reduction(values[:-length], values[length:])
        length *= 2
    rest = size - length
    return reduction(values[: len(values) - rest], values[rest:]) if rest else values


def select_fingerprints(hashes):
    """Selects hashes that are the minimum of STEP neighbours: few, but the same ones in equal passages."""
    if len(hashes) < STEP:
        return np.arange(len(hashes))
    smallest = reduce_windows(np.minimum, hashes, STEP)
    edge = np.zeros(STEP - 1, np.uint64)
    largest = reduce_windows(np.maximum, np.concatenate([edge, smallest, edge]), STEP)
    return np.flatnonzero(hashes == largest)


@dataclass
class Text:
    """The numbers of a file's tokens or words, and the line of each."""

    numbers: np.ndarray
    lines: np.ndarray


@dataclass
class Source:
    code: Text
    prose: Text
    functions: list = field(default_factory=list)  # pairs of a line and a sketch


def read_source(path):
    text = path.read_text(errors="ignore")
    if path.suffix in PYTHON:
        return read_python(text)
    return read_c(text) if path.suffix in C else Source(split_into_words([(1, "")]), split_into_words([(1, text)]))


def split_into_words(passages):
    """Splits (line, text) pairs into words, in order."""
    found, lines = [], []
    for line, text in passages:
        for word in WORD.findall(text.lower()):
            if word == "\n":
                line += 1
            else:
                found.append(word)
                lines.append(line)
    return Text(NUMBERS.number_tokens(found), np.array(lines, np.uint32))


def keep_code_tokens(numbers, lines, kept):
    """Keeps the tokens that count: drops strings, and keeps one separator if only strings were between several."""
    kept = np.flatnonzero(kept & (numbers != STRING))
    is_separator = np.isin(numbers[kept], SEPARATORS)
    kept = kept[~(is_separator & np.append(False, is_separator[:-1]))]
    return Text(numbers[kept], lines[kept])


def line_numbers_of(tokens, numbers):
    ends = (numbers == NEWLINE).astype(np.uint32)
    for place in np.flatnonzero((numbers == STRING) | (numbers == COMMENT)):
        ends[place] = tokens[place].count("\n")
    return 1 + np.cumsum(ends) - ends


def read_c(text):
    tokens = C_TOKEN.findall(text)
    numbers = NUMBERS.number_tokens(tokens)
    lines = line_numbers_of(tokens, numbers)
    comments = [place for place in np.flatnonzero(numbers == COMMENT) if tokens[place][0] == "/"]
    prose = split_into_words([(int(lines[place]), tokens[place]) for place in comments])
    return Source(keep_code_tokens(numbers, lines, (numbers != NEWLINE) & (numbers != COMMENT)), prose)


def read_python(text):
    tokens = PYTHON_TOKEN.findall("\n" + text)
    numbers = NUMBERS.number_tokens(tokens)
    lines = line_numbers_of(tokens, numbers) - 1
    depth = np.cumsum(np.isin(numbers, OPENING).astype(np.int32) - np.isin(numbers, CLOSING))
    is_prose = numbers == COMMENT
    for place in np.flatnonzero(numbers == STRING):
        is_prose[place] = tokens[place][-3:] in ('"""', "'''")
    prose = split_into_words([(int(lines[place]), tokens[place]) for place in np.flatnonzero(is_prose)])
    kept = (numbers != NEWLINE) & ~is_prose
    functions, shapes = [], unify_variable_names(numbers)
    for start, end, line in find_function_bodies(tokens, numbers, depth, lines, kept):
        body = shapes[start:end][kept[start:end]]
        if len(body) >= SHORTEST:
            functions.append((line, np.unique(hash_windows(body, SHAPE_WINDOW))[:SKETCH]))
    return Source(keep_code_tokens(numbers, lines, kept), prose, functions)


def find_function_bodies(tokens, numbers, depth, lines, kept):
    """Removes facts from `kept`; returns the bodies of functions as (start, end, line).

    Replaces each signature by a unique number, so that no passage spans two functions: one-line methods of an
    interface are the same in all implementations.
    """
    salt = np.bitwise_xor.reduce(numbers, initial=np.uint64(len(numbers)))
    begins = np.flatnonzero((numbers == NEWLINE) & (depth == 0))
    open_functions = []
    for place, after in zip(begins, np.append(begins[1:], len(tokens)), strict=True):
        first = place + 1
        if first == after or numbers[first] == COMMENT:
            continue
        indent = len(tokens[place])
        while open_functions and open_functions[-1][0] >= indent:
            _, start, line = open_functions.pop()
            yield start, place, line
        word = tokens[first]
        is_declared = tokens[first + 1 : first + 2] == [":"] and numbers[first] & np.uint64(1)
        if word in ("import", "from", "@") or is_declared:
            kept[first:after] = False
        elif word in ("def", "async") and "def" in tokens[first : first + 2]:
            ends = (end for end in range(first, len(tokens)) if tokens[end] == ":" and depth[end] == 0)
            body = next(ends, len(tokens)) + 1
            kept[first + 1 : body] = False
            numbers[first] = salt + np.uint64(2 * first)
            open_functions.append((indent, body, int(lines[first])))
    for _, start, line in reversed(open_functions):
        yield start, len(tokens), line


def unify_variable_names(numbers):
    """Gives all names the same number, except attributes and called functions."""
    is_attribute = np.append(False, numbers[:-1] == DOT)
    is_called = np.append(numbers[1:] == CALL, False)
    is_name = (numbers & np.uint64(1)).astype(bool)
    return np.where(is_name & ~is_attribute & ~is_called, VARIABLE, numbers)


def yield_source_files(root):
    """Lists the files of a tree with code or prose, each with its path in the tree."""
    paths = [root] if root.is_file() else sorted(root.rglob("*"))
    for path in paths:
        name = path.relative_to(root).as_posix() if path != root else path.name
        if path.suffix in PYTHON | C | {".md"} and not LEFT_OUT & set(name.split("/")) and path.is_file():
            yield name, path


class Index:
    """The index of another tree: hashes of its passages and sketches of its functions, with their locations."""

    FIELDS = ("names", "code", "code_at", "prose", "prose_at", "shape", "shape_of", "function_at")

    def __init__(self, **arrays):
        self.__dict__.update(arrays)

    @classmethod
    def index_tree(cls, root):
        names, passages, functions = [], {"code": [], "prose": []}, []
        for name, path in yield_source_files(root):
            if name.startswith(GENERATED):
                continue
            source = read_source(path)
            for kind, window in (("code", CODE_WINDOW), ("prose", PROSE_WINDOW)):
                text = getattr(source, kind)
                hashes = hash_windows(text.numbers, window)
                chosen = select_fingerprints(hashes)
                passages[kind].append((hashes[chosen], pack_file_and_line(len(names), text.lines[chosen])))
            functions += [(pack_file_and_line(len(names), line), sketched) for line, sketched in source.functions]
            names.append(name)
        arrays = {"names": np.array(names)}
        for kind, found in passages.items():
            hashes, places = (np.concatenate(column) for column in zip(*found, strict=True))
            arrays[kind], first = np.unique(hashes, return_index=True)
            arrays[f"{kind}_at"] = places[first]
        arrays["function_at"] = np.array([place for place, _ in functions], np.uint64)
        owners = np.repeat(np.arange(len(functions), dtype=np.uint32), [len(sketched) for _, sketched in functions])
        hashes = np.concatenate([sketched for _, sketched in functions] or [np.empty(0, np.uint64)])
        order = np.argsort(hashes, kind="stable")
        arrays["shape"], arrays["shape_of"] = hashes[order], owners[order]
        return cls(**arrays)

    @classmethod
    def load_or_index(cls, root, version, folder):
        own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
        path = folder / f"{root.name}-{version}-{own}.npz"
        if path.is_file():
            with np.load(path) as stored:
                return cls(**{name: stored[name] for name in cls.FIELDS})
        index = cls.index_tree(root)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(f"{root.name}-*.npz"):
            old.unlink()
        np.savez(path, **{name: getattr(index, name) for name in cls.FIELDS})
        return index

    def location_in_tree(self, at):
        return f"{self.names[int(at) >> 32]}:{int(at) & 0xFFFFFFFF}"

    def find_passages(self, kind, text, window):
        """Returns (first line, last line, location in the tree) of each shared passage."""
        hashes, known = hash_windows(text.numbers, window), getattr(self, kind)
        if not len(hashes) or not len(known):
            return
        where = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        hits = np.flatnonzero(known[where] == hashes)
        for run in np.split(hits, np.flatnonzero(np.diff(hits) > window) + 1):
            if len(run) and len(np.unique(text.numbers[run[0] : run[-1] + window])) >= FEWEST:
                last = text.lines[run[-1] + window - 1]
                yield (
                    int(text.lines[run[0]]),
                    int(last),
                    self.location_in_tree(getattr(self, f"{kind}_at")[where[run[0]]]),
                )

    def find_alike(self, sketched):
        """Returns the similarity and the location of the most similar function."""
        starts, ends = (np.searchsorted(self.shape, sketched, side) for side in ("left", "right"))
        owners = np.concatenate([self.shape_of[start:end] for start, end in zip(starts, ends, strict=True)])
        if not len(owners):
            return 0, ""
        functions, shared = np.unique(owners, return_counts=True)
        best = functions[shared.argmax()]
        return shared.max() / len(sketched), self.location_in_tree(self.function_at[best])


def pack_file_and_line(file, line):
    return (np.uint64(file) << np.uint64(32)) | np.asarray(line, np.uint64)


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    texts: tuple  # of the function's lines
    what: str

    def list_allowed_entries(self, allowed):
        return [(self.path, text) for text in self.texts if (self.path, text) in allowed]


def yield_findings(name, path, trees):
    source, text = read_source(path), [line.strip() for line in path.read_text(errors="ignore").split("\n")]
    for tree, index in trees.items():
        for kind, window in (("code", CODE_WINDOW), ("prose", PROSE_WINDOW)):
            for first, last, place in index.find_passages(kind, getattr(source, kind), window):
                shared = f"{kind} up to line {last} as in {tree}/{place}"
                yield Finding(name, first, tuple(text[first - 1 : last]), shared)
        for line, sketched in source.functions:
            alike, place = index.find_alike(sketched)
            if alike >= ALIKE:
                yield Finding(name, line, (text[line - 1],), f"function {alike:.2f} alike to {tree}/{place}")


def read_allowed(path):
    """Maps (file, text of a line of the passage) to the reason for which it is permitted."""
    allowed = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, text, reason = line.split(" | ")
            allowed[name, text] = reason
    return allowed


def find_trees(options):
    """Returns the other trees by name, with the version of each."""
    if options.other:
        return {root.name: (root, None) for root in options.other}
    trees = {}
    for name, distribution in TREES.items():
        try:
            found = importlib.metadata.distribution(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
        root = Path(found.locate_file(name))
        if root.is_dir() and "mindtorch" not in found.version:
            trees[name] = root, found.version
    return trees


def parse_arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", nargs="*", type=Path, metavar="PATH", help="files and folders of the project")
    parser.add_argument("--project", type=Path, default=ROOT, metavar="DIR", help="another checkout")
    parser.add_argument("--other", action="append", type=Path, metavar="DIR", help="compare with this tree")
    parser.add_argument("--allowed", type=Path, default=ALLOWED, metavar="FILE", help="what may be shared")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/own-words", metavar="DIR", help="of the indices")
    return parser.parse_args(given)


def main(given=None):
    options = parse_arguments(given)
    found = find_trees(options)
    if not found or not (options.other or "torch" in found):
        print("error: no torch to compare with: run this with the Python of build/venv/oracle", file=sys.stderr)
        return 2
    trees = {
        name: Index.index_tree(root) if version is None else Index.load_or_index(root, version, options.cache)
        for name, (root, version) in found.items()
    }
    project = options.project.resolve()
    findings = []
    for folder in [path.resolve() for path in options.paths or [project]]:
        for path in (path for _, path in yield_source_files(folder)):
            name = path.relative_to(project).as_posix()
            findings += () if name.startswith(FROZEN) else yield_findings(name, path, trees)
    allowed = read_allowed(options.allowed)
    used = {entry for one in findings for entry in one.list_allowed_entries(allowed)}
    bad = [one for one in findings if not one.list_allowed_entries(allowed)]
    for one in sorted(bad, key=lambda one: (one.path, one.line)):
        print(f"{one.path}:{one.line}: {one.what}: {one.texts[0]}")
    unused = set() if options.paths else set(allowed) - used
    for name, text in sorted(unused):
        print(f"{options.allowed}: allows what is not there: {name} | {text}")
    is_long = len(allowed) > MOST_ALLOWED
    if is_long:
        print(f"{options.allowed}: {len(allowed)} entries; {MOST_ALLOWED} at most")
    print(f"own words: {len(bad)} shared passages beside {', '.join(trees)}; {len(findings) - len(bad)} allowed")
    return 1 if bad or unused or is_long else 0


if __name__ == "__main__":
    sys.exit(main())
