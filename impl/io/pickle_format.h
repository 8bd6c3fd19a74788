// The format of torch.save's pickles, for reader and writer: opcodes, and the classes that represent a storage's dtype.
#pragma once

#include "core/dtype.h"

namespace mt::io {

// Opcodes of pickle's protocols up to 2, under the names in Python's pickletools.
enum Opcode : uint8_t {
  MARK = '(',
  STOP = '.',
  NONE = 'N',
  NEWTRUE = 0x88,
  NEWFALSE = 0x89,
  BININT = 'J',
  BININT1 = 'K',
  BININT2 = 'M',
  BINFLOAT = 'G',
  LONG1 = 0x8a,
  BINUNICODE = 'X',
  SHORT_BINSTRING = 'U',
  GLOBAL = 'c',
  REDUCE = 'R',
  BUILD = 'b',
  NEWOBJ = 0x81,
  BINPERSID = 'Q',
  EMPTY_TUPLE = ')',
  EMPTY_LIST = ']',
  EMPTY_DICT = '}',
  EMPTY_SET = 0x8f,
  TUPLE = 't',
  TUPLE1 = 0x85,
  TUPLE2 = 0x86,
  TUPLE3 = 0x87,
  APPEND = 'a',
  APPENDS = 'e',
  SETITEM = 's',
  SETITEMS = 'u',
  BINGET = 'h',
  LONG_BINGET = 'j',
  BINPUT = 'q',
  LONG_BINPUT = 'r',
  PROTO = 0x80
};

// The storage classes of module torch that stand for dtypes; newer dtypes have none.
struct StorageClass {
  const char* name;
  Dtype dtype;
};
inline constexpr StorageClass storage_classes[] = {
    {"FloatStorage", Dtype::float32},
    {"DoubleStorage", Dtype::float64},
    {"HalfStorage", Dtype::float16},
    {"BFloat16Storage", Dtype::bfloat16},
    {"LongStorage", Dtype::int64},
    {"IntStorage", Dtype::int32},
    {"ShortStorage", Dtype::int16},
    {"CharStorage", Dtype::int8},
    {"ByteStorage", Dtype::uint8},
    {"BoolStorage", Dtype::boolean},
    {"ComplexFloatStorage", Dtype::complex64},
    {"ComplexDoubleStorage", Dtype::complex128},
};

}  // namespace mt::io
