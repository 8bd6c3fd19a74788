"""A constraint in the environment's own pip.conf, so that pip does not put another torch in our place."""

import ast
import configparser
import os
import re
import subprocess
import sys
from pathlib import Path

MARK = "# from `python -m mindtorch enable`; `python -m mindtorch disable` takes it out"
NAME = "mindtorch-constraints.txt"


def settings_paths():
    """The paths of pip.conf, which others may own, and of the list of constraints, which is ours."""
    return Path(sys.prefix) / "pip.conf", Path(sys.prefix) / NAME


def _constraints_location():
    """Returns our list's name in pip.conf; a path with white space becomes a URL, because pip splits there."""
    path = settings_paths()[1]
    return path.as_uri() if re.search(r"\s", str(path)) else str(path)


def _is_line_of_own_constraints(line):
    return NAME in line


def _read_inherited_constraints():
    """Returns constraints of the machine's and the user's settings, which the environment's constraint would hide."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    found = dict(re.findall(r"^(global|install)\.constraint=(.+)$", listed.stdout, re.MULTILINE))
    chosen = found.get("install") or found.get("global")
    return ast.literal_eval(chosen).split() if chosen else []


def _add_constraint(text):
    """Returns the text of pip.conf with our line added; None if it cannot be read."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    lines = text.splitlines()
    if not parser.has_section("install"):
        value = " ".join([*_read_inherited_constraints(), _constraints_location()])
        return "\n".join([*lines, MARK, "[install]", f"constraint = {value}"]) + "\n"
    header = next(i for i, line in enumerate(lines) if re.match(r"\[install\]", line))
    if not parser.has_option("install", "constraint"):
        value = " ".join([*_read_inherited_constraints(), _constraints_location()])
        lines[header + 1 : header + 1] = [MARK, f"constraint = {value}"]
    else:
        key = next(i for i in range(header, len(lines)) if re.match(r"(?i)constraint\s*[=:]", lines[i]))
        lines.insert(key + 1, f"    {_constraints_location()}")
    return "\n".join(lines) + "\n"


def _remove_constraint(text):
    """Returns the text of pip.conf without our line."""
    kept = []
    emptied = None  # index of the header of the section from which a line was removed
    for line in text.splitlines():
        if line.startswith("[") and emptied is not None:
            del kept[emptied:]
            emptied = None
        if _is_line_of_own_constraints(line):
            header = max((i for i, before in enumerate(kept) if before.startswith("[")), default=None)
            emptied = header if header is not None and not "".join(kept[header + 1 :]).strip() else None
        elif line != MARK:
            kept.append(line)
            emptied = None if line.strip() and not line.startswith("[") else emptied
    if emptied is not None:
        del kept[emptied:]
    return "".join(line + "\n" for line in kept)


def write_constraint(version):
    """Writes both files; returns whether pip reads them, and the texts of the files that only we wrote."""
    settings, constraints = settings_paths()
    before = settings.read_text() if settings.exists() else ""
    text = _add_constraint(_remove_constraint(before))
    if text is None:
        return False, {}
    constraint = f"torch=={version}\n"
    try:
        constraints.write_text(constraint)
        settings.write_text(text)
    except OSError:
        constraints.unlink(missing_ok=True)  # a prefix that only root may write to
        return False, {}
    return True, {settings: text, constraints: constraint} if contains_only_own_lines() else {}


def contains_only_own_lines():
    """Whether pip.conf contains only our lines; true if it does not exist."""
    settings = settings_paths()[0]
    return not settings.exists() or not _remove_constraint(settings.read_text()).strip()


def remove_constraint_from_settings():
    """Removes our lines; returns whether there were any."""
    settings, constraints = settings_paths()
    found = constraints.exists()
    text = settings.read_text() if settings.exists() else ""
    if NAME in text:
        found = True
        rest = _remove_constraint(text)
        if rest.strip():
            settings.write_text(rest)
        else:
            settings.unlink()
    constraints.unlink(missing_ok=True)
    return found


def installer_advice(version, constrained):
    """Returns the message for the user about pip, uv and poetry."""
    constraints = settings_paths()[1]
    if constrained:
        pip = f"pip keeps it so ({settings_paths()[0]})"
        uv = f"UV_CONSTRAINT={constraints}"
    else:
        pip = f"pip does not know: put `torch=={version}` into a file and PIP_CONSTRAINT=<file> into the environment"
        uv = "UV_CONSTRAINT=<file>"
    return (
        f'{pip};\nfor uv set {uv}, or constraint-dependencies = ["torch=={version}"] under [tool.uv];\n'
        "for poetry and lock files: python -m mindtorch shim-wheel DIR"
    )
