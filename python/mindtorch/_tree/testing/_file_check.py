"""FileCheck: searches a text for a sequence of strings, as LLVM's tool of that name does."""

import re

_SUFFIXES = {
    "CHECK": ": ",
    "CHECK-NEXT": "-NEXT: ",
    "CHECK-SAME": "-SAME: ",
    "CHECK-NOT": "-NOT: ",
    "CHECK-DAG": "-DAG: ",
    "CHECK-SOURCE-HIGHLIGHTED": "-SOURCE-HIGHLIGHTED: ",
    "CHECK-REGEX": "-REGEX: ",
}


class FileCheck:
    """Collects checks, and runs them on a text.

    Each method that adds a check returns the object, so that calls can be chained.

    Example:
        >>> torch.testing.FileCheck().check("add").check_next("mul").check_not("sub").run("x = add(a)\\ny = mul(x)\\n")
    """

    __module__ = "torch"

    def __init__(self):
        self._checks = []
        self._has_run = False

    def __del__(self):
        if not self._has_run:
            print("You have not run this instance of FileCheck!\nFileCheck checks:")
            for check in self._checks:
                print(f"\t{check.label}: {check.text}")

    def check(self, text):
        """Requires the text after the previous match.

        Args:
            text (str): what to find.
        """
        return self._add_check("check", "CHECK", text)

    def check_next(self, text):
        """Requires the text on the line after the previous match.

        Args:
            text (str): what to find.
        """
        return self._add_check("check_next", "CHECK-NEXT", text)

    def check_same(self, text):
        """Requires the text on the line of the previous match.

        Args:
            text (str): what to find.
        """
        return self._add_check("check_same", "CHECK-SAME", text)

    def check_not(self, text):
        """Refuses the text between the previous match and the next one.

        Args:
            text (str): what must be missing.
        """
        return self._add_check("check_not", "CHECK-NOT", text)

    def check_dag(self, text):
        """Requires the text after the previous match; adjacent checks of this kind match in any order.

        Args:
            text (str): what to find.
        """
        return self._add_check("check_dag", "CHECK-DAG", text)

    def check_regex(self, text):
        """Requires a match of a regular expression after the previous match.

        Args:
            text (str): the expression; `.` matches no newline, and `$` only the end of the text.
        """
        return self._add_check("check_regex", "CHECK-REGEX", text)

    def check_source_highlighted(self, text):
        """Requires the text with `~` below all its characters, and below none of its neighbours.

        Args:
            text (str): what to find.
        """
        return self._add_check("check_source_highlighted", "CHECK-SOURCE-HIGHLIGHTED", text)

    def check_count(self, str, count, exactly=False):
        """Requires the text several times after the previous match.

        Args:
            str (str): what to find.
            count (int): how often at least.
            exactly (bool): whether more matches before the next check are refused.
        """
        _require_text("check_count", self, str)
        if count < 0:
            raise TypeError(f"check_count(): expected a count of at least 0, but got {count}")
        if count == 0 and not exactly:
            raise RuntimeError("Count == 0 && !exactly doesn't do anything")
        if count:
            self._checks.append(_Check("CHECK-COUNT", str, count))
        if exactly:
            self._checks.append(_Check("CHECK-NOT", str))
        return self

    def run(self, checks_file, test_file=None):
        """Runs the checks.

        Args:
            checks_file (str): the text; with a second argument, a text with comments such as `# CHECK-NEXT: mul`, whose
                checks are added before the run.
            test_file (str): the text.
        """
        for value in (checks_file, test_file):
            if not isinstance(value, str) and (value is not None or value is checks_file):
                _raise_type_error(
                    "run", self, value, "self: torch._C.FileCheck, checks_file: str, test_file: str", "None"
                )
        self._has_run = True
        if test_file is not None:
            self._checks += _parse(checks_file)
            checks_file = test_file
        if not self._checks:
            raise RuntimeError("No checks have been added to this instance ofFilecheck! Check for bad input.")
        _Run(checks_file).all(self._checks)

    def _add_check(self, method, kind, text):
        _require_text(method, self, text)
        self._checks.append(_Check(kind, text))
        return self


class _Check:
    def __init__(self, kind, text, count=1):
        self.kind, self.text, self.count = kind, text, count
        self.label = f"{kind}-{count}" if kind == "CHECK-COUNT" else kind


