# The package for R. Numbers and texts of errors are torch 2.13's, unless a comment names another origin.
library(mindtorch)

counts <- c(passed = 0, failed = 0, skipped = 0)
is_true <- function(name, value) {
  passed <- isTRUE(tryCatch(value, error = function(error) conditionMessage(error)))
  counts[[if (passed) "passed" else "failed"]] <<- counts[[if (passed) "passed" else "failed"]] + 1
  if (!passed) cat("FAILED: ", name, ": ", deparse(tryCatch(value, error = conditionMessage))[1], "\n", sep = "")
}
equals <- function(name, value, expected, ...) is_true(name, all.equal(value, expected, ...))
fails <- function(name, expr, kind, text) {
  is_true(name, tryCatch({ force(expr); "no error" }, error = function(error) {
    if (inherits(error, kind) && inherits(error, "mindtorch_error") && grepl(text, conditionMessage(error), fixed = TRUE)) TRUE
    else paste(class(error)[1], conditionMessage(error))
  }))
}

x <- as_tensor(matrix(c(1, 3, 2, 4), 2))
equals("a matrix keeps its rows and columns", as.array(x), matrix(c(1, 3, 2, 4), 2))
equals("its elements are stored by row", as.vector(x$flatten()), c(1, 2, 3, 4))
equals("numbers are float32", x$dtype, "float32")
equals("integers are int64", as_tensor(1:2)$dtype, "int64")
equals("logical values are bool", as.vector(as_tensor(c(TRUE, FALSE))), c(TRUE, FALSE))
equals("complex values are complex", as.vector(as_tensor(c(1 + 2i, -1i))), c(1 + 2i, -1i))
cube <- array(as.double(1:24), c(2, 3, 4))
equals("an array of three dimensions comes back", as.array(as_tensor(cube)), cube)
equals("dim and length are R's", list(dim(x), length(x)), list(c(2L, 2L), 4L))
equals("raw elements go in", as.vector(from_raw(writeBin(c(1.5, 2.5), raw()), 2, "float64")), c(1.5, 2.5))

equals("the arguments select the overload", as.array(x$sum(1, keepdim = TRUE)), matrix(c(3, 7), 2))
equals("an operator is a function of mt", dim(mt$cat(list(x, x), 1)), c(2L, 4L))
equals("an argument by name", x$add(x, alpha = 3)$sum()$item(), 40)
equals("several results are a list", lapply(x$max(1), as.vector), list(c(2, 4), c(1, 1)))
equals("NULL is none", as.vector(x$clamp(NULL, 2)), c(1, 2, 2, 2))
equals("a number stands for a list of one", mt$zeros(3)$shape, 3)
equals("dtypes are names", mt$zeros(c(2, 3), dtype = "float64")$dtype, "float64")
equals("a result that is a dtype is its name", mt$result_type(x, 2.5), "float32")
equals("a boolean is a boolean", mt$equal(x, x), TRUE)

equals("a number on the left of -", as.vector(2 - as_tensor(c(1, 2))), c(1, 0))
equals("a number on the left of /", as.vector(12 / as_tensor(c(1, 2))), c(12, 6))
equals("a number on the left of ^", as.vector(2 ^ as_tensor(c(1, 2))), c(2, 4))
equals("a number on the left of %%", as.vector(7 %% as_tensor(c(4, 5))), c(3, 2))
equals("%/% rounds down", as.vector(as_tensor(c(7, -7)) %/% 2), c(3, -4))
equals("arithmetic", as.vector(-as_tensor(c(1, 2)) + as_tensor(c(1, 2)) * 3 - c(0.5, 0.5)), c(1.5, 3.5))
equals("comparisons are elements", as.vector(x > 2), c(FALSE, TRUE, FALSE, TRUE))
equals("a number on the left of <", as.vector(2 < as_tensor(c(1, 3))), c(FALSE, TRUE))
equals("Math functions are operators", as.vector(sqrt(as_tensor(c(4, 9)))), c(2, 3))
equals("ceiling has torch's name ceil", as.vector(ceiling(as_tensor(1.5))), 2)
equals("sum and mean are R's generics", c(sum(x)$item(), mean(x)$item()), c(10, 2.5))
equals("max, min, range and prod are too", list(max(x)$item(), min(x)$item(), as.vector(range(x)), prod(x)$item()), list(4, 1, c(1, 4), 24))
equals("any and all are too", c(any(x > 3)$item(), all(x > 3)$item()), c(TRUE, FALSE))
equals("a logarithm takes a base", as.vector(log(as_tensor(c(1, 8)), 2)), c(0, 3))
equals("is.na is isnan", as.vector(is.na(as_tensor(c(1, NaN)))), c(FALSE, TRUE))
equals("aperm is permute, from 1", as.array(aperm(as_tensor(array(as.double(1:24), 2:4)), c(3, 1, 2))),
       aperm(array(as.double(1:24), 2:4), c(3, 1, 2)))
equals("aperm reverses", as.array(aperm(x)), matrix(c(1, 2, 3, 4), 2))
equals("a data frame is a matrix", as.array(as_tensor(data.frame(a = c(1, 2), b = 3:4))), matrix(c(1, 2, 3, 4), 2))
fails("a list is no vector", as_tensor(list(1, 2)), "TypeError", "a list is no vector")
fails("what has a name only does not come by place", mt$zeros(2, 3), "TypeError",
      "zeros() takes 1 positional argument(s) but 2 was/were given.  Declaration: aten::zeros(SymInt[] size, *, ")
