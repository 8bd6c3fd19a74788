// The package's native part: calls of operators with R's values. What R throws is thrown last: its longjmp skips destructors.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support.h"

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

namespace {

using mindtorch_swig::fail;
using mindtorch_swig::Values;

// Runs C++. An exception becomes an R condition, which the package's `throw` raises after all C++ objects are destroyed.
template <class Work>
SEXP guarded(Work&& work) {
  SEXP failure = R_NilValue;
  {
    std::string kind, message;
    try {
      return work();
    } catch (const mindtorch::Error& error) {
      kind = error.kind();
      message = error.what();
    } catch (const std::out_of_range& error) {
      kind = "IndexError";
      message = error.what();
    } catch (const std::exception& error) {
      kind = "RuntimeError";
      message = error.what();
    }
    failure = PROTECT(Rf_allocVector(STRSXP, 2));
    SET_STRING_ELT(failure, 0, Rf_mkCharCE(kind.c_str(), CE_UTF8));
    SET_STRING_ELT(failure, 1, Rf_mkCharCE(message.c_str(), CE_UTF8));
  }
  SEXP name = PROTECT(Rf_mkString("mindtorch"));
  SEXP space = PROTECT(R_FindNamespace(name));
  SEXP call = PROTECT(Rf_lang2(Rf_install("throw"), failure));
  Rf_eval(call, space);
  UNPROTECT(4);
  return R_NilValue;
}

// ---- tensors ----

void finalize(SEXP object) {
  mt_tensor_release(static_cast<mt_tensor*>(R_ExternalPtrAddr(object)));
  R_ClearExternalPtr(object);
}

// Makes an R object that takes over the reference to a tensor; R's NULL for none. The caller must PROTECT the result.
SEXP own(mt_tensor* tensor) {
  if (tensor == nullptr) return R_NilValue;
  SEXP object = PROTECT(R_MakeExternalPtr(tensor, Rf_install("mt_tensor"), R_NilValue));
  R_RegisterCFinalizerEx(object, finalize, TRUE);
  Rf_classgets(object, Rf_mkString("Tensor"));
  UNPROTECT(1);
  return object;
}

bool is_tensor(SEXP value) { return TYPEOF(value) == EXTPTRSXP && R_ExternalPtrTag(value) == Rf_install("mt_tensor"); }

mt_tensor* tensor_of(SEXP value) {
  if (!is_tensor(value)) fail("TypeError", "a Tensor is expected");
  auto* tensor = static_cast<mt_tensor*>(R_ExternalPtrAddr(value));
  if (tensor == nullptr) fail("ValueError", "this Tensor is closed");
  return tensor;
}

// Runs R's garbage collector when tensors use much memory, because R does not know their size.
void collect_if_needed() {
  if (!mindtorch_swig::memory_is_high()) return;
  R_gc();
  mindtorch_swig::memory_settle();
}

// ---- boxing ----

std::string text_of(SEXP value) {
  if (TYPEOF(value) != STRSXP || Rf_length(value) != 1 || STRING_ELT(value, 0) == NA_STRING) fail("TypeError", "one string is expected");
  return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

// R's numbers are doubles: one without a fraction is passed to operators as an integer.
bool is_whole(double number) { return std::floor(number) == number && std::fabs(number) < 0x1p53; }

int integer_at(SEXP value, R_xlen_t i) {
  const int number = INTEGER(value)[i];
  if (number == NA_INTEGER) fail("ValueError", "NA is no integer");
  return number;
}

void box_vector(SEXP value, Values& values) {
  const R_xlen_t size = Rf_xlength(value);
  std::vector<int64_t> wholes;
  std::vector<double> numbers;
  for (R_xlen_t i = 0; i < size; ++i) {
    if (TYPEOF(value) == REALSXP) {
      numbers.push_back(REAL(value)[i]);
      if (is_whole(numbers.back())) wholes.push_back(static_cast<int64_t>(numbers.back()));
    } else {
      wholes.push_back(TYPEOF(value) == INTSXP ? integer_at(value, i) : LOGICAL(value)[i] != 0);
    }
  }
  if (static_cast<R_xlen_t>(wholes.size()) == size) {
    values.add_ints(wholes);
  } else {
    values.add_doubles(numbers);
  }
}

void box_scalar(SEXP value, Values& values) {
  switch (TYPEOF(value)) {
    case LGLSXP:
      if (LOGICAL(value)[0] == NA_LOGICAL) fail("ValueError", "NA is neither true nor false");
      return values.add_bool(LOGICAL(value)[0] != 0);
    case INTSXP: return values.add_int(integer_at(value, 0));
    case REALSXP:
      return is_whole(REAL(value)[0]) ? values.add_int(static_cast<int64_t>(REAL(value)[0])) : values.add_double(REAL(value)[0]);
    case CPLXSXP: return values.add_complex(COMPLEX(value)[0].r, COMPLEX(value)[0].i);
    default: return values.add_string(text_of(value));
  }
}

// Boxes a list of tensors and NULL, or of numbers.
void box_list(SEXP list, Values& values) {
  const R_xlen_t size = Rf_xlength(list);
  mindtorch_swig::Tensors tensors;
  std::vector<int64_t> wholes;
  std::vector<double> numbers;
  for (R_xlen_t i = 0; i < size; ++i) {
    SEXP item = VECTOR_ELT(list, i);
    if (item == R_NilValue || is_tensor(item)) {
      tensors.add(item == R_NilValue ? nullptr : tensor_of(item));
    } else if ((TYPEOF(item) == REALSXP || TYPEOF(item) == INTSXP || TYPEOF(item) == LGLSXP) && Rf_length(item) == 1) {
      numbers.push_back(Rf_asReal(item));
      if (is_whole(numbers.back())) wholes.push_back(static_cast<int64_t>(numbers.back()));
    } else {
      fail("TypeError", "a list has either numbers or tensors");
    }
  }
  if (static_cast<R_xlen_t>(wholes.size()) == size) return values.add_ints(wholes);
  if (static_cast<R_xlen_t>(numbers.size()) == size) return values.add_doubles(numbers);
  if (!numbers.empty()) fail("TypeError", "a list has either numbers or tensors");
  values.add_tensors(tensors);
}

void box(SEXP value, Values& values) {
  if (value == R_NilValue) return values.add_none();
  if (is_tensor(value)) return values.add_tensor(tensor_of(value));
  switch (TYPEOF(value)) {
    case VECSXP: return box_list(value, values);
    case LGLSXP:
    case INTSXP:
    case REALSXP:
      // R does not distinguish a number from a vector of length 1: I(3) is passed as a list.
      if (Rf_length(value) != 1 || Rf_inherits(value, "AsIs")) return box_vector(value, values);
      return box_scalar(value, values);
    case CPLXSXP:
    case STRSXP:
      if (Rf_length(value) == 1) return box_scalar(value, values);
      [[fallthrough]];
    default: fail("TypeError", std::string("a ") + Rf_type2char(TYPEOF(value)) + " is no argument of an operator");
  }
}

SEXP number(double value) { return Rf_ScalarReal(value); }

SEXP unbox(const mindtorch::Value& value) {
  const mt_value& raw = value.raw();
  switch (raw.tag) {
    case MT_TAG_NONE: return R_NilValue;
    case MT_TAG_BOOL: return Rf_ScalarLogical(raw.as.i != 0);
    case MT_TAG_DOUBLE: return number(raw.as.d);
    case MT_TAG_COMPLEX: {
      Rcomplex both;
      both.r = raw.as.c[0];
      both.i = raw.as.c[1];
      return Rf_ScalarComplex(both);
    }
    case MT_TAG_DTYPE: return Rf_mkString(mt_dtype_name(static_cast<int32_t>(raw.as.i)));
    case MT_TAG_STRING: {
      SEXP text = PROTECT(Rf_mkCharLenCE(raw.as.string.data, static_cast<int>(raw.as.string.size), CE_UTF8));
      SEXP out = Rf_ScalarString(text);
      UNPROTECT(1);
      return out;
    }
    case MT_TAG_TENSOR: mt_tensor_retain(raw.as.tensor); return own(raw.as.tensor);
    case MT_TAG_TENSORS: {
      const auto* tensors = static_cast<mt_tensor* const*>(raw.as.list.data);
      SEXP list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(raw.as.list.size)));
      for (int64_t i = 0; i < raw.as.list.size; ++i) {
        mt_tensor_retain(tensors[i]);
        SET_VECTOR_ELT(list, static_cast<R_xlen_t>(i), own(tensors[i]));
      }
      UNPROTECT(1);
      return list;
    }
    case MT_TAG_INT:
    case MT_TAG_LAYOUT:
    case MT_TAG_MEMORY_FORMAT: return number(static_cast<double>(raw.as.i));  // R's integers have 32 bits
    default: fail("TypeError", "R has no form for a result with tag " + std::to_string(raw.tag));
  }
}

