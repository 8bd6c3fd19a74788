# The package in R: operators as functions of `mt` and methods of tensors, R's arithmetic, indices and conversions.

state <- new.env(parent = emptyenv())
state$scope <- NULL

# An error of the library: its class has Python's name of the error ("IndexError"), its message is torch's text.
throw <- function(failure) {
  stop(structure(class = c(failure[1], "mindtorch_error", "error", "condition"),
                 list(message = failure[2], call = NULL, kind = failure[1])))
}

note <- function(value) {
  if (!is.null(state$scope)) {
    for (made in if (is_tensor(value)) list(value) else if (is.list(value)) value) {
      if (is_tensor(made)) state$scope[[length(state$scope) + 1L]] <- made
    }
  }
  value
}

# Calls an operator with R's values: vectors are lists, NULL is none, names are arguments by name. With the overload "", the arguments
# select it. Several results are a list.
call_operator <- function(name, overload, ...) note(.Call(mt_call_operator, name, overload, list(...)))

# Every operator: mt$zeros(c(2, 3), dtype = "float64"). Those that create tensors also take requires_grad, as torch's do.
mt <- structure(list(), class = "mindtorch_operators")
`$.mindtorch_operators` <- function(x, name) {
  if (name == "version") return(.Call(mt_get_version))
  if (!.Call(mt_operator_exists, name)) throw(c("AttributeError", paste("there is no operator", name)))
  if (!.Call(mt_operator_creates, name)) return(function(...) call_operator(name, "", ...))
  function(..., requires_grad = FALSE) {
    made <- call_operator(name, "", ...)
    if (requires_grad) .Call(mt_set_requires_grad, made, TRUE)
    made
  }
}
print.mindtorch_operators <- function(x, ...) {
  cat("mindtorch ", .Call(mt_get_version), ": mt$NAME(...) calls an operator\n", sep = "")
  invisible(x)
}

is_tensor <- function(x) inherits(x, "Tensor")

# A tensor of a vector, matrix, array or data frame: numbers are float32, integers int64, as torch's.
as_tensor <- function(x, dtype = NULL, requires_grad = FALSE) {
  if (is_tensor(x)) return(x)
  if (is.data.frame(x)) x <- data.matrix(x)
  if (is.list(x)) throw(c("TypeError", "a list is no vector: unlist(x) is one, mt$stack(x) joins tensors"))
  sizes <- if (is.null(dim(x))) length(x) else dim(x)
  natural <- if (is.logical(x)) "bool" else if (is.integer(x)) "int64" else if (is.complex(x)) "complex64" else "float32"
  # R's memory has the first dimension innermost.
  made <- .Call(mt_from_vector, x, as.double(rev(sizes)))
  if (length(sizes) > 1) made <- call_operator("permute", "", made, rev(seq_along(sizes)) - 1)
  made <- call_operator("to", "dtype_layout", call_operator("contiguous", "", made), dtype = if (is.null(dtype)) natural else dtype)
  if (requires_grad) .Call(mt_set_requires_grad, made, TRUE)
  made
}

# A tensor of raw elements: from_raw(writeBin(c(1, 2), raw()), 2, "float64").
from_raw <- function(bytes, sizes, dtype) note(.Call(mt_from_raw, bytes, as.double(sizes), dtype))

manual_seed <- function(seed) invisible(.Call(mt_manual_seed, seed))

# Evaluates the expression without recording gradients.
no_grad <- function(expr) {
  before <- .Call(mt_set_grad_mode, FALSE)
  on.exit(.Call(mt_set_grad_mode, before))
  force(expr)
}

# Evaluates the expression, and closes the tensors that it made, except those in its value.
with_scope <- function(expr) {
  outer <- state$scope
  state$scope <- list()
  kept <- list()
  on.exit({
    made <- state$scope
    state$scope <- outer
    for (tensor in made) {
      if (any(vapply(kept, identical, logical(1), tensor))) note(tensor) else close(tensor)
    }
  })
  value <- force(expr)
  kept <- if (is_tensor(value)) list(value) else if (is.list(value)) Filter(is_tensor, value) else list()
  value
}

# The tensors of a file of torch, safetensors, NumPy or GGUF, as a list with names.
load_tensors <- function(path) note(.Call(mt_load_tensors, path.expand(path)))

# Saves a list of tensors with names.
save_tensors <- function(tensors, path, format = c("safetensors", "torch")) {
  invisible(.Call(mt_save_tensors, tensors, path.expand(path), match.arg(format) == "torch"))
}

