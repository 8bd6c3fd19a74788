"""Writes the files of TensorBoard's projector."""

import io
import math

import numpy as np
from tensorboard.compat import tf
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo, SpriteMetadata

from ._convert_np import make_np
from ._utils import make_grid


def _gfile_join(a, b):
    files = tf.io.gfile
    return files.join(a, b) if hasattr(files, "join") else files.get_filesystem(a).join(a, b)


def _write_file(folder, name, content):
    with tf.io.gfile.GFile(_gfile_join(folder, name), "wb") as file:
        file.write(content)


def make_tsv(metadata, save_path, metadata_header=None) -> None:
    """Writes labels, one per line; several columns if there is a header."""
    if metadata_header:
        if len(metadata_header) != len(metadata[0]):
            raise AssertionError("len of header must be equal to the number of columns in metadata")
        metadata = ["\t".join(map(str, row)) for row in [metadata_header, *metadata]]
    _write_file(save_path, "metadata.tsv", ("\n".join(map(str, metadata)) + "\n").encode())


def make_sprite(label_img, save_path) -> None:
    """Combines all pictures in one square picture."""
    from PIL import Image

    grid = make_grid(make_np(label_img), ncols=math.ceil(label_img.size(0) ** 0.5)).transpose(1, 2, 0)
    square = np.zeros((grid.shape[1], grid.shape[1], 3))
    square[: grid.shape[0]] = grid
    buffer = io.BytesIO()
    Image.fromarray(np.uint8((square * 255).clip(0, 255))).save(buffer, format="PNG")
    _write_file(save_path, "sprite.png", buffer.getvalue())


def get_embedding_info(metadata, label_img, subdir, global_step, tag):
    """Returns the entry of the projector's list."""
    entry = {
        "tensor_name": f"{tag}:{str(global_step).zfill(5)}",
        "tensor_path": _gfile_join(subdir, "tensors.tsv"),
        "metadata_path": None if metadata is None else _gfile_join(subdir, "metadata.tsv"),
    }
    if label_img is not None:
        *_, height, width = label_img.shape
        path = _gfile_join(subdir, "sprite.png")
        entry["sprite"] = SpriteMetadata(image_path=path, single_image_dim=[width, height])
    return EmbeddingInfo(**entry)


def write_pbtxt(save_path, contents) -> None:
    """Writes the projector's list."""
    _write_file(save_path, "projector_config.pbtxt", contents.encode())


def make_mat(matlist, save_path) -> None:
    """Writes the vectors, one per line."""
    _write_file(
        save_path, "tensors.tsv", "".join("\t".join(str(x.item()) for x in row) + "\n" for row in matlist).encode()
    )