// call_operator(name, overload, list of arguments, of which some have names)
SEXP call_operator(SEXP name, SEXP overload, SEXP arguments) {
  return guarded([&] {
    Values values;
    SEXP names = Rf_getAttrib(arguments, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(arguments); ++i) {
      box(VECTOR_ELT(arguments, i), values);
      const std::string key = names == R_NilValue ? "" : Rf_translateCharUTF8(STRING_ELT(names, i));
      if (!key.empty()) values.name(key);
    }
    const Values results = mindtorch_swig::dispatch(text_of(name).c_str(), text_of(overload).c_str(), values);
    values.clear();
    SEXP out = R_NilValue;
    if (results.size() == 1) {
      out = PROTECT(unbox(results.at(0)));
    } else {
      out = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(results.size())));
      for (int64_t i = 0; i < results.size(); ++i) SET_VECTOR_ELT(out, static_cast<R_xlen_t>(i), unbox(results.at(i)));
    }
    collect_if_needed();
    UNPROTECT(1);
    return out;
  });
}

SEXP operator_exists(SEXP name) {
  return guarded([&] { return Rf_ScalarLogical(mindtorch_swig::operator_exists(text_of(name).c_str())); });
}

// Whether it is an operator that creates tensors: pinned memory is a choice of theirs alone.
SEXP operator_creates(SEXP name) {
  return guarded([&] {
    const auto overloads = mindtorch_swig::overloads_of(text_of(name).c_str());
    return Rf_ScalarLogical(overloads != nullptr && std::any_of(overloads->begin(), overloads->end(), [](const auto* overload) {
                              return overload->find(0, "pin_memory") != nullptr;
                            }));
  });
}

