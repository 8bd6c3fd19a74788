# Writes random_reference.txt: hashes of the values and states of real torch 2.13 (CPU, AVX2 or better).
import pathlib

import torch

DTYPES = {
    "float": torch.float32, "double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16,
    "int8": torch.int8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64, "uint8": torch.uint8,
    "bool": torch.bool,
}
FLOATING = ["float", "double", "half", "bfloat16"]
SIZES = [1, 2, 15, 16, 17, 31, 33, 625, 10007]


def hash_by_fnv(tensor):
    value = 0xCBF29CE484222325
    for byte in tensor.contiguous().view(torch.uint8).flatten().tolist():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def make_strided_tensor(tensor, fill):
    return fill(torch.empty(2 * len(tensor), dtype=tensor.dtype)[::2]) if len(tensor) > 1 else fill(tensor)


def yield_sampling_cases():
    for n in SIZES:
        for name in FLOATING:
            dtype = DTYPES[name]
            new = lambda n=n, dtype=dtype: torch.empty(n, dtype=dtype)
            for a, b in [(0.0, 1.0), (-0.1, 0.2)]:
                yield "uniform", name, n, a, b, lambda: new().uniform_(a, b)
            for a, b in [(0.0, 1.0), (1.5, 0.7)]:
                yield "normal", name, n, a, b, lambda: new().normal_(a, b)
            yield (
                "normal_one_by_one",
                name,
                n,
                0.3,
                1.7,
                lambda: make_strided_tensor(new(), lambda t: t.normal_(0.3, 1.7)),
            )
            yield "cauchy", name, n, 0.3, 1.7, lambda: new().cauchy_(0.3, 1.7)
            yield "log_normal", name, n, 0.3, 0.7, lambda: new().log_normal_(0.3, 0.7)
            yield "exponential", name, n, 0.7, 0, lambda: new().exponential_(0.7)
            yield "geometric", name, n, 0.3, 0, lambda: new().geometric_(0.3)
            yield "bernoulli_of", name, n, 0, 0, lambda: torch.bernoulli((torch.arange(n) % 9 / 8).to(dtype))
        for name, dtype in DTYPES.items():
            yield "bernoulli", name, n, 0.3, 0, lambda: torch.empty(n, dtype=dtype).bernoulli_(0.3)
            yield "random", name, n, 0, 0, lambda: torch.empty(n, dtype=dtype).random_()
            ranges = [(0, 2)]
            if name != "bool":
                ranges.append((3, 50))
            if name in ("int32", "int64", "double"):
                ranges += [(-1000, 2**24), (0, 2**28 - 1), (0, 2**28), (5, 2**31 - 1)]
            for a, b in ranges:
                yield "random_range", name, n, a, b, lambda: torch.empty(n, dtype=dtype).random_(a, b)
        for name in ("int64", "float"):
            yield "randperm", name, n, 0, 0, lambda: torch.randperm(n, dtype=DTYPES[name])


def main():
    assert torch.__version__.startswith("2.13") and torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
    head = "# fill dtype n a b values state; seed 20261121, after three 32-bit draws; made by make_random_reference.py"
    lines = [head]
    for fill, name, n, a, b, call in yield_sampling_cases():
        torch.manual_seed(20261121)
        torch.rand(3)
        values = call()
        lines.append(
            f"{fill} {name} {n} {a} {b} {hash_by_fnv(values):016x} {hash_by_fnv(torch.get_rng_state()):016x}"
        )
    pathlib.Path(__file__).with_name("random_reference.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
