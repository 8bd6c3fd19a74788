// Calls of operators with Ruby's own values, without boxes made in Ruby. What may raise runs in rb_protect: longjmp skips destructors.
#pragma once

struct Call {
  VALUE name, overload, arguments, named;
  mindtorch_swig::Values given, results;
  mindtorch_swig::Tensors tensors;
  std::vector<int64_t> wholes;
  std::vector<double> fractions;
  int64_t elements = 0;  // of the largest tensor, or of a list of sizes: whether the call may be long
  std::exception_ptr failure{};
};

// Runs C++ inside a function that Ruby calls, and stores its exception in `call`: C++ exceptions must not pass through Ruby's frames.
template <class Work>
static bool succeeds(Call* call, Work&& work) {
  try {
    work();
    return true;
  } catch (...) {
    call->failure = std::current_exception();
    return false;
  }
}

static void refuse_closed(VALUE object) {
  if (!RB_TYPE_P(object, T_DATA) || RTYPEDDATA_P(object) || DATA_PTR(object) != nullptr) return;
  rb_exc_raise(make_error("ValueError", (std::string("this ") + rb_obj_classname(object) + " is closed").c_str()));
}

static bool is_a(VALUE object, swig_type_info* type, void** pointer) {
  return RB_TYPE_P(object, T_DATA) && rb_obj_is_kind_of(object, static_cast<swig_class*>(type->clientdata)->klass) &&
         (*pointer = DATA_PTR(object)) != nullptr;
}

static void add_tensor(Call* call, mt_tensor* tensor) {
  mt_tensor_info about{};
  about.struct_size = sizeof(about);
  mt_status_release(mt_tensor_get_info(tensor, &about));
  call->elements = std::max(call->elements, about.numel);
}

static void box_list(Call* call, VALUE list) {
  const long size = RARRAY_LEN(list);
  bool is_whole = true, is_numeric = true;
  for (long i = 0; i < size; ++i) {
    const VALUE item = rb_ary_entry(list, i);
    is_whole = is_whole && RB_INTEGER_TYPE_P(item);
    is_numeric = is_numeric && (RB_INTEGER_TYPE_P(item) || RB_FLOAT_TYPE_P(item));
  }
  call->wholes.clear();
  call->fractions.clear();
  call->tensors = mindtorch_swig::Tensors();
  int64_t product = 1;
  for (long i = 0; i < size; ++i) {
    const VALUE item = rb_ary_entry(list, i);
    void* tensor = nullptr;
    if (is_whole) {
      call->wholes.push_back(NUM2LL(item));
      product *= std::min<int64_t>(std::max<int64_t>(call->wholes.back(), 0), 1 << 20);
      product = std::min<int64_t>(product, 1 << 20);
    } else if (is_numeric) {
      call->fractions.push_back(NUM2DBL(item));
    } else {
      refuse_closed(item);
      if (!NIL_P(item) && !is_a(item, SWIGTYPE_p_mt_tensor, &tensor)) {
        rb_raise(rb_eTypeError, "no boxed value for a list with %" PRIsVALUE, rb_obj_class(item));
      }
      if (tensor != nullptr) add_tensor(call, static_cast<mt_tensor*>(tensor));
      call->tensors.add(static_cast<mt_tensor*>(tensor));
    }
  }
  if (is_whole) {
    call->elements = std::max(call->elements, product);
    call->given.add_ints(call->wholes);
  } else if (is_numeric) {
    call->given.add_doubles(call->fractions);
  } else {
    call->given.add_tensors(call->tensors);
  }
}

static void box(Call* call, VALUE object) {
  void* pointer = nullptr;
  refuse_closed(object);
  if (SYMBOL_P(object)) object = rb_sym2str(object);
  if (NIL_P(object)) {
    call->given.add_none();
  } else if (object == Qtrue || object == Qfalse) {
    call->given.add_bool(object == Qtrue);
  } else if (RB_INTEGER_TYPE_P(object)) {
    call->given.add_int(NUM2LL(object));
  } else if (RB_FLOAT_TYPE_P(object)) {
    call->given.add_double(NUM2DBL(object));
  } else if (RB_TYPE_P(object, T_STRING)) {
    call->given.add_string(std::string(RSTRING_PTR(object), static_cast<size_t>(RSTRING_LEN(object))));
  } else if (RB_TYPE_P(object, T_COMPLEX)) {
    const double real = NUM2DBL(rb_funcall(object, rb_intern("real"), 0));
    call->given.add_complex(real, NUM2DBL(rb_funcall(object, rb_intern("imaginary"), 0)));
  } else if (RB_TYPE_P(object, T_ARRAY)) {
    box_list(call, object);
  } else if (is_a(object, SWIGTYPE_p_mt_tensor, &pointer)) {
    add_tensor(call, static_cast<mt_tensor*>(pointer));
    call->given.add_tensor(static_cast<mt_tensor*>(pointer));
  } else if (is_a(object, SWIGTYPE_p_mt_generator, &pointer)) {
    call->given.add_generator(static_cast<mt_generator*>(pointer));
  } else if (is_a(object, SWIGTYPE_p_mt_device, &pointer)) {
    call->given.add_device(*static_cast<mt_device*>(pointer));
  } else {
    rb_raise(rb_eTypeError, "no boxed value for %" PRIsVALUE, rb_obj_class(object));
  }
}