class _Run:
    """One run: `position` is the end of the previous match."""

    def __init__(self, source):
        self.source = source
        self.position = 0

    def all(self, checks):
        refused = []
        rest = list(checks)
        while rest:
            check = rest.pop(0)
            if check.kind == "CHECK-NOT":
                refused.append(check)
                continue
            group = [check]
            while check.kind == "CHECK-DAG" and rest and rest[0].kind == "CHECK-DAG":
                group.append(rest.pop(0))
            matches = [self.match(item) for item in group]
            self.refuse_matches(refused, min(start for start, _ in matches))
            self.position = max(end for _, end in matches)
            refused = []
        self.refuse_matches(refused, len(self.source))

    def match(self, check):
        """The beginning and the end of a check's match."""
        if check.kind == "CHECK-REGEX":
            try:
                found = re.compile(check.text).search(self.source, self.position)
            except re.error as error:
                raise RuntimeError(f"the regular expression {check.text!r} is not valid: {error}") from error
            if not found:
                raise RuntimeError(
                    f'Expected to find regex "{check.text}" but did not find it\nSearched string:\n'
                    f"From {check.label}: {check.text}\n"
                )
            return found.span()
        if check.kind == "CHECK-SOURCE-HIGHLIGHTED":
            return self.match_highlighted_text(check)
        begin = self.position
        if check.kind == "CHECK-NEXT":
            begin = self.find(check, "\n", begin) + 1
        start = first = self.find(check, check.text, begin)
        for _ in range(check.count - 1):
            start = self.find(check, check.text, start + len(check.text))
        if check.kind in ("CHECK-NEXT", "CHECK-SAME"):
            self.refuse_text_between(check, "\n", begin, start)
        return first, start + len(check.text)

    def match_highlighted_text(self, check):
        size = len(check.text)
        search_start = self.position
        start = self.find(check, check.text, search_start)
        while True:
            line_start = self.source.rfind("\n", 0, start) + 1
            line_end = self.source.find("\n", start)
            below = line_end + 1 + start - line_start
            if line_end < 0 or below + size >= len(self.source):
                self.refuse_highlight(check, start)
            if self.source[below : below + size] == "~" * size:
                break
            start = self.source.find(check.text, start + 1)
            if start < 0:
                self.refuse_highlight(check, search_start)
        if start > line_start:
            self.refuse_text_between(check, "~", below - 1, below)
        self.refuse_text_between(check, "~", below + size, below + size + 1)
        return start, start + size

    def refuse_highlight(self, check, start):
        shown = _show_context(self.source, start, len(check.text)).removesuffix("\n")
        raise RuntimeError(f'Expected to find "{check.text}"highlighted but it is not.\n{shown}\n')

    def find(self, check, text, start):
        position = self.source.find(text, start)
        if position < 0:
            raise RuntimeError(
                f"Expected to find {_quote(text)} but did not find it\nSearched string:\n"
                + _show_context(self.source, start, len(text))
                + f"From {check.label}: {check.text}\n"
            )
        return position

    def refuse_matches(self, checks, end):
        for check in checks:
            self.refuse_text_between(check, check.text, self.position, end)

    def refuse_text_between(self, check, text, start, end):
        position = self.source.find(text, start, end)
        if position >= 0:
            raise RuntimeError(
                f"Expected to not find {_quote(text)} but found it\n"
                + _show_context(self.source, position, position + len(text))
                + f"From {check.label}: {check.text}\n"
            )


def _parse(text):
    """The checks in a text's comments."""
    checks = []
    position = text.find("#")
    while position >= 0:
        found = re.compile(r" *CHECK").match(text, position + 1)
        if not found:
            blanks = re.compile(r" *").match(text, position + 1)
            position = text.find("#", blanks.end() + 1)
            continue
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        checks += _parse_check(text, found.end(), end)
        position = text.find("#", end)
    return checks


def _parse_check(text, start, end):
    for kind, suffix in _SUFFIXES.items():
        if text.startswith(suffix, start):
            return [_Check(kind, text[start + len(suffix) : end])]
    counted = re.compile(r"-COUNT-(EXACTLY-)?(\d*)").match(text, start)
    if not counted:
        raise RuntimeError(f"Could not parse check at:\n{_show_context(text, start, start + 1)}Check for bad input.")
    if not counted[2]:
        raise ValueError("stoll")
    count, wanted = int(counted[2]), text[counted.end() + len(": ") : end]
    if count == 0:
        raise RuntimeError(f"expected a count above 0 in {text[start:end]!r}")
    exact = [_Check("CHECK-NOT", wanted)] if counted[1] else []
    return [_Check("CHECK-COUNT", wanted, count), *exact]


def _quote(text):
    return '"' + text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') + '"'


def _show_context(source, start, end):
    """The lines around source[start:end], two more on each side, with marks below the characters.

    torch passes the length of the text that it did not find as `end`, so `end` can be smaller than `start`.
    """
    end = min(end, len(source))
    line = source.rfind("\n", 0, start) + 1
    begin = line
    for _ in range(2):
        begin = source.rfind("\n", 0, max(begin - 1, 0)) + 1
    last = end - 1
    for _ in range(3):
        last = source.find("\n", last + 1)
        if last < 0:
            last = len(source)
            break
    if last <= start:
        return source[begin:] if last < start else source[begin:last]
    shown = source[begin:line]
    while line < end:
        stop = source.find("\n", line)
        stop = len(source) if stop < 0 else stop
        shown += source[line:stop] + "\n"
        low, high = max(start, line), min(end, stop)
        low += len(source[low:high]) - len(source[low:high].lstrip())
        if low < high:
            shown += " " * (low - line) + "~" * (high - low) + (" <--- HERE" if end <= stop else "") + "\n"
        line = stop + 1
    rest = source[line:last]
    return shown + rest + ("\n" if rest and not rest.endswith("\n") else "")


def _require_text(method, check, text):
    if not isinstance(text, str):
        _raise_type_error(method, check, text, "self: torch._C.FileCheck, arg0: str", "torch._C.FileCheck")


def _raise_type_error(method, check, value, arguments, result):
    raise TypeError(
        f"{method}(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. ({arguments}) -> {result}\n\nInvoked with: {check!r}, {value!r}"
    )
