"""The old home of torch.hub's downloads."""

from ..hub import _download_url_to_file, load_state_dict_from_url as load_url, tqdm  # noqa: F401