static int box_named_arguments(VALUE key, VALUE object, VALUE state) {
  auto* call = reinterpret_cast<Call*>(state);
  if (SYMBOL_P(key)) key = rb_sym2str(key);
  if (!RB_TYPE_P(key, T_STRING)) rb_raise(rb_eTypeError, "an argument's name is a Symbol or String, not %" PRIsVALUE, rb_obj_class(key));
  const auto work = [&] {
    box(call, object);
    call->given.name(std::string(RSTRING_PTR(key), static_cast<size_t>(RSTRING_LEN(key))));
  };
  return succeeds(call, work) ? ST_CONTINUE : ST_STOP;
}

static VALUE box_arguments(VALUE state) {
  auto* call = reinterpret_cast<Call*>(state);
  if (SYMBOL_P(call->name)) call->name = rb_sym2str(call->name);
  StringValueCStr(call->name);
  StringValueCStr(call->overload);
  const auto work = [&] {
    for (long i = 0; i < RARRAY_LEN(call->arguments); ++i) box(call, rb_ary_entry(call->arguments, i));
  };
  if (succeeds(call, work) && !NIL_P(call->named)) rb_hash_foreach(call->named, box_named_arguments, state);
  return Qnil;
}

static VALUE own_tensor(const mindtorch::Tensor& tensor) {
  if (!tensor.defined()) return Qnil;
  mt_tensor_retain(tensor.handle());
  return add_to_scope(SWIG_NewPointerObj(tensor.handle(), SWIGTYPE_p_mt_tensor, SWIG_POINTER_OWN));
}

static VALUE unbox(const mindtorch_swig::Values& results, int64_t index) {
  const mt_value& raw = results.at(index).raw();
  switch (raw.tag) {
    case MT_TAG_NONE: return Qnil;
    case MT_TAG_COMPLEX: return rb_complex_raw(DBL2NUM(raw.as.c[0]), DBL2NUM(raw.as.c[1]));
    case MT_TAG_TENSOR: return own_tensor(results.at(index).tensor());
    case MT_TAG_BOOL: return results.get_bool(index) ? Qtrue : Qfalse;
    case MT_TAG_DOUBLE: return DBL2NUM(results.get_double(index));
    case MT_TAG_TENSORS: break;
    case MT_TAG_INT:
      if ((raw.flags & MT_FLAG_UNSIGNED) != 0) return ULL2NUM(static_cast<uint64_t>(raw.as.i));
      [[fallthrough]];
    default: return LL2NUM(results.get_int(index));
  }
  const VALUE list = rb_ary_new();
  for (const mindtorch::Tensor& tensor : results.at(index).tensors()) rb_ary_push(list, own_tensor(tensor));
  return list;
}

static VALUE unbox_all(VALUE state) {
  auto* call = reinterpret_cast<Call*>(state);
  VALUE result = Qnil;
  succeeds(call, [&] {
    const int64_t count = call->results.size();
    if (count == 1) {
      result = unbox(call->results, 0);
      return;
    }
    result = rb_ary_new();
    for (int64_t i = 0; i < count; ++i) rb_ary_push(result, unbox(call->results, i));
  });
  return result;
}

// Runs a function under rb_protect, then rethrows the C++ exception that the function stored.
static VALUE call_protected(VALUE (*run)(VALUE), Call* call, int* state) {
  const VALUE result = rb_protect(run, reinterpret_cast<VALUE>(call), state);
  if (*state == 0 && call->failure != nullptr) std::rethrow_exception(std::exchange(call->failure, nullptr));
  return result;
}

