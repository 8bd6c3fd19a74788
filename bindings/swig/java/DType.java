package org.mindtorch;

/** The type of a tensor's elements; the names are torch's. */
public enum DType {
  UINT8, INT8, INT16, INT32, INT64, FLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128, BOOL, BFLOAT16, UINT16, UINT32, UINT64,
  COMPLEX32, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E5M2FNUZ, FLOAT8_E4M3FNUZ, FLOAT8_E8M0FNU;

  private static final DType[] byNumber = new DType[64];
  private final int number = find();

  static {
    for (DType dtype : values()) byNumber[dtype.number] = dtype;
  }

  private int find() {
    for (int candidate = 0; candidate < 64; ++candidate) {
      if (toString().equals(capi.mt_dtype_name(candidate))) return candidate;
    }
    throw new IllegalStateException("the library has no dtype " + this);
  }

  /** Whether the elements are whole numbers, with a sign or without. */
  boolean isInteger() {
    return name().contains("INT");
  }

  boolean isComplex() {
    return name().startsWith("COMPLEX");
  }

  /** The number in the C ABI. */
  public int number() {
    return number;
  }

  static DType of(int number) {
    if (byNumber[number] == null) throw new IllegalArgumentException("Java has no name for the dtype " + capi.mt_dtype_name(number));
    return byNumber[number];
  }

  /** torch's name: "float32". */
  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
