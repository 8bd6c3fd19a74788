// Calls of operators with PHP's own values, and what PHP's syntax does with tensors: arithmetic, indices, counting.
#pragma once

#include <mindtorch/library.h>

#include <cmath>

#include "callbacks.h"

namespace {

bool is_handle(zval* value, swig_type_info* type, void** pointer) {
  return Z_TYPE_P(value) == IS_OBJECT && SWIG_ConvertPtr(value, pointer, type, 0) >= 0 && *pointer != nullptr;
}

void box_list(zval* list, mindtorch_swig::Values& values) {
  const uint32_t size = zend_hash_num_elements(Z_ARRVAL_P(list));
  std::vector<int64_t> wholes;
  std::vector<double> numbers;
  mindtorch_swig::Tensors tensors;
  zval* item = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(list), item) {
    ZVAL_DEREF(item);
    void* tensor = nullptr;
    if (Z_TYPE_P(item) == IS_LONG || Z_TYPE_P(item) == IS_TRUE || Z_TYPE_P(item) == IS_FALSE) {
      wholes.push_back(zval_get_long(item));
      numbers.push_back(static_cast<double>(wholes.back()));
    } else if (Z_TYPE_P(item) == IS_DOUBLE) {
      numbers.push_back(Z_DVAL_P(item));
    } else if (Z_TYPE_P(item) == IS_NULL || is_handle(item, SWIGTYPE_p_mt_tensor, &tensor)) {
      tensors.add(static_cast<mt_tensor*>(tensor));
    } else {
      mindtorch_swig::fail("TypeError", "a list has either numbers or tensors");
    }
  }
  ZEND_HASH_FOREACH_END();
  if (wholes.size() == size) {
    values.add_ints(wholes);
  } else if (numbers.size() == size) {
    values.add_doubles(numbers);
  } else if (static_cast<uint32_t>(tensors.size()) == size) {
    values.add_tensors(tensors);
  } else {
    mindtorch_swig::fail("TypeError", "a list has either numbers or tensors");
  }
}

void box(zval* value, mindtorch_swig::Values& values) {
  void* pointer = nullptr;
  ZVAL_DEREF(value);
  switch (Z_TYPE_P(value)) {
    case IS_UNDEF:
    case IS_NULL: return values.add_none();
    case IS_TRUE: return values.add_bool(true);
    case IS_FALSE: return values.add_bool(false);
    case IS_LONG: return values.add_int(Z_LVAL_P(value));
    case IS_DOUBLE: return values.add_double(Z_DVAL_P(value));
    case IS_STRING: return values.add_string(std::string(Z_STRVAL_P(value), Z_STRLEN_P(value)));
    case IS_ARRAY: return box_list(value, values);
    default: break;
  }
  if (is_handle(value, SWIGTYPE_p_mt_tensor, &pointer)) return values.add_tensor(static_cast<mt_tensor*>(pointer));
  if (is_handle(value, SWIGTYPE_p_mt_generator, &pointer)) return values.add_generator(static_cast<mt_generator*>(pointer));
  if (is_handle(value, SWIGTYPE_p_mt_device, &pointer)) return values.add_device(*static_cast<mt_device*>(pointer));
  mindtorch_swig::fail("TypeError", std::string("a value of type ") + zend_zval_type_name(value) + " is no argument of an operator");
}

void own_tensor(zval* out, const mindtorch::Tensor& tensor) {
  ZVAL_UNDEF(out);  // SWIG would take over an object that is there
  mt_tensor_retain(tensor.handle());
  SWIG_SetPointerZval(out, tensor.handle(), SWIGTYPE_p_mt_tensor, 1);
}