// ---- elements ----

std::vector<int64_t> sizes_of(SEXP sizes) {
  std::vector<int64_t> out;
  for (R_xlen_t i = 0; i < Rf_xlength(sizes); ++i) out.push_back(static_cast<int64_t>(REAL(sizes)[i]));
  return out;
}

int32_t dtype_of(SEXP name) {
  const std::string text = text_of(name);
  mt_value raw{};
  raw.as.string.data = text.data();
  raw.as.string.size = static_cast<int64_t>(text.size());
  int32_t dtype = 0;
  if (!mindtorch_swig::find_dtype(raw, &dtype)) fail("TypeError", "there is no dtype " + text);
  return dtype;
}

// from_vector(vector, sizes): the elements in memory's order, with the vector's own type; logical values are int32.
SEXP from_vector(SEXP value, SEXP sizes) {
  return guarded([&] {
    const std::vector<int64_t> shape = sizes_of(sizes);
    const void* data = nullptr;
    int32_t dtype = MT_FLOAT64;
    switch (TYPEOF(value)) {
      case REALSXP: data = REAL(value); break;
      case INTSXP:
        data = INTEGER(value);
        dtype = MT_INT32;
        break;
      case LGLSXP:
        data = LOGICAL(value);
        dtype = MT_INT32;
        break;
      case CPLXSXP:
        data = COMPLEX(value);
        dtype = MT_COMPLEX128;
        break;
      default: fail("TypeError", std::string("no dtype fits a ") + Rf_type2char(TYPEOF(value)));
    }
    mt_tensor* out = nullptr;
    mindtorch::check(mt_tensor_from_copy(data, shape.data(), static_cast<int64_t>(shape.size()), dtype, &out));
    SEXP made = PROTECT(own(out));
    collect_if_needed();
    UNPROTECT(1);
    return made;
  });
}

// from_raw(raw vector, sizes, dtype): elements as memory has them.
SEXP from_raw(SEXP bytes, SEXP sizes, SEXP dtype) {
  return guarded([&] {
    if (TYPEOF(bytes) != RAWSXP) fail("TypeError", "a raw vector is expected");
    return own(mindtorch_swig::tensor_from_bytes(reinterpret_cast<const char*>(RAW(bytes)), static_cast<size_t>(Rf_xlength(bytes)),
                                                 sizes_of(sizes), dtype_of(dtype)));
  });
}

