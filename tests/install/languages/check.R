# What expected.txt lists, in R, which has the generic bindings: `call` is the program's own. R has no 64-bit integers and no strings of
# bytes, so `whole` and `bytes` are left out.
folder <- Sys.getenv("MINDTORCH_R")
dyn.load(file.path(folder, "mindtorch.so"))
source(file.path(folder, "mindtorch.R"))
invisible(cacheMetaData(1))

# SWIG has no constants for R: these are mindtorch/base.h's.
MT_FLOAT32 <- 6L
MT_FLOAT64 <- 7L
MT_INT64 <- 4L
MT_TAG_BOOL <- 2L
MT_TAG_TENSOR <- 11L
MT_TAG_TENSORS <- 18L

is_tensor <- function(x) inherits(x, "_p_mt_tensor")

box <- function(values, argument) {
  if (is.null(argument)) Values_add_none(values)
  else if (is_tensor(argument)) Values_add_tensor(values, argument)
  else if (is.list(argument)) {
    tensors <- Tensors()
    for (tensor in argument) Tensors_add(tensors, tensor)
    Values_add_tensors(values, tensors)
  }
  else if (is.character(argument)) Values_add_string(values, argument)
  else if (is.logical(argument)) Values_add_bool(values, argument)
  else if (inherits(argument, "AsIs")) Values_add_ints(values, as.integer(argument))
  else if (is.integer(argument)) Values_add_int(values, argument)
  else Values_add_double(values, argument)
}

unbox <- function(results, i) {
  tag <- Values_tag(results, i)
  if (tag == MT_TAG_TENSOR) return(Values_get_tensor(results, i))
  if (tag == MT_TAG_BOOL) return(Values_get_bool(results, i))
  if (tag != MT_TAG_TENSORS) return(Values_get_int(results, i))
  tensors <- Values_get_tensors(results, i)
  lapply(seq_len(Tensors_size(tensors)) - 1, function(j) Tensors_get(tensors, j))
}

# Lists are lists of tensors, or I(numbers).
call_operator <- function(name, overload, ..., named = list()) {
  values <- Values()
  for (argument in list(...)) box(values, argument)
  for (key in names(named)) {
    box(values, named[[key]])
    Values_name(values, key)
  }
  results <- dispatch(name, overload, values)
  found <- lapply(seq_len(Values_size(results)) - 1, function(i) unbox(results, i))
  Values_clear(values)
  Values_clear(results)
  if (length(found) == 1) found[[1]] else found
}

text <- function(tensor) paste(format(tensor_to_doubles(tensor), trim = TRUE, drop0trailing = TRUE), collapse = " ")
texts <- function(tensors, between) paste(vapply(tensors, text, ""), collapse = between)
say <- function(...) cat(paste(...), "\n", sep = "")
failing <- function(action) tryCatch({ action; "nothing" }, error = function(e) sub("^SWIG:RuntimeError ", "", conditionMessage(e)))
bytes <- function() allocator_get_stats()$allocated_bytes

x <- tensor_from_doubles(c(1, 2, 3, 4.5), 4L, MT_FLOAT32)
say("cat", text(call_operator("cat", "", list(x, x), 0L)))
say("max", texts(call_operator("max", "dim", x, 0L), " "))
say("split", texts(call_operator("split", "Tensor", x, 2L), " | "))
say("floor", text(call_operator("div", "Tensor_mode", x, call_operator("full", "", I(4L), 2.0), named = list(rounding_mode = "floor"))))
say("clamp", text(call_operator("clamp", "", x, NULL, 3L)))
ends <- tensor_from_doubles(c(0, 3), 2L, MT_INT64)
pairs <- call_operator("stack", "", list(x, x), 1L)
say("index", text(call_operator("index", "Tensor", pairs, list(ends, call_operator("zeros_like", "", ends)))))
zeros <- call_operator("zeros", "", I(2L), named = list(dtype = "float64"))
again <- call_operator("zeros", "", I(2L), named = list(dtype = as.integer(MT_FLOAT64)))
say("dtypes", tensor_get_info(zeros)$dtype, call_operator("result_type", "Tensor", x, again))
say("equal", as.integer(call_operator("equal", "", x, x)), as.integer(call_operator("equal", "", x, call_operator("neg", "", x))))
say("empty", text(call_operator("sum", "dim_IntList", x, I(integer(0)), FALSE)))
device <- device_parse("npu:3")
say("device", device$type, device$index)

invisible(tensor_set_requires_grad(x, 1L))
queue <- GradientQueue()
invisible(GradientQueue_watch(queue, x))
invisible(backward(call_operator("sum", "", call_operator("mul", "Tensor", x, x))))
say("gradient", text(tensor_grad(x)))
say("seen", text(GradientQueue_poll(queue)))
say("none", as.integer(is.null(GradientQueue_poll(queue)) && is.null(tensor_grad(call_operator("neg", "", x)))))

say("error", failing(call_operator("add", "Tensor", x, call_operator("ones", "", I(2L)))))
say("status", failing(mt_tensor_set_requires_grad(ends, 1L)))
say("index", failing(call_operator("unsqueeze", "", x, 7L)))
say("keyword", failing(call_operator("zeros", "", I(2L), named = list(dtyp = 6L))))
say("null", failing(tensor_sizes(NULL)))
before <- bytes()
for (i in 1:100) call_operator("zeros", "", I(100000L))
invisible(gc())
say("released", as.integer(bytes() - before < 10000000))
