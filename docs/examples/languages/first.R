# An operator, a gradient and an error through the package for R.
library(mindtorch)

show <- function(name, tensor) writeLines(paste(c(name, as.vector(tensor)), collapse = " "))

x <- as_tensor(c(1, 2, 3))
y <- as_tensor(c(4, 5, 6))
show("sum", x + y)

x$requires_grad <- TRUE
(x * x)$sum()$backward()
show("gradient", x$grad)

tryCatch(x$add(mt$ones(2)), mindtorch_error = function(error) cat(error$kind, ": ", conditionMessage(error), "\n", sep = ""))