void unbox(zval* out, const mindtorch::Value& value) {
  const mt_value& raw = value.raw();
  switch (raw.tag) {
    case MT_TAG_NONE: ZVAL_NULL(out); return;
    case MT_TAG_BOOL: ZVAL_BOOL(out, raw.as.i != 0); return;
    case MT_TAG_DOUBLE: ZVAL_DOUBLE(out, raw.as.d); return;
    case MT_TAG_DTYPE:
    case MT_TAG_LAYOUT:
    case MT_TAG_MEMORY_FORMAT:
    case MT_TAG_INT: ZVAL_LONG(out, raw.as.i); return;
    case MT_TAG_STRING: ZVAL_STRINGL(out, raw.as.string.data, static_cast<size_t>(raw.as.string.size)); return;
    case MT_TAG_TENSOR: return own_tensor(out, value.tensor());
    case MT_TAG_COMPLEX:
      array_init(out);
      for (const double part : raw.as.c) add_next_index_double(out, part);
      return;
    case MT_TAG_TENSORS:
      array_init(out);
      for (const mindtorch::Tensor& tensor : value.tensors()) {
        zval made;
        unbox(&made, mindtorch::Value(tensor));
        add_next_index_zval(out, &made);
      }
      return;
    case MT_TAG_INTS:
      array_init(out);
      for (int64_t i = 0; i < raw.as.list.size; ++i) add_next_index_long(out, static_cast<const int64_t*>(raw.as.list.data)[i]);
      return;
    case MT_TAG_DOUBLES:
      array_init(out);
      for (int64_t i = 0; i < raw.as.list.size; ++i) add_next_index_double(out, static_cast<const double*>(raw.as.list.data)[i]);
      return;
    default: mindtorch_swig::fail("TypeError", "PHP has no form for a value with tag " + std::to_string(raw.tag));
  }
}

void call_with_values(const char* name, const char* overload, const mindtorch_swig::Values& values, zval* out) {
  const mindtorch_swig::Values results = mindtorch_swig::dispatch(name, overload, values);
  if (results.size() == 1) return unbox(out, results.at(0));
  array_init(out);
  for (int64_t i = 0; i < results.size(); ++i) {
    zval made;
    unbox(&made, results.at(i));
    add_next_index_zval(out, &made);
  }
}

void call_operator(const char* name, const char* overload, mt_tensor* self, zval* arguments, zval* out) {
  mindtorch_swig::Values values;
  if (self != nullptr) values.add_tensor(self);
  zend_string* key = nullptr;
  zval* item = nullptr;
  ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(arguments), key, item) {
    box(item, values);
    if (key != nullptr) values.name(std::string(ZSTR_VAL(key), ZSTR_LEN(key)));
  }
  ZEND_HASH_FOREACH_END();
  call_with_values(name, overload, values, out);
}

// What php/mindtorch.php has for tensors besides operators is a method too: $x->toArray() is Torch::toArray($x).
constexpr const char* helpers[] = {"shape", "dtype",   "item",     "toArray",    "text",      "requireGrad",
                                   "grad",  "setGrad", "backward", "onGradient", "removeHook"};

// Calls a static method of MindTorch\Torch with a tensor and further arguments.
void call_helper(const char* name, mt_tensor* self, zval* arguments, zval* out) {
  zend_string* type_name = zend_string_init("MindTorch\\Torch", sizeof("MindTorch\\Torch") - 1, 0);
  zend_class_entry* type = zend_lookup_class(type_name);
  zend_string_release(type_name);
  if (type == nullptr) mindtorch_swig::fail("RuntimeError", "mindtorch.php is not loaded");
  std::vector<zval> given(1);
  own_tensor(&given[0], mindtorch::Tensor::share(self));
  zval* item = nullptr;
  if (arguments != nullptr) {
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(arguments), item) { given.push_back(*item); }
    ZEND_HASH_FOREACH_END();
  }
  zval callable, method;
  array_init(&callable);
  ZVAL_STR_COPY(&method, type->name);
  add_next_index_zval(&callable, &method);
  ZVAL_STRING(&method, name);
  add_next_index_zval(&callable, &method);
  call_user_function(nullptr, nullptr, &callable, out, static_cast<uint32_t>(given.size()), given.data());
  zval_ptr_dtor(&callable);
  zval_ptr_dtor(&given[0]);
}