# ---- properties and methods ----

info <- function(x) .Call(mt_get_info, x)
properties <- list(
  shape = function(x) info(x)[[1]],
  dtype = function(x) info(x)[[2]],
  device = function(x) info(x)[[3]],
  requires_grad = function(x) info(x)[[4]],
  grad = function(x) note(.Call(mt_get_grad, x)),
  is_closed = function(x) .Call(mt_is_closed, x)
)
methods <- list(
  backward = function(x) function(gradient = NULL) invisible(.Call(mt_backward, x, gradient)),
  item = function(x) function() .Call(mt_get_item, x),
  on_gradient = function(x) function(hook) invisible(.Call(mt_add_hook, x, hook)),
  remove_hook = function(x) function(id) invisible(.Call(mt_remove_hook, x, id)),
  close = function(x) function() close(x)
)

# Properties, methods, and every operator as a method: x$shape, x$backward(), x$sum(1, keepdim = TRUE). Dimensions count from 0, as
# torch's do; `[` counts from 1, as R does.
`$.Tensor` <- function(x, name) {
  if (!is.null(properties[[name, exact = TRUE]])) return(properties[[name]](x))
  if (!is.null(methods[[name, exact = TRUE]])) return(methods[[name]](x))
  if (!.Call(mt_operator_exists, name)) throw(c("AttributeError", paste("'Tensor' object has no attribute", sQuote(name, FALSE))))
  function(...) call_operator(name, "", x, ...)
}

`$<-.Tensor` <- function(x, name, value) {
  switch(name,
    requires_grad = .Call(mt_set_requires_grad, x, value),
    grad = .Call(mt_set_grad, x, value),
    throw(c("AttributeError", paste("a Tensor's", name, "cannot be set")))
  )
  x
}

close.Tensor <- function(con, ...) invisible(.Call(mt_close_tensor, con))

dim.Tensor <- function(x) as.integer(x$shape)
length.Tensor <- function(x) as.integer(prod(x$shape))
t.Tensor <- function(x) call_operator("t", "", x)
Summary.Tensor <- function(..., na.rm = FALSE) {
  if (.Generic == "range") return(call_operator("stack", "", list(call_operator("min", "", ...), call_operator("max", "", ...))))
  call_operator(.Generic, "", ...)
}
is.na.Tensor <- function(x) call_operator("isnan", "", x)
aperm.Tensor <- function(a, perm = NULL, ...) call_operator("permute", "", a, I((if (is.null(perm)) rev(seq_along(a$shape)) else perm) - 1))
mean.Tensor <- function(x, ...) call_operator("mean", "", x, ...)

arithmetic <- c("+" = "add", "-" = "sub", "*" = "mul", "/" = "div", "^" = "pow", "%%" = "remainder", "==" = "eq", "!=" = "ne",
                "<" = "lt", "<=" = "le", ">" = "gt", ">=" = "ge", "&" = "logical_and", "|" = "logical_or")
Ops.Tensor <- function(e1, e2) {
  if (nargs() == 1L) {
    return(switch(.Generic, "-" = call_operator("neg", "", e1), "+" = e1, "!" = call_operator("logical_not", "", e1)))
  }
  if (.Generic == "%/%") return(call_operator("div", "Tensor_mode", as_operand(e1), as_operand(e2), rounding_mode = "floor"))
  if (!is_tensor(e1) && length(e1) != 1L) e1 <- as_tensor(e1)
  if (!is_tensor(e2) && length(e2) != 1L) e2 <- as_tensor(e2)
  if (is_tensor(e1)) return(call_operator(arithmetic[[.Generic]], "", e1, e2))
  # A number on the left.
  switch(.Generic,
    "-" = call_operator("rsub", "", e2, e1),
    "/" = call_operator("mul", "", call_operator("reciprocal", "", e2), e1),
    "^" = call_operator("pow", "Scalar", e1, e2),
    call_operator(arithmetic[[.Generic]], "", as_operand(e1), e2)
  )
}
as_operand <- function(x) if (is_tensor(x)) x else call_operator("squeeze", "", as_tensor(x))

