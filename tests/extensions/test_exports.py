"""Compares the exports of libtorch_cpu.so and libtorch_cuda.so with the declarations in torch's headers."""

import re

import pytest
from extension_support import ROOT, list_exported_functions, parse_declared_functions

COMPAT = ROOT / "capi/compat/libtorch"


@pytest.fixture(scope="module")
def declared_functions():
    return parse_declared_functions()


@pytest.fixture(scope="module")
def exported_functions():
    return list_exported_functions()


def read_absent_functions():
    lines = (COMPAT / "absent.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def test_headers_were_read(declared_functions):
    assert len(declared_functions) > 380
    assert {"torch_call_dispatcher", "aoti_torch_aten_full", "aoti_torch_cpu_cat"} <= declared_functions.keys()


def test_every_declared_function_is_exported_or_listed_with_a_reason(declared_functions, exported_functions):
    assert sorted(declared_functions.keys() - exported_functions - read_absent_functions().keys()) == []
    assert all(reason.strip() for reason in read_absent_functions().values())


def test_list_of_absent_functions_names_no_others(declared_functions, exported_functions):
    assert sorted(read_absent_functions().keys() - declared_functions.keys()) == []
    assert sorted(read_absent_functions().keys() & exported_functions) == []


def test_nothing_else_is_exported(declared_functions, exported_functions):
    ours = {
        name for name in exported_functions - declared_functions.keys() if not name.startswith("mindtorch_extension_")
    }
    assert sorted(ours) == [
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm",
        "_ZSt21ios_base_library_initv",
    ]


def passing_kind_of_parameter(parameter):
    """How a parameter is passed: as a pointer, or as a number of some size."""
    if "*" in parameter or re.search(r"Handle\b(?!\s*\*)", parameter):
        return "pointer"
    return re.sub(r"\bconst\b", "", parameter).split()[0]


def passing_kinds_of_parameters(parameters):
    return [
        passing_kind_of_parameter(parameter)
        for parameter in parameters.split(",")
        if parameter.strip() not in ("", "void")
    ]


def list_generated_functions():
    text = (ROOT / "build/release/generated/libtorch/operators.cpp").read_text(encoding="utf-8")
    return re.findall(r"^STABLE_ABI int32_t (\w+)\((.*)\) \{$", text, re.MULTILINE)


def test_generated_functions_match_the_headers(declared_functions):
    functions = list_generated_functions()
    assert len(functions) > 140
    wrong = [
        f"{name}: ({parameters}) against ({declared_functions[name][1]})"
        for name, parameters in functions
        if passing_kinds_of_parameters(parameters) != passing_kinds_of_parameters(declared_functions[name][1])
    ]
    assert wrong == []