void call_method(const char* name, mt_tensor* self, zval* arguments, zval* out) {
  for (const char* helper : helpers) {
    if (std::strcmp(name, helper) == 0) return call_helper(name, self, arguments, out);
  }
  call_operator(name, "", self, arguments, out);
}

// Runs C++ inside a handler that PHP calls: a C++ exception becomes a PHP exception. Returns whether there was none.
template <class Work>
bool succeeds(Work&& work) {
  try {
    work();
    return true;
  } catch (const mindtorch::Error& error) {
    set_error(error.kind().c_str(), error.what());
  } catch (const std::exception& error) {
    set_error("RuntimeError", error.what());
  }
  return false;
}

// ---- hooks and operators: callables, which are called with values or with arrays of them ----

class Callable : public mindtorch_swig::Callback {
 public:
  explicit Callable(zval* function) {
    if (!zend_is_callable(function, 0, nullptr)) mindtorch_swig::fail("TypeError", "a callable is expected");
    ZVAL_COPY(&function_, function);
  }
  ~Callable() override { zval_ptr_dtor(&function_); }

 protected:
  mindtorch_swig::Values call(const std::vector<mindtorch_swig::Values>& lists,
                              const std::vector<mindtorch_swig::Argument>& wanted) override {
    Zvals given, returned(1);
    for (const mindtorch_swig::Values& list : lists) {
      if (lists.size() > 1) array_init(given.add());
      for (int64_t i = 0; i < list.size(); ++i) {
        if (lists.size() == 1) {
          unbox(given.add(), list.at(i));
        } else {
          zval item;
          unbox(&item, list.at(i));
          add_next_index_zval(&given.items.back(), &item);
        }
      }
    }
    zval* result = &returned.items[0];
    const bool called = call_user_function(nullptr, nullptr, &function_, result, static_cast<uint32_t>(given.items.size()),
                                           given.items.data()) == SUCCESS;
    if (EG(exception) != nullptr) take_exception();
    if (!called) mindtorch_swig::fail("TypeError", "the callable cannot be called");
    mindtorch_swig::Values results;
    if (wanted.size() == 1) {
      box_returned(result, wanted[0], results);
    } else if (Z_TYPE_P(result) == IS_ARRAY) {
      zval* item = nullptr;
      ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(result), item) { box(item, results); }
      ZEND_HASH_FOREACH_END();
    }
    return results;
  }

 private:
  struct Zvals {
    explicit Zvals(size_t size = 0) : items(size) {
      for (zval& item : items) ZVAL_UNDEF(&item);
      items.reserve(size + 64);  // the most arguments of an operator
    }
    ~Zvals() {
      for (zval& item : items) zval_ptr_dtor(&item);
    }
    zval* add() {
      items.emplace_back();
      ZVAL_UNDEF(&items.back());
      return &items.back();
    }
    std::vector<zval> items;
  };

  // Boxes a returned value; where a tensor is optional (a hook's result), any other value means none.
  static void box_returned(zval* result, const mindtorch_swig::Argument& wanted, mindtorch_swig::Values& results) {
    void* tensor = nullptr;
    if (wanted.type == mindtorch_swig::Type::other && !is_handle(result, SWIGTYPE_p_mt_tensor, &tensor)) return results.add_none();
    box(result, results);
  }

  // Throws the pending PHP exception as a C++ error; an error of the library keeps its kind. exit() stays pending, so that the program
  // ends.
  [[noreturn]] static void take_exception() {
    zend_object* exception = EG(exception);
    if (zend_is_unwind_exit(exception)) mindtorch_swig::fail("TypeError", "exit");
    zval place;
    const auto text = [&](const char* property) {
      zval* found = zend_read_property(exception->ce, exception, property, std::strlen(property), 1, &place);
      return Z_TYPE_P(found) == IS_STRING ? std::string(Z_STRVAL_P(found), Z_STRLEN_P(found)) : std::string();
    };
    const std::string message = text("message"), kind = text("kind");
    zend_clear_exception();
    mindtorch_swig::fail(kind.empty() ? "RuntimeError" : kind.c_str(), message);
  }

  zval function_;
};