// The elements in row-major order: numbers, integers of 32 bits, logical or complex values.
SEXP to_vector(SEXP tensor) {
  return guarded([&] {
    const mindtorch::Tensor given = mindtorch::Tensor::share(tensor_of(tensor));
    int32_t dtype = given.dtype();
    const bool is_complex = dtype == MT_COMPLEX64 || dtype == MT_COMPLEX128 || dtype == MT_COMPLEX32;
    const bool is_small = dtype == MT_INT32 || dtype == MT_INT16 || dtype == MT_INT8 || dtype == MT_UINT8 || dtype == MT_BOOL;
    const int32_t wanted = is_complex ? MT_COMPLEX128 : is_small ? MT_INT32 : MT_FLOAT64;
    const mindtorch::Tensor host = mindtorch_swig::to_host(given.handle(), wanted);
    const auto count = static_cast<R_xlen_t>(host.numel());
    const SEXPTYPE type = is_complex ? CPLXSXP : dtype == MT_BOOL ? LGLSXP : is_small ? INTSXP : REALSXP;
    SEXP out = PROTECT(Rf_allocVector(type, count));
    void* target = type == CPLXSXP   ? static_cast<void*>(COMPLEX(out))
                   : type == REALSXP ? static_cast<void*>(REAL(out))
                   : type == LGLSXP  ? static_cast<void*>(LOGICAL(out))
                                     : static_cast<void*>(INTEGER(out));
    if (count > 0) std::memcpy(target, host.data<void>(), static_cast<size_t>(count) * static_cast<size_t>(mt_dtype_size(wanted)));
    UNPROTECT(1);
    return out;
  });
}

SEXP get_item(SEXP tensor) {
  return guarded([&] {
    mt_value raw{};
    mindtorch::check(mt_tensor_item(tensor_of(tensor), &raw));
    return unbox(mindtorch::Value::own(raw));
  });
}

// ---- properties: list(sizes, dtype, device, flags, is strided) ----

SEXP get_info(SEXP tensor) {
  return guarded([&] {
    const mt_tensor_info about = mindtorch::Tensor::share(tensor_of(tensor)).info();
    SEXP out = PROTECT(Rf_allocVector(VECSXP, 5));
    SEXP sizes = Rf_allocVector(REALSXP, static_cast<R_xlen_t>(about.ndim));
    SET_VECTOR_ELT(out, 0, sizes);
    for (int64_t i = 0; i < about.ndim; ++i) REAL(sizes)[i] = static_cast<double>(about.sizes[i]);
    SET_VECTOR_ELT(out, 1, Rf_mkString(mt_dtype_name(about.dtype)));
    SET_VECTOR_ELT(out, 2, Rf_mkString(mt_device_type_name(about.device.type)));
    SET_VECTOR_ELT(out, 3, Rf_ScalarLogical((about.flags & MT_TENSOR_REQUIRES_GRAD) != 0));
    SET_VECTOR_ELT(out, 4, Rf_ScalarLogical(about.layout == MT_STRIDED));
    UNPROTECT(1);
    return out;
  });
}

SEXP is_closed(SEXP tensor) { return Rf_ScalarLogical(!is_tensor(tensor) || R_ExternalPtrAddr(tensor) == nullptr); }
SEXP close_tensor(SEXP tensor) {
  if (is_tensor(tensor)) finalize(tensor);
  return R_NilValue;
}

// ---- gradients ----

SEXP backward(SEXP tensor, SEXP gradient) {
  return guarded([&] {
    mindtorch::Tensor::share(tensor_of(tensor))
        .backward(gradient == R_NilValue ? mindtorch::Tensor() : mindtorch::Tensor::share(tensor_of(gradient)));
    collect_if_needed();
    return R_NilValue;
  });
}

SEXP get_grad(SEXP tensor) {
  return guarded([&] {
    mt_tensor* gradient = nullptr;
    mindtorch::check(mt_tensor_grad(tensor_of(tensor), &gradient));
    return own(gradient);
  });
}

SEXP set_grad(SEXP tensor, SEXP gradient) {
  return guarded([&] {
    mindtorch::check(mt_tensor_set_grad(tensor_of(tensor), gradient == R_NilValue ? nullptr : tensor_of(gradient)));
    return R_NilValue;
  });
}

SEXP set_requires_grad(SEXP tensor, SEXP on) {
  return guarded([&] {
    mindtorch::check(mt_tensor_set_requires_grad(tensor_of(tensor), Rf_asLogical(on) == TRUE));
    return R_NilValue;
  });
}

// The mode before.
SEXP set_grad_mode(SEXP on) {
  return guarded([&] {
    int32_t before = 0;
    mindtorch::check(mt_mode_get(MT_MODE_GRAD, &before));
    mindtorch::check(mt_mode_set(MT_MODE_GRAD, Rf_asLogical(on) == TRUE));
    return Rf_ScalarLogical(before);
  });
}

