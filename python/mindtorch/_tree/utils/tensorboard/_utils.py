"""Converts pictures to the layouts of logs."""

import numpy as np


def figure_to_image(figures, close=True):
    """Renders matplotlib figures as (channels, height, width); stacks several."""
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def render_figure(figure):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        width, height = figure.canvas.get_width_height()
        pixels = np.frombuffer(canvas.buffer_rgba(), dtype=np.uint8).reshape(height, width, 4)
        if close:
            plt.close(figure)
        return np.moveaxis(pixels[:, :, :3], 2, 0)

    if isinstance(figures, list):
        return np.stack([render_figure(figure) for figure in figures])
    return render_figure(figures)


def make_grid(I, ncols=8):  # noqa: E741
    """Converts pictures (count, channels, height, width) to one (3, height, width), row by row."""
    if not isinstance(I, np.ndarray):
        raise AssertionError("plugin error, should pass numpy array here")
    pictures = np.repeat(I, 3, axis=1) if I.shape[1] == 1 else I
    if pictures.ndim != 4 or pictures.shape[1] != 3:
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    count, _, height, width = pictures.shape
    columns = min(count, ncols)
    canvas = np.zeros((3, height * -(-count // columns), width * columns), dtype=pictures.dtype)
    for number, picture in enumerate(pictures):
        top, left = number // columns * height, number % columns * width
        canvas[:, top : top + height, left : left + width] = picture
    return canvas


def convert_to_HWC(tensor, input_format):
    """Converts a picture, or a grid of several, to (height, width, 3)."""
    if len(set(input_format)) != len(input_format):
        raise AssertionError(
            "You can not use the same dimension shorthand twice."
            f"             input_format: {input_format}"
        )
    if len(tensor.shape) != len(input_format):
        raise AssertionError(
            "size of input tensor and input format are different."
            f"         tensor shape: {tensor.shape}, input_format: {input_format}"
        )
    input_format = input_format.upper()
    order = {4: "NCHW", 3: "HWC", 2: "HW"}.get(len(input_format))
    if order is None:
        return None
    tensor = tensor.transpose([input_format.find(letter) for letter in order])
    if order == "NCHW":
        return make_grid(tensor).transpose(1, 2, 0)
    if order == "HW":
        return np.stack([tensor] * 3, 2)
    return np.concatenate([tensor] * 3, 2) if tensor.shape[2] == 1 else tensor