// Operators that the running request defined; they are removed with the request's functions at its end.
std::vector<const mt_op*>& defined_operators() {
  thread_local std::vector<const mt_op*> operators;
  return operators;
}

void define_in_request(const char* schema, zval* kernel, zval* derivative) {
  const bool has_derivative = derivative != nullptr && Z_TYPE_P(derivative) != IS_NULL;
  defined_operators().push_back(mindtorch_swig::define_operator(schema, std::make_unique<Callable>(kernel),
                                                                has_derivative ? std::make_unique<Callable>(derivative) : nullptr));
}

void undefine_operators() {
  for (const mt_op* op : defined_operators()) mt_status_release(mt_op_undefine(op));
  defined_operators().clear();
}

// ---- arithmetic ----

const char* operator_name(zend_uchar opcode) {
  switch (opcode) {
    case ZEND_ADD: return "add";
    case ZEND_SUB: return "sub";
    case ZEND_MUL: return "mul";
    case ZEND_DIV: return "div";
    case ZEND_MOD: return "remainder";
    case ZEND_POW: return "pow";
    case ZEND_BW_AND: return "bitwise_and";
    case ZEND_BW_OR: return "bitwise_or";
    case ZEND_BW_XOR: return "bitwise_xor";
    case ZEND_BW_NOT: return "bitwise_not";
    default: return nullptr;
  }
}

// PHP computes -$x as $x * -1, and $x += 1 with one place for an operand and the result.
zend_result apply_operator(zend_uchar opcode, zval* result, zval* left, zval* right) {
  const char* name = operator_name(opcode);
  if (name == nullptr) return FAILURE;
  zval made;
  ZVAL_UNDEF(&made);
  const bool done = succeeds([&] {
    mindtorch_swig::Values values;
    void* tensor = nullptr;
    const bool is_reversed = right != nullptr && !is_handle(left, SWIGTYPE_p_mt_tensor, &tensor);
    const char* overload = "";
    if (is_reversed && (opcode == ZEND_MOD || opcode == ZEND_POW)) {
      overload = opcode == ZEND_MOD ? "Scalar_Tensor" : "Scalar";
      box(left, values);
      box(right, values);
    } else if (is_reversed && opcode == ZEND_DIV) {
      mindtorch_swig::Values inverse;
      box(right, inverse);
      values.add_tensor(mindtorch_swig::dispatch("reciprocal", "", inverse).at(0).tensor().handle());
      box(left, values);
      name = "mul";
    } else {
      box(is_reversed ? right : left, values);
      if (right != nullptr && opcode != ZEND_BW_NOT) box(is_reversed ? left : right, values);
      if (is_reversed && opcode == ZEND_SUB) name = "rsub";
    }
    call_with_values(name, overload, values, &made);
  });
  if (!done) ZVAL_UNDEF(&made);
  if (result == left) zval_ptr_dtor(result);
  ZVAL_COPY_VALUE(result, &made);
  if (!done) ZVAL_NULL(result);
  return SUCCESS;
}

// ---- indices: a number selects, [start, end, step] is a range, null a new dimension, a tensor has positions or a mask ----

mindtorch::Tensor shared_tensor(zend_object* object) {
  zval self;
  ZVAL_OBJ(&self, object);
  void* tensor = nullptr;
  if (!is_handle(&self, SWIGTYPE_p_mt_tensor, &tensor)) mindtorch_swig::fail("TypeError", "the Tensor is closed");
  return mindtorch::Tensor::share(static_cast<mt_tensor*>(tensor));
}

using mindtorch::Value;