// R's own thread runs the hook, as it runs backward.
mt_status* run_hook(void* user, mt_tensor* gradient, mt_tensor** replacement) {
  mt_tensor_retain(gradient);
  SEXP given = PROTECT(own(gradient));
  SEXP call = PROTECT(Rf_lang2(static_cast<SEXP>(user), given));
  int failed = 0;
  SEXP returned = R_tryEvalSilent(call, R_GlobalEnv, &failed);
  mt_status* status = nullptr;
  if (failed != 0) {
    status = mt_status_create("RuntimeError", R_curErrorBuf());
  } else if (is_tensor(returned) && R_ExternalPtrAddr(returned) != nullptr) {
    *replacement = static_cast<mt_tensor*>(R_ExternalPtrAddr(returned));
    mt_tensor_retain(*replacement);
  }
  UNPROTECT(2);
  return status;
}
void drop_hook(void* user) { R_ReleaseObject(static_cast<SEXP>(user)); }

SEXP add_hook(SEXP tensor, SEXP function) {
  return guarded([&] {
    if (!Rf_isFunction(function)) fail("TypeError", "a hook is a function");
    R_PreserveObject(function);
    int64_t id = 0;
    if (mt_status* status = mt_tensor_add_hook(tensor_of(tensor), run_hook, function, drop_hook, &id)) {
      R_ReleaseObject(function);
      mindtorch::check(status);
    }
    return number(static_cast<double>(id));
  });
}

SEXP remove_hook(SEXP tensor, SEXP id) {
  return guarded([&] {
    mindtorch::check(mt_tensor_remove_hook(tensor_of(tensor), static_cast<int64_t>(Rf_asReal(id))));
    return R_NilValue;
  });
}

SEXP manual_seed(SEXP seed) {
  return guarded([&] {
    mindtorch::manual_seed(static_cast<uint64_t>(Rf_asReal(seed)));
    return R_NilValue;
  });
}

SEXP get_version() { return Rf_mkString(mt_version()); }

// ---- files ----

SEXP load_tensors(SEXP path) {
  return guarded([&] {
    const mindtorch_swig::NamedTensors found = mindtorch_swig::load_tensors(text_of(path));
    const auto count = static_cast<R_xlen_t>(found.size());
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count)), names = PROTECT(Rf_allocVector(STRSXP, count));
    for (R_xlen_t i = 0; i < count; ++i) {
      SET_VECTOR_ELT(out, i, own(found.get(i)));
      SET_STRING_ELT(names, i, Rf_mkCharCE(found.name(i), CE_UTF8));
    }
    Rf_setAttrib(out, R_NamesSymbol, names);
    UNPROTECT(2);
    return out;
  });
}

SEXP save_tensors(SEXP tensors, SEXP path, SEXP as_torch) {
  return guarded([&] {
    mindtorch_swig::NamedTensors named;
    SEXP names = Rf_getAttrib(tensors, R_NamesSymbol);
    if (TYPEOF(tensors) != VECSXP || (names == R_NilValue && Rf_length(tensors) > 0)) fail("TypeError", "a list with names is expected");
    for (R_xlen_t i = 0; i < Rf_xlength(tensors); ++i) {
      named.add(Rf_translateCharUTF8(STRING_ELT(names, i)), tensor_of(VECTOR_ELT(tensors, i)));
    }
    named.save(text_of(path), Rf_asLogical(as_torch) == TRUE);
    return R_NilValue;
  });
}

#define ENTRY(name, count) {"mt_" #name, reinterpret_cast<DL_FUNC>(name), count}
const R_CallMethodDef entries[] = {ENTRY(call_operator, 3),     ENTRY(operator_exists, 1), ENTRY(from_vector, 2),  ENTRY(from_raw, 3),
                                   ENTRY(to_vector, 1),         ENTRY(get_item, 1),        ENTRY(get_info, 1),     ENTRY(is_closed, 1),
                                   ENTRY(close_tensor, 1),      ENTRY(backward, 2),        ENTRY(get_grad, 1),     ENTRY(set_grad, 2),
                                   ENTRY(set_requires_grad, 2), ENTRY(set_grad_mode, 1),   ENTRY(add_hook, 2),     ENTRY(remove_hook, 2),
                                   ENTRY(manual_seed, 1),       ENTRY(get_version, 0),     ENTRY(load_tensors, 1), ENTRY(save_tensors, 3),
                                   ENTRY(operator_creates, 1),  {nullptr, nullptr, 0}};

}  // namespace

extern "C" __attribute__((visibility("default"))) void R_init_mindtorch(DllInfo* library) {
  R_registerRoutines(library, nullptr, entries, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
}