fails("nor where there are several overloads", x$add(x, 2), "TypeError", "add() takes 2 positional argument(s) but 3 was/were given.")

equals("what creates tensors takes requires_grad", c(mt$zeros(2, requires_grad = TRUE)$requires_grad, mt$zeros(2, requires_grad = FALSE)$requires_grad),
       c(TRUE, FALSE))
fails("what does not, does not", mt$add(x, x, requires_grad = TRUE), "TypeError", "add() got an unexpected keyword argument 'requires_grad'")

y <- mt$arange(24)$reshape(c(4, 6))
equals("indices count from 1", y[2, 6]$item(), 11)
equals("a missing index is all", as.vector(y[1, ]), c(0, 1, 2, 3, 4, 5))
equals("ranges and negative indices", as.array(y[2:3, -(1:4)]), matrix(c(10, 16, 11, 17), 2))
equals("logical indices", as.vector(y[c(TRUE, FALSE, FALSE, FALSE), 1:2]), c(0, 1))
equals("drop keeps a dimension", dim(y[1, , drop = FALSE]), c(1L, 6L))
equals("a mask selects elements", as.vector(y[y > 21]), c(22, 23))
y[1, 1:2] <- 9
equals("parts are assigned", as.vector(y[1, ]), c(9, 9, 2, 3, 4, 5))
y[, 6] <- as_tensor(c(1, 2, 3, 4))
equals("also of tensors", as.vector(y[, 6]), c(1, 2, 3, 4))
fails("an index out of bounds", y[5, 1], "IndexError", "out of bounds for dimension with size 4")

fails("an error has torch's text", x$add(mt$ones(3)), "RuntimeError",
      "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1")
fails("and its class is torch's kind", x$unsqueeze(7), "IndexError", "Dimension out of range (expected to be in range of [-3, 2], but got 7)")
fails("an unknown method", x$nonsense(), "AttributeError", "nonsense")
fails("an environment is no argument", x$add(globalenv()), "TypeError", "environment")

leaf <- as_tensor(c(1, 2, 3), requires_grad = TRUE)
seen <- NULL
leaf$on_gradient(function(gradient) {
  seen <<- as.vector(gradient)
  gradient * 10
})
(leaf * leaf)$sum()$backward()
equals("a hook sees the gradient", seen, c(2, 4, 6))
equals("and replaces it", as.vector(leaf$grad), c(20, 40, 60))
leaf$grad <- NULL
is_true("a gradient is cleared", is.null(leaf$grad))
failing <- as_tensor(1, requires_grad = TRUE)
failing$on_gradient(function(gradient) stop("mine"))
fails("the error of a hook is that of backward", (failing * 2)$backward(), "RuntimeError", "mine")
equals("no_grad records nothing", no_grad(leaf * 2)$requires_grad, FALSE)
try(no_grad(stop("mine")), silent = TRUE)
equals("and ends with an error", (leaf * 2)$requires_grad, TRUE)

manual_seed(0)
equals("random numbers are torch's for the seed", mt$rand(1)$item(), 0.4962566, tolerance = 1e-6)

kept <- with_scope({ inner <- mt$ones(2); inner + 1 })
equals("a scope keeps its value", as.vector(kept), c(2, 2))
is_true("and closes the rest", inner$is_closed)
fails("a closed tensor is refused", inner + 1, "ValueError", "this Tensor is closed")
equals("and has a text", format(inner), "Tensor (closed)")
equals("a tensor has a text", utils::capture.output(print(as_tensor(c(1, 2.5)))), c("Tensor float32 [2]", "[1] 1.0 2.5"))

for (format in c("safetensors", "torch")) {
  file <- tempfile()
  save_tensors(list(weight = x, bias = kept), file, format)
  loaded <- load_tensors(file)
  equals(paste(format, "keeps names"), sort(names(loaded)), c("bias", "weight"))
  equals(paste(format, "keeps elements"), as.array(loaded$weight), as.array(x))
}
fails("an absent file", load_tensors("/absent"), "RuntimeError", "No such file")
# The file is what ../torch_checkpoint.py writes with real torch.
checkpoint <- Sys.getenv("MINDTORCH_TORCH_CHECKPOINT")
if (nzchar(checkpoint)) {
  loaded <- load_tensors(checkpoint)
  equals("a checkpoint of real torch is read", names(loaded), c("model.weight", "model.bias", "half"))
  equals("with its elements", as.array(loaded$model.weight), matrix(as.double(0:5), 2, byrow = TRUE))
  equals("of any dtype", as.vector(loaded$half), c(1.5, -2))
} else {
  cat("SKIPPED: a checkpoint of real torch (MINDTORCH_TORCH_CHECKPOINT is not set)\n")
  counts[["skipped"]] <- 3
}

for (i in 1:200) mt$ones(10000000)$narrow(0, 0, 10)
leaf <- mt$ones(10000000)
leaf$requires_grad <- TRUE
for (i in 1:50) leaf$exp()$sum()
peak <- as.integer(gsub("[^0-9]", "", grep("^VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
is_true("8 GB of dropped tensors and graphs stay below 600 MB", if (peak < 600) TRUE else paste(peak, "MB"))
cat(counts, "\n")
