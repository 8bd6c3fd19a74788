"""torch.hub: models from GitHub repositories, and weights by URL."""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from ._root import torch
from .serialization import MAP_LOCATION

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_TRUSTED_REPO_OWNERS = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")
MODULE_HUBCONF = "hubconf.py"
READ_DATA_CHUNK = 128 * 1024
_hub_dir: str | None = None


@contextlib.contextmanager
def _add_to_sys_path(path):
    with contextlib.ExitStack() as undone:
        sys.path.insert(0, path)
        undone.callback(sys.path.remove, path)
        yield


def _import_module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise AssertionError(f"failed to load spec from {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _get_torch_home():
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """Returns the folder where downloads are kept.

    Returns:
        str: the one set by `set_dir`, else ``$TORCH_HOME/hub``, else ``$XDG_CACHE_HOME/torch/hub`` with
        ``~/.cache`` by default.

    Example:
        >>> isinstance(torch.hub.get_dir(), str)
        True
    """
    if os.getenv("TORCH_HUB"):
        warnings.warn("TORCH_HUB is deprecated, please use env TORCH_HOME instead", stacklevel=2)
    return os.path.join(_get_torch_home(), "hub") if _hub_dir is None else _hub_dir


def set_dir(d: str | os.PathLike) -> None:
    """Sets the folder where downloads are kept.

    Args:
        d (str or PathLike): the folder; ``~`` is expanded.
    """
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


def _safe_extract_zip(archive: zipfile.ZipFile, target: str) -> None:
    """Extracts an archive; refuses entries outside the target folder."""
    root = Path(target).resolve()
    for member in archive.infolist():
        name = os.path.normpath(member.filename)
        if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
            raise ValueError(f"Archive entry has absolute path: {member.filename}")
        if ".." in re.split(r"[/\\]", name):
            raise ValueError(f"Archive entry contains directory traversal: {member.filename}")
        if not (root / name).resolve().is_relative_to(root):
            raise ValueError(f"Archive entry escapes target directory: {member.filename}")
        archive.extract(member, root)


def _parse_repo_info(github):
    """Splits "owner/name:ref"; without a ref, returns the default branch."""
    repo, _, ref = github.partition(":")
    owner, name = repo.split("/")
    if ref:
        return owner, name, ref
    try:
        with urlopen(f"https://github.com/{owner}/{name}/tree/main/"):
            return owner, name, "main"
    except HTTPError as error:
        if error.code != 404:
            raise
        return owner, name, "master"
    except URLError as error:
        for known in ("main", "master"):
            if os.path.exists(f"{get_dir()}/{owner}_{name}_{known}"):
                return owner, name, known
        raise RuntimeError(
            f"It looks like there is no internet connection and the repo could not be found in the cache ({get_dir()})"
        ) from error


def _read_json(url, headers):
    with urlopen(Request(url, headers=headers)) as reply:
        return json.loads(reply.read().decode(reply.headers.get_content_charset("utf-8")))


def _validate_not_a_forked_repo(owner, name, ref):
    headers = {"Accept": "application/vnd.github.v3+json"}
    if token := os.environ.get("GITHUB_TOKEN"):
        headers["Authorization"] = f"token {token}"
    for kind in ("branches", "tags"):
        page = 0
        while True:
            page += 1
            found = _read_json(f"https://api.github.com/repos/{owner}/{name}/{kind}?per_page=100&page={page}", headers)
            if not found:
                break
            if any(entry["name"] == ref or entry["commit"]["sha"].startswith(ref) for entry in found):
                return
    raise ValueError(
        f"Cannot find {ref} in https://github.com/{owner}/{name}. If it's a commit from a forked repo, please call "
        "hub.load() with forked repo directly."
    )


def _check_repo_is_trusted(owner, name, folder, trust_repo):
    trusted_list = Path(get_dir(), "trusted_list")
    trusted_list.touch()
    full_name = f"{owner}_{name}"
    known = full_name in trusted_list.read_text().split()
    known = known or Path(get_dir(), folder).is_dir() or owner in _TRUSTED_REPO_OWNERS
    if trust_repo is False or (trust_repo == "check" and not known):
        answer = input(
            f"The repository {full_name} does not belong to the list of trusted repositories and as such cannot be "
            "downloaded. Do you trust this repository and wish to add it to the trusted list of repositories (y/N)?"
        ).lower()
        if answer in ("n", "no", ""):
            raise Exception("Untrusted repository.")
        if answer not in ("y", "yes"):
            raise ValueError(f"Unrecognized response {answer}.")
        if known:
            print("The repository is already trusted.")
    if not known:
        with trusted_list.open("a") as file:
            file.write(full_name + "\n")


def _get_cache_or_reload(github, force_reload, trust_repo, verbose=True, skip_validation=False):
    hub_dir = get_dir()
    os.makedirs(hub_dir, exist_ok=True)
    owner, name, ref = _parse_repo_info(github)
    folder = "_".join([owner, name, ref.replace("/", "_")])
    repo_dir = os.path.join(hub_dir, folder)
    _check_repo_is_trusted(owner, name, folder, trust_repo)
    if not force_reload and os.path.exists(repo_dir):
        if verbose:
            sys.stderr.write(f"Using cache found in {repo_dir}\n")
        return repo_dir
    if not skip_validation:
        _validate_not_a_forked_repo(owner, name, ref)
    with tempfile.TemporaryDirectory(dir=hub_dir) as work:
        archive_path = os.path.join(work, "repo.zip")
        url = f"https://github.com/{owner}/{name}/zipball/{ref}"
        sys.stdout.write(f'Downloading: "{url}" to {archive_path}\n')
        download_url_to_file(url, archive_path, progress=False)
        with zipfile.ZipFile(archive_path) as archive:
            top = archive.infolist()[0].filename
            _safe_extract_zip(archive, work)
        shutil.rmtree(repo_dir, ignore_errors=True)
        shutil.move(os.path.join(work, top), repo_dir)
    return repo_dir


def _import_hubconf(repo_dir):
    return _import_module(MODULE_HUBCONF, os.path.join(repo_dir, MODULE_HUBCONF))


def _find_hub_entry_point(hubconf, model):
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    missing = [name for name in getattr(hubconf, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    found = getattr(hubconf, model, None)
    if found is None or not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


def list(github, force_reload=False, skip_validation=False, trust_repo="check", verbose=True):
    """Lists the models that a repository offers: the public functions of its hubconf.py.

    Args:
        github (str): ``"owner/name"`` or ``"owner/name:ref"``; the ref is a branch, tag or commit.
        force_reload (bool): downloads again even if cached. Default: ``False``.
        skip_validation (bool): does not ask GitHub whether the ref belongs to the repository. Default:
            ``False``.
        trust_repo (bool or str): ``"check"`` asks once for owners that are not known, False asks each
            time, True never. Default: ``"check"``.
        verbose (bool): says when the cache is used. Default: ``True``.

    Returns:
        list of str: their names.
    """
    repo_dir = _get_cache_or_reload(github, force_reload, trust_repo, verbose=verbose, skip_validation=skip_validation)
    with _add_to_sys_path(repo_dir):
        module = _import_hubconf(repo_dir)
    return [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo="check"):
    """Returns the documentation of a repository's model function.

    Args:
        github (str): ``"owner/name"`` or ``"owner/name:ref"``.
        model (str): name of the function.
        force_reload (bool): downloads again even if cached. Default: ``False``.
        skip_validation (bool): does not ask GitHub whether the ref belongs to the repository. Default:
            ``False``.
        trust_repo (bool or str): whether to ask before running foreign code. Default: ``"check"``.

    Returns:
        str: its docstring.

    Raises:
        RuntimeError: when there is no such function, or a dependency is missing.
    """
    repo_dir = _get_cache_or_reload(github, force_reload, trust_repo, verbose=True, skip_validation=skip_validation)
    with _add_to_sys_path(repo_dir):
        return _find_hub_entry_point(_import_hubconf(repo_dir), model).__doc__


def load(
    repo_or_dir,
    model,
    *args,
    source="github",
    trust_repo="check",
    force_reload=False,
    verbose=True,
    skip_validation=False,
    **kwargs,
):
    """Calls a model function of a repository, which is downloaded where needed. It runs foreign code.

    Args:
        repo_or_dir (str): ``"owner/name"`` or ``"owner/name:ref"``, or a folder with a hubconf.py.
        model (str): name of the function.
        *args, **kwargs: its arguments.
        source (str): ``"github"`` or ``"local"``. Default: ``"github"``.
        trust_repo (bool or str): ``"check"`` asks once for owners that are not known, False asks each
            time, True never. Default: ``"check"``.
        force_reload (bool): downloads again even if cached. Default: ``False``.
        verbose (bool): says when the cache is used. Default: ``True``.
        skip_validation (bool): does not ask GitHub whether the ref belongs to the repository. Default:
            ``False``.

    Returns:
        What the function returns, usually a Module.

    Raises:
        ValueError: when `source` is unknown.
        RuntimeError: when there is no such function, or a dependency is missing.
    """
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        repo_or_dir = _get_cache_or_reload(
            repo_or_dir, force_reload, trust_repo, verbose=verbose, skip_validation=skip_validation
        )
    return _load_local(repo_or_dir, model, *args, **kwargs)


def _load_local(hubconf_dir, model, *args, **kwargs):
    with _add_to_sys_path(hubconf_dir):
        return _find_hub_entry_point(_import_hubconf(hubconf_dir), model)(*args, **kwargs)


class _Faketqdm:
    """A minimal progress bar for downloads, if tqdm is not installed."""

    def __init__(self, total=None, disable=False, unit=None, *args, **kwargs) -> None:
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n):
        if not self.disable:
            self.n += n
            done = f"{self.n:.1f} bytes" if self.total is None else f"{100 * self.n / float(self.total):.1f}%"
            sys.stderr.write("\r" + done)
            sys.stderr.flush()

    def set_description(self, *args, **kwargs):
        """Does nothing: the bar has no description."""

    def write(self, s):
        sys.stderr.write(f"{s}\n")

    def close(self):
        self.disable = True

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        if not self.disable:
            sys.stderr.write("\n")


def __getattr__(name):
    """Imports `tqdm` for the first progress bar, because most programs download nothing."""
    global tqdm
    if name != "tqdm":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = _Faketqdm
    return tqdm


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Downloads a file. It appears under its name once it is complete and its hash is right.

    Args:
        url (str): the address.
        dst (str): path of the file.
        hash_prefix (str, optional): first digits of its SHA-256.
        progress (bool): shows a bar. Default: ``True``.

    Raises:
        RuntimeError: when the hash is another.
    """
    dst = os.path.expanduser(dst)
    folder, name = os.path.split(dst)
    descriptor, partial = tempfile.mkstemp(suffix=".partial", prefix=name, dir=folder or ".")
    sha256 = hashlib.sha256()
    try:
        with os.fdopen(descriptor, "wb") as file, urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as reply:
            size = reply.headers.get("Content-Length")
            bar = __getattr__("tqdm")
            total = int(size) if size else None
            with bar(total=total, disable=not progress, unit="B", unit_scale=True, unit_divisor=1024) as shown:
                while chunk := reply.read(READ_DATA_CHUNK):
                    file.write(chunk)
                    sha256.update(chunk)
                    shown.update(len(chunk))
        digest = sha256.hexdigest()
        if hash_prefix is not None and digest[: len(hash_prefix)] != hash_prefix:
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')
        shutil.move(partial, dst)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(partial)


_download_url_to_file = download_url_to_file


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Callable[[torch.types.Storage, str], torch.types.Storage]
    | torch.device
    | str
    | dict[str, str]
    | None = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """Loads what `torch.save` wrote from an address; the file is downloaded once.

    Args:
        url (str): the address.
        model_dir (str, optional): folder of the file. Default: ``checkpoints`` in `get_dir()`.
        map_location (optional): where storages go, as in `torch.load`.
        progress (bool): shows a bar. Default: ``True``.
        check_hash (bool): the name holds first digits of its SHA-256, as ``name-<digits>.ext``, which
            are checked. Default: ``False``.
        file_name (str, optional): name of the file. Default: that of the address.
        weights_only (bool): loads tensors and containers only. Default: ``False``.

    Returns:
        dict: the loaded object.
    """
    if os.getenv("TORCH_MODEL_ZOO"):
        warnings.warn("TORCH_MODEL_ZOO is deprecated, please use env TORCH_HOME instead", stacklevel=2)
    model_dir = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(model_dir, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(model_dir, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found.group(1) if found else None, progress=progress)
    return torch.load(path, map_location=map_location, weights_only=weights_only)