# R's names for some functions, where torch has others.
renamed <- c(ceiling = "ceil", log = "log", gamma = "lgamma", lgamma = "lgamma", sign = "sgn")
Math.Tensor <- function(x, ...) {
  name <- if (.Generic %in% names(renamed)) renamed[[.Generic]] else .Generic
  if (.Generic == "gamma") return(call_operator("exp", "", call_operator("lgamma", "", x)))
  if (.Generic %in% c("cumsum", "cumprod")) return(call_operator(name, "", call_operator("flatten", "", x), 0))
  if (.Generic == "log" && ...length() > 0) return(call_operator("log", "", x) / log(...elt(1)))
  call_operator(name, "", x, ...)
}

# ---- indices, which count from 1 ----

# The positions that an index selects, from 0: R's own rules for positive, negative and logical ones.
positions <- function(index, size) {
  if (is_tensor(index)) index <- as.vector(index)
  chosen <- seq_len(size)[index]
  if (anyNA(chosen)) throw(c("IndexError", paste("an index is out of bounds for dimension with size", size)))
  chosen - 1
}

indices_of <- function(call, frame, count) {
  given <- as.list(call)[-(1:2)]
  given <- given[!names2(given) %in% c("drop", "value")]
  lapply(given, function(index) if (identical(index, quote(expr = ))) NULL else eval(index, frame))
}
names2 <- function(x) if (is.null(names(x))) rep("", length(x)) else names(x)

`[.Tensor` <- function(x, ..., drop = TRUE) {
  indices <- indices_of(sys.call(), parent.frame())
  if (length(indices) == 1L && is_tensor(indices[[1]]) && indices[[1]]$dtype == "bool") return(call_operator("masked_select", "", x, indices[[1]]))
  if (length(indices) != length(x$shape)) throw(c("IndexError", paste("a tensor of", length(x$shape), "dimensions requires as many indices")))
  for (at in rev(seq_along(indices))) {
    if (is.null(indices[[at]])) next
    chosen <- positions(indices[[at]], x$shape[at])
    x <- if (length(chosen) == 1L && drop) call_operator("select", "int", x, at - 1, chosen)
         else call_operator("index_select", "", x, at - 1, as_tensor(as.integer(chosen)))
  }
  x
}

`[<-.Tensor` <- function(x, ..., value) {
  indices <- indices_of(sys.call(), parent.frame())
  if (length(indices) != length(x$shape)) throw(c("IndexError", paste("a tensor of", length(x$shape), "dimensions requires as many indices")))
  shape <- x$shape
  chosen <- lapply(seq_along(indices), function(at) {
    if (is.null(indices[[at]])) seq_len(shape[at]) - 1 else positions(indices[[at]], shape[at])
  })
  grids <- lapply(seq_along(chosen), function(at) {
    view <- rep(1, length(shape))
    view[at] <- -1
    call_operator("reshape", "", as_tensor(as.integer(chosen[[at]])), view)
  })
  counts <- lengths(chosen)
  if (!is_tensor(value)) value <- if (length(value) == 1L) as_operand(value) else as_tensor(array(rep_len(value, prod(counts)), counts))
  if (prod(value$shape) == prod(counts)) value <- call_operator("reshape", "", value, I(counts))
  call_operator("index_put_", "", x, grids, call_operator("to", "dtype_layout", value, dtype = x$dtype))
  x
}

# ---- conversions ----

as.array.Tensor <- function(x, ...) {
  sizes <- x$shape
  if (length(sizes) > 1) x <- call_operator("permute", "", x, rev(seq_along(sizes)) - 1)
  elements <- .Call(mt_to_vector, x)
  if (length(sizes) > 1) dim(elements) <- sizes
  elements
}
as.matrix.Tensor <- function(x, ...) as.matrix(as.array(x))
as.vector.Tensor <- function(x, mode = "any") as.vector(as.array(x), mode)
as.double.Tensor <- function(x, ...) as.double(as.array(x))
as.numeric.Tensor <- as.double.Tensor
as.integer.Tensor <- function(x, ...) as.integer(as.array(x))
as.logical.Tensor <- function(x, ...) as.logical(as.array(x))

format.Tensor <- function(x, ...) {
  if (x$is_closed) return("Tensor (closed)")
  about <- info(x)
  paste0("Tensor ", about[[2]], " [", paste(about[[1]], collapse = ", "), "]", if (about[[4]]) ", requires_grad")
}
print.Tensor <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  if (!x$is_closed && info(x)[[3]] == "cpu" && info(x)[[5]]) {
    sizes <- x$shape
    if (prod(sizes) <= 1000) print(as.array(x$detach()), ...)
    else print(utils::head(as.vector(x$detach()$flatten()$narrow(0, 0, 6))), ...)
  }
  invisible(x)
}