// Runs `work`, which returns a state of rb_protect, and returns the call's results. Destroys the call before it raises, because longjmp
// skips destructors.
template <class Work>
static VALUE run_and_unbox(std::optional<Call>* call, Work&& work) {
  VALUE failed = Qnil, result = Qnil;
  int state = 0;
  try {
    state = work();
    if (state == 0) result = call_protected(unbox_all, &**call, &state);
  } catch (const mindtorch::Error& error) {
    failed = make_error(error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    failed = make_error("RuntimeError", error.what());
  }
  call->reset();
  if (state != 0) rb_jump_tag(state);
  if (failed != Qnil) rb_exc_raise(failed);
  RB_GC_GUARD(result);
  return result;
}

// call(name, overload, *arguments, **named): one result comes as itself, several as an array. With "" the arguments select the overload.
// Short calls keep the interpreter's lock: to get it back could take longer than they do.
static VALUE call_operator(int argc, VALUE* argv, VALUE) {
  VALUE name, overload, arguments, named;
  rb_scan_args(argc, argv, "2*:", &name, &overload, &arguments, &named);
  // On the machine stack, where Ruby's garbage collector finds the values that it refers to.
  std::optional<Call> call(std::in_place, Call{name, overload, arguments, named});
  return run_and_unbox(&call, [&] {
    int state = 0;
    call_protected(box_arguments, &*call, &state);
    if (state != 0) return state;
    const std::string what = RSTRING_PTR(call->name), which = RSTRING_PTR(call->overload);
    const auto work = [&] { call->results = mindtorch_swig::dispatch(what.c_str(), which.c_str(), call->given); };
    if (call->elements >= 1 << 15)
      without_lock(work);
    else
      work();
    rb_gc_adjust_memory_usage(static_cast<ssize_t>(mindtorch_swig::memory_change()));
    return 0;
  });
}

// The number of a tensor with one element: an Integer, Float, Complex, true or false.
static VALUE get_item(VALUE self) {
  refuse_closed(self);
  std::optional<Call> call(std::in_place);
  return run_and_unbox(&call, [&] {
    mt_value number{};
    mindtorch::check(mt_tensor_item(static_cast<mt_tensor*>(DATA_PTR(self)), &number));
    call->results.own(number);
    return 0;
  });
}

// A number as torch promotes it beside this tensor: 2.5 * integers is fractions.
static VALUE coerce_number(VALUE self, VALUE number) {
  mt_value raw{};
  if (RB_INTEGER_TYPE_P(number)) {
    raw.tag = MT_TAG_INT;
    raw.as.i = NUM2LL(number);
  } else if (RB_FLOAT_TYPE_P(number) || RB_TYPE_P(number, T_RATIONAL)) {
    raw.tag = MT_TAG_DOUBLE;
    raw.as.d = NUM2DBL(number);
  } else if (RB_TYPE_P(number, T_COMPLEX)) {
    raw.tag = MT_TAG_COMPLEX;
    raw.as.c[0] = NUM2DBL(rb_funcall(number, rb_intern("real"), 0));
    raw.as.c[1] = NUM2DBL(rb_funcall(number, rb_intern("imaginary"), 0));
  } else {
    rb_raise(rb_eTypeError, "%" PRIsVALUE " is not a number that a tensor takes", rb_obj_class(number));
  }
  mt_tensor* made = nullptr;
  if (mt_status* failure = mt_tensor_from_scalar(&raw, -1, 1, &made)) raise_status(failure);
  return rb_assoc_new(add_to_scope(SWIG_NewPointerObj(made, SWIGTYPE_p_mt_tensor, SWIG_POINTER_OWN)), self);
}

// ---- hooks ----

struct Hook {
  VALUE block;
};
// The hooks of all tensors, for the collector to mark. A tensor drops its hooks wherever it is freed: in a collection, or in another thread
// that has left the interpreter.
static std::mutex hooks_mutex;
static std::unordered_set<Hook*> hooks;

static void mark_hooks(void*) {
  const std::lock_guard<std::mutex> guard(hooks_mutex);
  for (const Hook* hook : hooks) rb_gc_mark(hook->block);
}
static void drop_hook(void* user) {
  auto* hook = static_cast<Hook*>(user);
  const std::lock_guard<std::mutex> guard(hooks_mutex);
  hooks.erase(hook);
  delete hook;
}
static void protect_hooks() {
  static VALUE marker = Qnil;
  rb_gc_register_address(&marker);
  marker = rb_data_object_wrap(0, &hooks, mark_hooks, nullptr);
}

struct HookCall {
  VALUE block;
  mt_tensor* gradient;
  mt_tensor* replacement = nullptr;
  mt_status* failure = nullptr;
};

static VALUE call_block(VALUE state) {
  auto* call = reinterpret_cast<HookCall*>(state);
  mt_tensor_retain(call->gradient);
  const VALUE gradient = SWIG_NewPointerObj(call->gradient, SWIGTYPE_p_mt_tensor, SWIG_POINTER_OWN);
  VALUE returned = rb_proc_call_with_block(call->block, 1, &gradient, Qnil);
  void* tensor = nullptr;
  if (is_a(returned, SWIGTYPE_p_mt_tensor, &tensor)) {
    mt_tensor_retain(static_cast<mt_tensor*>(tensor));
    call->replacement = static_cast<mt_tensor*>(tensor);
  }
  RB_GC_GUARD(returned);
  return Qnil;
}

// Kind and text of an exception, in one array.
static VALUE describe_error(VALUE error) {
  const VALUE kind = rb_ivar_defined(error, rb_intern("@kind")) ? rb_ivar_get(error, rb_intern("@kind")) : rb_class_name(CLASS_OF(error));
  return rb_assoc_new(rb_obj_as_string(kind), rb_obj_as_string(rb_funcall(error, rb_intern("message"), 0)));
}

static mt_status* take_error() {
  const VALUE error = rb_errinfo();
  rb_set_errinfo(Qnil);
  int state = 0;
  // After Ruby's `throw`, the error is an internal object without a class.
  const bool is_object = !RB_SPECIAL_CONST_P(error) && RB_BUILTIN_TYPE(error) != RUBY_T_IMEMO;
  const bool is_exception = is_object && RTEST(rb_obj_is_kind_of(error, rb_eException));
  VALUE texts = is_exception ? rb_protect(describe_error, error, &state) : Qnil;
  if (!is_exception || state != 0) {
    rb_set_errinfo(Qnil);
    return mt_status_create("RuntimeError", "a hook left its block without a value");
  }
  VALUE kind = rb_ary_entry(texts, 0), message = rb_ary_entry(texts, 1);
  mt_status* failure = mt_status_create(std::string(RSTRING_PTR(kind), static_cast<size_t>(RSTRING_LEN(kind))).c_str(),
                                        std::string(RSTRING_PTR(message), static_cast<size_t>(RSTRING_LEN(message))).c_str());
  RB_GC_GUARD(texts);
  return failure;
}

static void enter_hook(void* state) {
  int failed = 0;
  auto* call = static_cast<HookCall*>(state);
  rb_protect(call_block, reinterpret_cast<VALUE>(call), &failed);
  if (failed != 0) call->failure = take_error();
}

static mt_status* run_hook(void* user, mt_tensor* gradient, mt_tensor** replacement) {
  HookCall call{static_cast<Hook*>(user)->block, gradient};
  with_lock(enter_hook, &call);
  if (call.failure == nullptr) *replacement = call.replacement;
  return call.failure;
}

// add_gradient_hook(tensor, proc): the hook's number.
static VALUE add_gradient_hook(VALUE, VALUE tensor, VALUE block) {
  void* handle = nullptr;
  refuse_closed(tensor);
  if (!is_a(tensor, SWIGTYPE_p_mt_tensor, &handle) || !rb_obj_is_proc(block)) rb_raise(rb_eTypeError, "a hook is a tensor's block");
  auto* hook = new Hook{block};
  {
    const std::lock_guard<std::mutex> guard(hooks_mutex);
    hooks.insert(hook);
  }
  int64_t id = 0;
  mt_status* failure = mt_tensor_add_hook(static_cast<mt_tensor*>(handle), run_hook, hook, drop_hook, &id);
  RB_GC_GUARD(block);
  if (failure == nullptr) return LL2NUM(id);
  drop_hook(hook);
  raise_status(failure);
}

// Frees an object now: its memory is not in use any more, unless by others. Twice is harmless.
static VALUE close_handle(VALUE self) {
  void* pointer = DATA_PTR(self);
  DATA_PTR(self) = nullptr;
  if (pointer != nullptr && RDATA(self)->dfree != nullptr) RDATA(self)->dfree(pointer);
  rb_gc_adjust_memory_usage(static_cast<ssize_t>(mindtorch_swig::memory_change()));
  return Qnil;
}
static VALUE is_closed(VALUE self) { return DATA_PTR(self) == nullptr ? Qtrue : Qfalse; }

static VALUE define_handles(VALUE module) {
  const VALUE tensor = rb_const_get(module, rb_intern("Tensor"));
  rb_define_method(tensor, "item", RUBY_METHOD_FUNC(get_item), 0);
  rb_define_method(tensor, "coerce", RUBY_METHOD_FUNC(coerce_number), 1);  // 2 - tensor
  for (const char* name : {"Tensor", "Storage", "Generator", "Node", "Saved"}) {
    const VALUE handle = rb_const_get(module, rb_intern(name));
    rb_define_method(handle, "close", RUBY_METHOD_FUNC(close_handle), 0);
    rb_define_method(handle, "closed?", RUBY_METHOD_FUNC(is_closed), 0);
  }
  return Qnil;
}