mindtorch::Tensor index_tensor(const mindtorch::Tensor& tensor, zval* index) {
  void* positions = nullptr;
  if (index == nullptr) mindtorch_swig::fail("TypeError", "a tensor has no [] to append to");
  ZVAL_DEREF(index);
  if (Z_TYPE_P(index) == IS_LONG) return mindtorch::call("select", "int", {tensor, Value(int64_t{0}), Value(int64_t{Z_LVAL_P(index)})});
  if (Z_TYPE_P(index) == IS_NULL) return mindtorch::call("unsqueeze", {tensor, Value(int64_t{0})});
  if (is_handle(index, SWIGTYPE_p_mt_tensor, &positions)) {
    const std::vector<mindtorch::Tensor> list{mindtorch::Tensor::share(static_cast<mt_tensor*>(positions))};
    mindtorch_swig::Tensors boxed;
    boxed.add(list[0].handle());
    mindtorch_swig::Values values;
    values.add_tensor(tensor.handle());
    values.add_tensors(boxed);
    return mindtorch_swig::dispatch("index", "Tensor", values).at(0).tensor();
  }
  if (Z_TYPE_P(index) != IS_ARRAY)
    mindtorch_swig::fail("TypeError", "an index is an integer, an array [start, end, step], null or a Tensor");
  Value bounds[3] = {Value(), Value(), Value(int64_t{1})};
  for (zend_ulong i = 0; i < 3; ++i) {
    zval* bound = zend_hash_index_find(Z_ARRVAL_P(index), i);
    if (bound != nullptr && Z_TYPE_P(bound) != IS_NULL) bounds[i] = Value(int64_t{zval_get_long(bound)});
  }
  return mindtorch::call("slice", "Tensor", {tensor, Value(int64_t{0}), bounds[0], bounds[1], bounds[2]});
}

zval* read_dimension(zend_object* object, zval* index, int, zval* result) {
  ZVAL_NULL(result);
  succeeds([&] { own_tensor(result, index_tensor(shared_tensor(object), index)); });
  return result;
}

void write_dimension(zend_object* object, zval* index, zval* value) {
  succeeds([&] {
    const mindtorch::Tensor tensor = shared_tensor(object);
    void* mask = nullptr;
    mindtorch_swig::Values values;
    if (index != nullptr && is_handle(index, SWIGTYPE_p_mt_tensor, &mask)) {
      mindtorch_swig::Tensors positions;
      positions.add(static_cast<mt_tensor*>(mask));
      values.add_tensor(tensor.handle());
      values.add_tensors(positions);
    } else {
      values.add_tensor(index_tensor(tensor, index).handle());
    }
    void* given = nullptr;
    if (is_handle(value, SWIGTYPE_p_mt_tensor, &given)) {
      values.add_tensor(static_cast<mt_tensor*>(given));
    } else {
      const double number = zval_get_double(value);
      mt_value raw{};
      raw.tag = Z_TYPE_P(value) == IS_LONG ? MT_TAG_INT : MT_TAG_DOUBLE;
      if (raw.tag == MT_TAG_INT)
        raw.as.i = Z_LVAL_P(value);
      else
        raw.as.d = number;
      mt_tensor* made = nullptr;
      mindtorch::check(mt_tensor_from_scalar(&raw, tensor.dtype(), 0, &made));
      values.add_tensor(mindtorch::Tensor::own(made).handle());
    }
    mindtorch_swig::dispatch(mask != nullptr ? "index_put_" : "copy_", "", values);
  });
}

zend_result count_rows(zend_object* object, zend_long* count) {
  *count = 0;
  succeeds([&] {
    const std::vector<int64_t> sizes = shared_tensor(object).sizes();
    if (sizes.empty()) mindtorch_swig::fail("TypeError", "len() of a 0-d tensor");
    *count = static_cast<zend_long>(sizes[0]);
  });
  return SUCCESS;
}

// A tensor is a text, and a number if it has one element.
zend_result cast(zend_object* object, zval* out, int type) {
  if (type != IS_STRING && type != IS_DOUBLE && type != IS_LONG) return zend_std_cast_object_tostring(object, out, type);
  ZVAL_NULL(out);
  succeeds([&] {
    call_helper(type == IS_STRING ? "text" : "item", shared_tensor(object).handle(), nullptr, out);
    if (EG(exception) != nullptr) return;  // there is no result
    if (type == IS_DOUBLE) convert_to_double(out);
    if (type == IS_LONG) convert_to_long(out);
  });
  if (EG(exception) != nullptr && type == IS_STRING) return FAILURE;
  if (EG(exception) != nullptr) ZVAL_LONG(out, 0);  // not a failure, of which PHP would warn besides
  if (EG(exception) != nullptr && type == IS_DOUBLE) ZVAL_DOUBLE(out, 0);
  return SUCCESS;
}

