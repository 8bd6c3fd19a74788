"""Checks of the parameters of quantization. torch's operators `quantized_decomposed` are absent."""

import math


def _per_token_quant_qparam_dim_check(input, scales, zero_points) -> None:
    """Checks that there are as many scales and zero points as rows.

    Args:
        input (Tensor): rows of any number of dimensions.
        scales (Tensor): one for each row.
        zero_points (Tensor): one for each row.

    Raises:
        AssertionError: when there are not.
    """
    rows = math.prod(input.shape[:-1])
    for name, values in (("scales", scales), ("zero_points", zero_points)):
        if values.numel() != rows:
            raise AssertionError(f"num_tokens: {rows} {name}: {values.size()}")
