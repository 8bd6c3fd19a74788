"""Builds the site: gathers its sources in build/docs/source, writes the generated pages, runs Sphinx.

`scripts/docs` is the command; the Python of build/venv/docs runs this. What is unchanged is not written again, so a
second build reads the changed pages alone.
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path[:0] = [str(DOCS / "_ext"), str(ROOT / "bindings")]

# Files of the repository that become pages of the site. Their links to other files become text, because the site lacks
# those files.
SHARED = ("CHANGELOG.md", "capi/abi/VERSIONS.md", "python/DIFFERENCES.md")
FILE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]+\)")
NOT_SOURCES = {"README.md", "build.py", "requirements.txt"}


def say(text: str):
    print(f"== {text}", flush=True)


def write(path: Path, text: str):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def gather(source: Path) -> set[Path]:
    """Copies the written pages, and gives their paths below the source folder."""
    kept = set()
    for path in sorted(DOCS.rglob("*")):
        name = path.relative_to(DOCS)
        hidden = any(part.startswith(("_ext", "__pycache__", ".")) for part in name.parts)
        if path.is_dir() or hidden or str(name) in NOT_SOURCES:
            continue
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != path.read_bytes():
            shutil.copyfile(path, target)
        kept.add(name)
    link = source / "repo"
    if not link.is_symlink() or link.resolve() != ROOT:
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT)
    return kept


def generate(source: Path, quick: bool) -> set[Path]:
    """Writes what is made from headers, registry, package and measurements, and gives the paths."""
    import c_reference
    import pictures

    made = {
        Path("reference/c") / name: text
        for name, text in c_reference.write_pages(ROOT / "capi/include/mindtorch").items()
    }
    for name in SHARED:
        made[Path("_shared") / name] = FILE_LINK.sub(r"\1", (ROOT / name).read_text(encoding="utf-8"))
    made |= {Path("_pictures") / name: text for name, text in pictures.draw_all(ROOT).items()}
    if not quick:
        import language_reference
        import operator_reference
        import python_reference

        made |= {
            Path("reference/operators") / name: text for name, text in operator_reference.write_pages(ROOT).items()
        }
        made |= {
            Path("reference/languages") / name: text for name, text in language_reference.write_pages(ROOT).items()
        }
        made |= {Path("reference/python") / name: text for name, text in python_reference.write_pages(ROOT).items()}
    else:
        for kind in ("operators", "languages", "python"):
            made[Path(f"reference/{kind}/index.rst")] = "Left out\n========\n\nThis is a quick build.\n"
    for name, text in made.items():
        write(source / name, text)
    return set(made)


def remove_stale(source: Path, kept: set[Path]):
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if name.parts[0] != "repo" and path.is_file() and name not in kept:
            path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the site into build/docs/html.")
    parser.add_argument(
        "--package", type=Path, help="a folder with an importable mindtorch, instead of the installed one"
    )
    parser.add_argument("--quick", action="store_true", help="without the references of Python and of operators")
    options = parser.parse_args()
    if options.package:
        sys.path.insert(0, str(options.package.resolve()))
    source, output = ROOT / "build/docs/source", ROOT / "build/docs/html"
    begun = time.monotonic()
    source.mkdir(parents=True, exist_ok=True)
    kept = gather(source)
    kept |= generate(source, options.quick)
    remove_stale(source, kept)
    say(f"{len(kept)} source files in {time.monotonic() - begun:.0f} s; running Sphinx")
    begun = time.monotonic()
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-c", str(DOCS)]
    status = subprocess.run([*command, "-d", str(ROOT / "build/docs/doctrees"), str(source), str(output)]).returncode
    if status:
        print("error: Sphinx found faults (above); the site is not whole", file=sys.stderr)
        return status
    say(f"the site: {output}/index.html ({time.monotonic() - begun:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
