# An operator, a gradient and an error through C functions alone, as any foreign-function interface calls them.
import ctypes
import sys

c = ctypes.CDLL(sys.argv[1])
FLOAT32, TENSOR = 6, 11  # MT_FLOAT32, MT_TAG_TENSOR


class Value(ctypes.Structure):  # mt_value: a tag, flags and 16 bytes
    _fields_ = [
        ("tag", ctypes.c_int32),
        ("flags", ctypes.c_int32),
        ("pointer", ctypes.c_void_p),
        ("rest", ctypes.c_int64),
    ]


def check(status):
    """Every function that can fail returns a status, which is null if it did not."""
    if status:
        text = f"{c.mt_status_kind(status).decode()}: {c.mt_status_message(status).decode()}"
        c.mt_status_release(status)
        raise RuntimeError(text)


for name in (
    "mt_tensor_from_copy",
    "mt_dispatch",
    "mt_tensor_set_requires_grad",
    "mt_autograd_backward",
    "mt_tensor_grad",
    "mt_tensor_data",
):
    getattr(c, name).restype = ctypes.c_void_p
for name in ("mt_status_kind", "mt_status_message"):
    getattr(c, name).restype, getattr(c, name).argtypes = ctypes.c_char_p, [ctypes.c_void_p]
c.mt_status_release.argtypes = [ctypes.c_void_p]


def tensor(*numbers):
    made, data, sizes = ctypes.c_void_p(), (ctypes.c_float * len(numbers))(*numbers), (ctypes.c_int64 * 1)(len(numbers))
    check(c.mt_tensor_from_copy(data, sizes, ctypes.c_int64(1), ctypes.c_int32(FLOAT32), ctypes.byref(made)))
    return made  # mt_tensor_release frees it


def call(name, overload, *tensors):
    arguments = (Value * len(tensors))(*[Value(TENSOR, 0, tensor.value) for tensor in tensors])
    result, count = Value(), ctypes.c_int64()
    check(
        c.mt_dispatch(
            name,
            overload,
            arguments,
            ctypes.c_int64(len(tensors)),
            ctypes.byref(result),
            ctypes.c_int64(1),
            ctypes.byref(count),
        )
    )
    return ctypes.c_void_p(result.pointer)


def show(name, tensor):
    data = ctypes.c_void_p()
    check(c.mt_tensor_data(tensor, ctypes.byref(data)))
    print(name, *(f"{number:g}" for number in ctypes.cast(data, ctypes.POINTER(ctypes.c_float))[:3]))


x, y = tensor(1, 2, 3), tensor(4, 5, 6)
show("sum", call(b"add", b"Tensor", x, y))

check(c.mt_tensor_set_requires_grad(x, ctypes.c_int32(1)))
loss, gradient = call(b"sum", b"", call(b"mul", b"Tensor", x, x)), ctypes.c_void_p()
check(c.mt_autograd_backward(ctypes.byref(loss), None, ctypes.c_int64(1), 0, 0, None, ctypes.c_int64(0)))
check(c.mt_tensor_grad(x, ctypes.byref(gradient)))
show("gradient", gradient)

try:
    call(b"add", b"Tensor", x, tensor(1, 1))
except RuntimeError as error:
    print(error)
