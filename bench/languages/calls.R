# What calls from R cost: prints `name seconds`, as calls.c does.
library(mindtorch)

measure <- function(name, repeats, rounds, call) {
  best <- Inf
  call()
  for (round in seq_len(rounds)) {
    begun <- as.numeric(Sys.time())
    for (i in seq_len(repeats)) call()
    best <- min(best, (as.numeric(Sys.time()) - begun) / repeats)
  }
  cat(sprintf("%s %.9f\n", name, best))
}

x <- as_tensor(1)
y <- as_tensor(1)
square <- mt$ones(c(1024, 1024))
elements <- numeric(1000000)
numbers <- as_tensor(elements, dtype = "float64")
measure("add", 500, 100, function() x$add(y))
measure("mm", 1, 10, function() close(square$mm(square)))
measure("in", 1, 20, function() close(as_tensor(elements, dtype = "float64")))
measure("out", 1, 20, function() as.numeric(numbers))
