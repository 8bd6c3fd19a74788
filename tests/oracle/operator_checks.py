"""The checks of one entry of torch's operator database, run on the library and on real torch."""

import warnings

from comparison import Mismatch, call_and_catch, compare, make_incoming_gradients, yield_tensors

CHECKS = ("forward", "method", "inplace", "out", "grad", "gradgrad", "error")
LEFT_WRONG_BY_TORCH = {"fft.ihfft2", "fft.ihfftn"}  # torch itself writes other values to `out` than it returns
UNSPECIFIED = """empty new_empty empty_strided new_empty_strided empty_like empty_permuted resize_ resize_as_""".split()


def load_operator_database():
    """Maps names of entries to their OpInfo."""
    from torch.testing._internal.common_methods_invocations import op_db

    found = {}
    for entry in op_db:
        if not entry.name.startswith("jiterator"):  # CUDA only
            found.setdefault(entry.full_name, entry)
    return found


class OperatorChecks:
    """Checks entries; reports every outcome to record(check, name of the sample, None or exception)."""

    def __init__(self, library, reference, checks, dtypes, samples, seed):
        self.us, self.reference, self.torch = library, reference, library.torch
        self.checks, self.samples, self.sample_seed = set(checks), samples, seed
        self.dtypes = [getattr(self.torch, name) for name in dtypes]

    def check(self, entry, record):
        torch = self.torch
        ours, error = call_and_catch(lambda: self.us.convert_any_function(entry.op))
        ours = error or ours
        for dtype in (dtype for dtype in self.dtypes if dtype in entry.dtypes):
            for index, sample in enumerate(self.sample_inputs(entry, dtype, requires_grad=False)):
                self.check_forms(entry, ours, sample, f"{dtype} sample {index}", record)
        if {"grad", "gradgrad"} & self.checks and entry.supports_autograd:
            for dtype in (dtype for dtype in (torch.float64, torch.complex128) if dtype in entry.dtypes):
                for index, sample in enumerate(self.sample_inputs(entry, dtype, requires_grad=True)):
                    self.check_gradients(entry, ours, sample, f"{dtype} sample {index}", record)
        if "error" in self.checks and entry.error_inputs_func is not None:
            inputs, _ = call_and_catch(lambda: list(entry.error_inputs("cpu")))
            for index, error_input in enumerate(inputs or []):
                self.check_error(entry, ours, error_input.sample_input, f"error input {index}", record)

    def sample_inputs(self, entry, dtype, requires_grad):
        """Returns as many samples as requested; none if torch cannot make them on this machine."""
        self.torch.manual_seed(self.sample_seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stream = entry.sample_inputs("cpu", dtype, requires_grad=requires_grad)
            made, _ = call_and_catch(lambda: [sample for _, sample in zip(range(self.samples), stream, strict=False)])
        return made or []

    # ---- values ----

    def check_forms(self, entry, ours, sample, name, record):
        if "forward" in self.checks:
            self.check_call(entry, entry.op, ours, sample, name, "forward", record)
        for form, variant in (("method", entry.method_variant), ("inplace", entry.inplace_variant)):
            if form in self.checks and variant is not None:
                mine, error = call_and_catch(lambda variant=variant: self.us.convert_any_function(variant))
                self.check_call(entry, variant, error or mine, sample, name, form, record)
        if "out" in self.checks and entry.supports_out and entry.name not in LEFT_WRONG_BY_TORCH:
            mine = ours if isinstance(ours, Exception) else call_with_out(ours, self.us.mt)
            self.check_call(entry, call_with_out(entry.op, self.torch), mine, sample, name, "out", record)

    def check_call(self, entry, theirs, ours, sample, name, check, record):
        torch, us = self.torch, self.us
        given = (sample.input, sample.args, sample.kwargs)
        their_arguments = self.reference(given)
        torch.manual_seed(7)
        want, refused = call_and_catch(lambda: call_function(theirs, their_arguments))
        if refused is not None:
            return  # a check that torch cannot run does not count
        if isinstance(ours, Exception):
            record(check, name, ours)
            return
        us.set_seed(7)
        my_arguments, error = call_and_catch(lambda: us(given))
        if error is None:
            got, error = call_and_catch(lambda: call_function(ours, my_arguments))
        if error is not None:
            record(check, name, error)
            return

        def compare_outcomes():
            mine, other, is_whole = got, want, is_identity_lambda(sample.output_process_fn_grad)
            if not is_whole:
                other, impossible = call_and_catch(lambda: sample.output_process_fn_grad(want))
                if impossible is not None:
                    return
                mine = us.convert_any_function(sample.output_process_fn_grad)(got)
            mine = us.convert_back(mine)
            if entry.name in UNSPECIFIED:
                mine, other = list_dtypes_and_shapes(torch, mine), list_dtypes_and_shapes(torch, other)
            compare(torch, mine, other, strides=is_whole)
            if (got is my_arguments[0]) != (want is their_arguments[0]):
                raise Mismatch("the result is the first argument on one side only")
            if entry.name not in UNSPECIFIED:  # changes of the call to its arguments
                written = us.convert_back(list(yield_tensors(my_arguments, us.mt.Tensor)))
                compare(
                    torch, written, list(yield_tensors(their_arguments, torch.Tensor)), path="arguments", strides=False
                )

        record(check, name, call_and_catch(compare_outcomes)[1])

    # ---- gradients ----

    def check_gradients(self, entry, ours, sample, name, record):
        torch, us, process = self.torch, self.us, sample.output_process_fn_grad
        given = (sample.input, sample.args, sample.kwargs)
        for check, order in (("grad", 1), ("gradgrad", 2)):
            if check not in self.checks or (order == 2 and not entry.supports_gradgrad):
                continue
            want, refused = call_and_catch(
                lambda order=order: compute_derivatives(
                    torch, entry.op, self.reference(given), process, order, torch.manual_seed
                )
            )
            if refused is not None or want is None:
                continue
            if isinstance(ours, Exception):
                record(check, name, ours)
                continue

            def compare_outcomes(order=order, want=want):
                got = compute_derivatives(
                    us.mt, ours, us(given), us.convert_any_function(process), order, us.mt.manual_seed
                )
                compare(torch, us.convert_back(got, copy=True), want, strides=False)

            record(check, name, call_and_catch(compare_outcomes)[1])

    # ---- errors ----

    def check_error(self, entry, ours, sample, name, record):
        given = (sample.input, sample.args, sample.kwargs)
        _, want = call_and_catch(lambda: call_function(entry.op, self.reference(given)))
        if want is None:
            return
        if isinstance(ours, Exception):
            record("error", name, ours)
            return
        _, got = call_and_catch(lambda: call_function(ours, self.us(given)))
        if got is None:
            found = Mismatch(f"no error for {type(want).__name__}: {str(want)[:200]}")
        elif (builtin_base_name_of(got), strip_location(got)) != (
            builtin_base_name_of(want),
            strip_location(want),
        ):
            texts = f"{strip_location(got)[:160]!r} for {type(want).__name__}: {strip_location(want)[:160]!r}"
            found = Mismatch(f"{type(got).__name__}: {texts}")
        else:
            found = None
        record("error", name, found)


def call_function(function, arguments):
    first, rest, named = arguments
    return function(first, *rest, **named)


def call_with_out(function, lib):
    """Calls the function with `out=`: returns the result, the written tensor, and whether both are one object."""

    def call(*args, **kwargs):
        first = function(*args, **kwargs)
        if isinstance(first, lib.Tensor):
            target = lib.empty_like(first)
        elif isinstance(first, (list, tuple)) and all(isinstance(item, lib.Tensor) for item in first):
            target = tuple(lib.empty_like(item) for item in first)
        else:
            raise ValueError("no tensor to write into")
        result = function(*args, **kwargs, out=target)
        if isinstance(target, lib.Tensor):
            return result, target, result is target
        return result, target, [mine is given for mine, given in zip(result, target, strict=True)]

    return call


def compute_derivatives(lib, function, arguments, process, order, seed):
    """Returns first or second derivatives along given directions, or None if there is nothing to differentiate."""
    leaves = [leaf for leaf in yield_tensors(arguments, lib.Tensor) if leaf.requires_grad]
    seed(7)
    out = process(call_function(function, arguments))
    outs = [t for t in yield_tensors(out, lib.Tensor) if t.requires_grad and (t.is_floating_point() or t.is_complex())]
    if not outs or not leaves:
        return None
    directions = make_incoming_gradients(lib, outs, 0.3, 1.7)
    first = lib.autograd.grad(outs, leaves, directions, create_graph=order == 2, allow_unused=True)
    if order == 1:
        return first
    live = [gradient for gradient in first if gradient is not None and gradient.requires_grad]
    if not live:
        return None
    return lib.autograd.grad(live, leaves, make_incoming_gradients(lib, live, 0.5, 1.1), allow_unused=True)


def is_identity_lambda(function):
    is_lambda = getattr(function, "__name__", "") == "<lambda>"
    return is_lambda and function.__code__.co_code == (lambda x: x).__code__.co_code


def list_dtypes_and_shapes(torch, value):
    return [(str(found.dtype), tuple(found.shape)) for found in yield_tensors(value, torch.Tensor)]


def builtin_base_name_of(error):
    """Returns the builtin base of an exception: each library derives its own classes."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def strip_location(error):
    """Removes the line of torch's C++ that raised it."""
    return str(error).split("\nException raised from")[0]
