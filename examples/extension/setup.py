from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="softcap",
    version="1.0",
    packages=["softcap"],
    package_dir={"": "src"},
    # The oldest torch that the binary supports: 2.10. It uses no Python headers, so any Python version loads it.
    ext_modules=[
        CppExtension("softcap._ops", ["softcap.cpp"], define_macros=[("TORCH_TARGET_VERSION", "0x020a000000000000")])
    ],
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
)
