// Python: errors are Python's own types, long calls leave the interpreter to other threads, `call` takes plain arguments.
%{
// Kinds are Python's own names, so most of them are found among the built-in exceptions. What a hook raised stays as it is.
static void raise_error(const mindtorch::Error& error) {
  if (PyErr_Occurred() != nullptr) return;
  PyObject* type = PyDict_GetItemString(PyEval_GetBuiltins(), error.kind().c_str());
  PyErr_SetString(type != nullptr && PyExceptionClass_Check(type) ? type : PyExc_RuntimeError, error.what());
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { raise_error(error); SWIG_fail; }
  catch (const Swig::DirectorException&) { SWIG_fail; }
  catch (const std::out_of_range& error) { SWIG_exception_fail(SWIG_IndexError, error.what()); }
  catch (const std::exception& error) { SWIG_exception_fail(SWIG_RuntimeError, error.what()); }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) { raise_error(mindtorch::Error($1)); SWIG_fail; }
  $result = SWIG_Py_Void();
}

// ---- packed numbers: any object with a buffer goes in, bytes come out ----

%typemap(in) (const char* data, size_t size) (Py_buffer buffer = {}) {
  if (PyObject_GetBuffer($input, &buffer, PyBUF_SIMPLE) != 0) SWIG_fail;
  $1 = static_cast<char*>(buffer.buf);
  $2 = static_cast<size_t>(buffer.len);
}
%typemap(freearg) (const char* data, size_t size) "PyBuffer_Release(&buffer$argnum);"
%typemap(out) mindtorch_swig::Bytes "$result = PyBytes_FromStringAndSize($1.data, static_cast<Py_ssize_t>($1.size));"

// ---- lists: any sequence goes in, a tuple comes out ----

%define LIST(TYPE, FROM, TO)
%typemap(in) const std::vector<TYPE>& {
  PyObject* items = PySequence_Fast($input, "a sequence of numbers is expected");
  if (items == nullptr) SWIG_fail;
  $1 = new std::vector<TYPE>();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) $1->push_back(FROM(PySequence_Fast_GET_ITEM(items, i)));
  Py_DECREF(items);
  if (PyErr_Occurred() != nullptr) SWIG_fail;
}
%typemap(freearg) const std::vector<TYPE>& "delete $1;"
%typemap(out) std::vector<TYPE> {
  const std::vector<TYPE>& list = $1;
  $result = PyTuple_New(static_cast<Py_ssize_t>(list.size()));
  for (size_t i = 0; $result != nullptr && i < list.size(); ++i) {
    PyTuple_SET_ITEM($result, static_cast<Py_ssize_t>(i), TO(list[i]));
  }
}
%enddef
LIST(int64_t, PyLong_AsLongLong, PyLong_FromLongLong)
LIST(double, PyFloat_AsDouble, PyFloat_FromDouble)

// The gradient that a hook gets is the hook's own reference.
%typemap(directorin) mt_tensor* gradient {
  $input = SWIG_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, SWIG_POINTER_OWN);
}

// Calls that wait or compute for long release the GIL; hooks acquire it again.
%nothread;
%thread mindtorch_swig::GradientHook;
%thread mindtorch_swig::GradientHook::call;
%thread mindtorch_swig::GradientHook::~GradientHook;
%thread mindtorch_swig::autograd_backward;
%thread mindtorch_swig::autograd_grad;
%thread mindtorch_swig::backward;
%thread mindtorch_swig::op_call;
%thread mindtorch_swig::dispatch;
%thread mt_autograd_backward;
%thread mt_autograd_grad;
%thread mt_autograd_run;
%thread mt_op_call;
%thread mt_op_call_named;
%thread mt_dispatch;
%thread mt_parallel_for;


%pythoncode %{
def call(name, overload, *args, **named):
    """Calls an operator with plain Python arguments; one result comes as itself, several as a list."""
    values = Values()
    for arg in args:
        _add(values, arg)
    for key, arg in named.items():
        _add(values, arg)
        values.name(key)
    results = dispatch(name, overload, values)
    found = [_result(results, i) for i in range(results.size())]
    return found[0] if len(found) == 1 else found


def _add(values, arg):
    if arg is None:
        values.add_none()
    elif isinstance(arg, Tensor):
        values.add_tensor(arg)
    elif isinstance(arg, Generator):
        values.add_generator(arg)
    elif isinstance(arg, bool):
        values.add_bool(arg)
    elif isinstance(arg, int):
        values.add_int(arg)
    elif isinstance(arg, float):
        values.add_double(arg)
    elif isinstance(arg, complex):
        values.add_complex(arg.real, arg.imag)
    elif isinstance(arg, str):
        values.add_string(arg)
    elif isinstance(arg, (list, tuple)):
        if all(isinstance(item, int) for item in arg):
            values.add_ints(arg)
        elif all(isinstance(item, (int, float)) for item in arg):
            values.add_doubles(arg)
        else:
            tensors = Tensors()
            for item in arg:
                tensors.add(item)
            values.add_tensors(tensors)
    else:
        raise TypeError(f"no boxed value for {type(arg).__name__}")


def _result(results, i):
    tag = results.tag(i)
    if tag == MT_TAG_TENSOR:
        return results.get_tensor(i)
    if tag == MT_TAG_TENSORS:
        tensors = results.get_tensors(i)
        return [tensors.get(j) for j in range(tensors.size())]
    return results.get_bool(i) if tag == MT_TAG_BOOL else results.get_int(i)
%}
