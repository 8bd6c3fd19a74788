// Calls of operators with Perl's own values, without boxes made in Perl. What Perl throws is thrown at the end: longjmp skips destructors.
#pragma once

#include <cmath>

namespace {

// A tensor in Perl is a blessed pointer, whose DESTROY drops it (perl.i).
SV* own_tensor(pTHX_ const mindtorch::Tensor& tensor) {
  SV* made = newSV(0);
  if (!tensor.defined()) return made;
  mt_tensor_retain(tensor.handle());
  return sv_setref_pv(made, "MindTorch::Tensor", tensor.handle());
}

bool is_handle(pTHX_ SV* value, swig_type_info* type, void** pointer) {
  return SWIG_IsOK(SWIG_ConvertPtr(value, pointer, type, 0)) && *pointer != nullptr;
}

// A scalar's flags tell its type: a string stays a string even if it was used as a number.
bool is_whole(SV* value) { return SvIOK(value) && !SvROK(value); }
bool is_fraction(SV* value) { return SvNOK(value) && !SvROK(value); }

int64_t whole_of(pTHX_ SV* value, bool* is_unsigned) {
  *is_unsigned = SvIsUV(value) && SvUVX(value) > static_cast<UV>(INT64_MAX);
  return static_cast<int64_t>(SvIsUV(value) ? static_cast<IV>(SvUVX(value)) : SvIVX(value));
}

void box_list(pTHX_ AV* list, mindtorch_swig::Values& values) {
  const SSize_t size = av_len(list) + 1;
  std::vector<int64_t> wholes;
  std::vector<double> numbers;
  mindtorch_swig::Tensors tensors;
  for (SSize_t i = 0; i < size; ++i) {
    SV** place = av_fetch(list, i, 0);
    SV* item = place == nullptr ? &PL_sv_undef : *place;
    SvGETMAGIC(item);
    void* tensor = nullptr;
    if (is_whole(item) || is_fraction(item)) {
      const double number = SvNV_nomg(item);
      numbers.push_back(number);
      bool is_unsigned = false;
      if (is_whole(item)) wholes.push_back(whole_of(aTHX_ item, &is_unsigned));
      // A quotient such as 4 / 2 has no integer flag although it has no fraction.
      if (!is_whole(item) && number == std::floor(number) && std::fabs(number) < 0x1p53) wholes.push_back(static_cast<int64_t>(number));
    } else if (!SvOK(item) || is_handle(aTHX_ item, SWIGTYPE_p_mt_tensor, &tensor)) {
      tensors.add(static_cast<mt_tensor*>(tensor));
    } else {
      mindtorch_swig::fail("TypeError", "a list has either numbers or tensors");
    }
  }
  if (static_cast<SSize_t>(wholes.size()) == size) {
    values.add_ints(wholes);
  } else if (static_cast<SSize_t>(numbers.size()) == size) {
    values.add_doubles(numbers);
  } else if (tensors.size() == size) {
    values.add_tensors(tensors);
  } else {
    mindtorch_swig::fail("TypeError", "a list has either numbers or tensors");
  }
}

void box(pTHX_ SV* value, mindtorch_swig::Values& values) {
  void* pointer = nullptr;
  SvGETMAGIC(value);
  if (!SvOK(value)) return values.add_none();
  if (SvROK(value)) {
    if (is_handle(aTHX_ value, SWIGTYPE_p_mt_tensor, &pointer)) return values.add_tensor(static_cast<mt_tensor*>(pointer));
    if (is_handle(aTHX_ value, SWIGTYPE_p_mt_generator, &pointer)) return values.add_generator(static_cast<mt_generator*>(pointer));
    if (is_handle(aTHX_ value, SWIGTYPE_p_mt_device, &pointer)) return values.add_device(*static_cast<mt_device*>(pointer));
    if (SvTYPE(SvRV(value)) == SVt_PVAV && !SvOBJECT(SvRV(value))) return box_list(aTHX_ reinterpret_cast<AV*>(SvRV(value)), values);
    mindtorch_swig::fail("TypeError", std::string("a ") + sv_reftype(SvRV(value), 1) + " is no argument of an operator");
  }
  if (SvIsBOOL(value)) return values.add_bool(SvTRUE_nomg_NN(value));
  if (is_whole(value)) {
    mt_value raw{};
    bool is_unsigned = false;
    raw.tag = MT_TAG_INT;
    raw.as.i = whole_of(aTHX_ value, &is_unsigned);
    if (is_unsigned) raw.flags = MT_FLAG_UNSIGNED;
    return values.own(raw);  // numbers refer to nothing
  }
  if (is_fraction(value)) return values.add_double(SvNV_nomg(value));
  STRLEN size = 0;
  const char* text = SvPVutf8(value, size);
  values.add_string(std::string(text, size));
}

void box_named_arguments(pTHX_ HV* named, mindtorch_swig::Values& values) {
  hv_iterinit(named);
  while (HE* entry = hv_iternext(named)) {
    box(aTHX_ HeVAL(entry), values);
    I32 size = 0;
    const char* key = hv_iterkey(entry, &size);
    values.name(std::string(key, static_cast<size_t>(size)));
  }
}

SV* unbox(pTHX_ const mindtorch::Value& value) {
  const mt_value& raw = value.raw();
  switch (raw.tag) {
    case MT_TAG_NONE: return newSV(0);
    case MT_TAG_BOOL: return newSVsv(raw.as.i != 0 ? &PL_sv_yes : &PL_sv_no);
    case MT_TAG_DOUBLE: return newSVnv(raw.as.d);
    case MT_TAG_TENSOR: return own_tensor(aTHX_ value.tensor());
    case MT_TAG_STRING: return newSVpvn_utf8(raw.as.string.data, static_cast<STRLEN>(raw.as.string.size), true);
    case MT_TAG_COMPLEX:
    case MT_TAG_TENSORS: break;
    default: return (raw.flags & MT_FLAG_UNSIGNED) != 0 ? newSVuv(static_cast<UV>(raw.as.i)) : newSViv(raw.as.i);
  }
  AV* list = newAV();
  if (raw.tag == MT_TAG_COMPLEX) {
    for (const double part : raw.as.c) av_push(list, newSVnv(part));
  } else {
    for (const mindtorch::Tensor& tensor : value.tensors()) av_push(list, own_tensor(aTHX_ tensor));
  }
  return newRV_noinc(reinterpret_cast<SV*>(list));
}

constexpr I32 most_results = 16;

// Calls an operator; returns the number of results, which are on Perl's stack from `ax` on, or -1 after setting the error $@.
I32 call_with_values(pTHX_ I32 ax, I32 items) {
  try {
    mindtorch_swig::Values values;
    SV* last = items > 2 ? ST(items - 1) : &PL_sv_undef;
    const bool has_named = SvROK(last) && SvTYPE(SvRV(last)) == SVt_PVHV && !SvOBJECT(SvRV(last));
    for (I32 i = 2; i < items - (has_named ? 1 : 0); ++i) box(aTHX_ ST(i), values);
    if (has_named) box_named_arguments(aTHX_ reinterpret_cast<HV*>(SvRV(last)), values);
    const std::string name = SvPV_nolen(ST(0)), overload = SvPV_nolen(ST(1));
    const mindtorch_swig::Values results = mindtorch_swig::dispatch(name.c_str(), overload.c_str(), values);
    const auto count = static_cast<I32>(results.size());
    if (count > most_results) mindtorch_swig::fail("TypeError", "the operator has more results than Perl can take");
    for (I32 i = 0; i < count; ++i) ST(i) = sv_2mortal(unbox(aTHX_ results.at(i)));
    return count;
  } catch (const mindtorch::Error& error) {
    set_error(aTHX_ error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    set_error(aTHX_ "RuntimeError", error.what());
  }
  return -1;
}

}  // namespace

XS(call_operator) {
  dXSARGS;
  if (items < 2) croak("usage: MindTorch::call(name, overload, arguments...)");
  EXTEND(SP, most_results);
  const I32 count = call_with_values(aTHX_ ax, items);
  if (count < 0) croak(nullptr);
  XSRETURN(count);
}
