"""Runs the Python blocks of a page in order, in one namespace, with mindtorch as torch: page.py FILE."""

import doctest
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import blocks  # noqa: E402


def main() -> int:
    page = Path(sys.argv[1])
    names = {"__name__": "__main__"}
    failed = 0
    for block in blocks.read_code_blocks(page):
        if block.not_run or block.language not in ("python", "pycon"):
            continue
        if block.language == "python":
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
        else:
            test = doctest.DocTestParser().get_doctest(block.text, names, block.page_and_line, str(page), block.line)
            runner = doctest.DocTestRunner()
            runner.run(test, clear_globs=False)
            names.update(test.globs)
            failed += runner.summarize(verbose=False).failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
