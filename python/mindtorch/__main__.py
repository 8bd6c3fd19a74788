"""python -m mindtorch: runs a program with mindtorch as torch, or switches an environment."""

import os
import sys

USAGE = """\
usage: python -m mindtorch script.py [args]    run a program with mindtorch as torch
       python -m mindtorch -m module [args]    run a module, as `python -m` does
       python -m mindtorch -c code [args]      run code
       python -m mindtorch enable [--as VERSION]
                                               make mindtorch torch in this environment, for pip too
       python -m mindtorch disable             take that back
       python -m mindtorch shim-wheel DIR [--as VERSION]
                                               write a wheel named torch that brings mindtorch, for lock files
       python -m mindtorch doctor [--json]     what is here, what is missing and what to do; exit status 0 or 1
       python -m mindtorch --cmake-dir         where find_package(mindtorch) looks
       python -m mindtorch --version
       python -m mindtorch --help"""


def _run_as_torch(arguments):
    import runpy

    from . import install

    install()
    os.environ["MINDTORCH_AS_TORCH"] = "1"  # child processes follow, where mindtorch.pth is installed
    first, rest = arguments[0], arguments[1:]
    if first == "-c":
        code, args = rest[0], rest[1:]
        sys.argv = ["-c", *args]
        sys.path[0] = ""
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        exec(compile(code, "<string>", "exec"), vars(main))
    elif first == "-m":
        sys.argv = list(rest)
        sys.path[0] = os.getcwd()
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(arguments)
        sys.path[0] = os.path.dirname(os.path.abspath(first))
        runpy.run_path(first, run_name="__main__")


def _cmake_dir():
    from ._proxy import PACKAGE

    for folder in ("lib/cmake/mindtorch", "share/cmake/mindtorch"):
        path = os.path.join(PACKAGE, folder)
        if os.path.isdir(path):
            return path
    raise SystemExit(f"mindtorch: no CMake files in {PACKAGE}: this is not an installed package")


def _environment_command(command, arguments):
    """Runs enable, disable, shim-wheel or doctor; returns the exit status."""
    import argparse

    parser = argparse.ArgumentParser(prog=f"python -m mindtorch {command}")
    if command == "shim-wheel":
        parser.add_argument("dir", help="the folder that the wheel is written to")
    if command in ("enable", "shim-wheel"):
        parser.add_argument("--as", dest="version", metavar="VERSION", help="what pip is told, such as 2.14.1")
    if command == "doctor":
        parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args(arguments)
    if command == "doctor":
        from . import _doctor

        return _doctor.main(as_json=options.json)
    if command == "shim-wheel":
        from . import _shim_wheel

        print(_shim_wheel.write_shim_wheel(options.dir, options.version))
        return 0
    from . import _environment

    if command == "enable":
        _environment.enable(options.version)
    else:
        _environment.disable()
    return 0


def main(arguments):
    command = arguments[0] if arguments else "--help"
    if command in ("-c", "-m") and len(arguments) < 2:
        raise SystemExit(f"mindtorch: argument expected for the {command} option\n{USAGE}")
    if command in ("enable", "disable", "shim-wheel", "doctor"):
        return _environment_command(command, arguments[1:])
    if command == "--cmake-dir":
        print(_cmake_dir())
    elif command == "--version":
        from .version import __version__, mindtorch

        print(f"mindtorch {mindtorch} (torch {__version__})")
    elif command in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    elif command.startswith("-") and command not in ("-c", "-m"):
        raise SystemExit(f"mindtorch: unknown option {command}\n{USAGE}")
    else:
        _run_as_torch(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