// ---- foreach: the rows ----

struct Rows {
  zend_object_iterator base;
  int64_t place, count;
  zval row;
};

Rows* rows_of(zend_object_iterator* iterator) { return reinterpret_cast<Rows*>(iterator); }

void drop_row(zend_object_iterator* iterator) {
  zval_ptr_dtor(&rows_of(iterator)->row);
  ZVAL_UNDEF(&rows_of(iterator)->row);
}

const zend_object_iterator_funcs row_functions = {
    .dtor =
        [](zend_object_iterator* iterator) {
          drop_row(iterator);
          zval_ptr_dtor(&iterator->data);
        },
    .valid = [](zend_object_iterator* iterator) -> int { return rows_of(iterator)->place < rows_of(iterator)->count ? SUCCESS : FAILURE; },
    .get_current_data = [](zend_object_iterator* iterator) -> zval* {
      Rows* rows = rows_of(iterator);
      if (Z_ISUNDEF(rows->row)) {
        zval index;
        ZVAL_LONG(&index, static_cast<zend_long>(rows->place));
        read_dimension(Z_OBJ(iterator->data), &index, BP_VAR_R, &rows->row);
      }
      return &rows->row;
    },
    .get_current_key = [](zend_object_iterator* iterator, zval* key) { ZVAL_LONG(key, static_cast<zend_long>(rows_of(iterator)->place)); },
    .move_forward =
        [](zend_object_iterator* iterator) {
          drop_row(iterator);
          ++rows_of(iterator)->place;
        },
    .rewind =
        [](zend_object_iterator* iterator) {
          drop_row(iterator);
          rows_of(iterator)->place = 0;
        },
    .invalidate_current = drop_row,
    .get_gc = nullptr,
};

zend_object_iterator* iterate_rows(zend_class_entry*, zval* tensor, int) {
  int64_t count = 0;
  const bool has_rows = succeeds([&] {
    const std::vector<int64_t> sizes = shared_tensor(Z_OBJ_P(tensor)).sizes();
    if (sizes.empty()) mindtorch_swig::fail("TypeError", "iteration over a 0-d tensor");
    count = sizes[0];
  });
  if (!has_rows) return nullptr;
  auto* rows = static_cast<Rows*>(emalloc(sizeof(Rows)));
  zend_iterator_init(&rows->base);
  rows->base.funcs = &row_functions;
  ZVAL_COPY(&rows->base.data, tensor);
  rows->place = 0;
  rows->count = count;
  ZVAL_UNDEF(&rows->row);
  return &rows->base;
}

// == compares sizes and all elements; < and > have no meaning for whole tensors.
int compare(zval* left, zval* right) {
  void *first = nullptr, *second = nullptr;
  bool is_equal = false;
  succeeds([&] {
    if (!is_handle(left, SWIGTYPE_p_mt_tensor, &first) || !is_handle(right, SWIGTYPE_p_mt_tensor, &second)) return;
    mindtorch_swig::Values values;
    values.add_tensor(static_cast<mt_tensor*>(first));
    values.add_tensor(static_cast<mt_tensor*>(second));
    is_equal = mindtorch_swig::dispatch("equal", "", values).at(0).to_bool();
  });
  return is_equal ? 0 : ZEND_UNCOMPARABLE;
}

void add_operators(zend_object_handlers* handlers) {
  handlers->do_operation = apply_operator;
  handlers->read_dimension = read_dimension;
  handlers->write_dimension = write_dimension;
  handlers->count_elements = count_rows;
  handlers->compare = compare;
  handlers->cast_object = cast;
  if (zend_class_entry* type = static_cast<zend_class_entry*>(zend_hash_str_find_ptr(CG(class_table), "tensor", sizeof("tensor") - 1))) {
    type->get_iterator = iterate_rows;
  }
}

}  // namespace
