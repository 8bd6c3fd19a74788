# Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
folder <- Sys.getenv("MINDTORCH_R")
dyn.load(file.path(folder, "mindtorch.so"))
source(file.path(folder, "mindtorch.R"))
invisible(cacheMetaData(1))

operate <- function(name, ...) {
  values <- Values()
  for (argument in list(...)) {
    if (inherits(argument, "_p_mt_tensor")) Values_add_tensor(values, argument)
    else if (inherits(argument, "AsIs")) Values_add_ints(values, as.integer(argument))
    else Values_add_int(values, argument)
  }
  Values_get_tensor(dispatch(name, "", values), 0)
}

for (i in 1:200) {
  tensor <- operate("ones", I(10000000L))
  operate("narrow", tensor, 0L, 0L, 10L)
}
leaf <- operate("ones", I(10000000L))
invisible(tensor_set_requires_grad(leaf, 1L))
for (i in 1:50) operate("sum", operate("exp", leaf))
status <- readLines("/proc/self/status")
cat(as.integer(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) %/% 1024L, "\n", sep = "")
