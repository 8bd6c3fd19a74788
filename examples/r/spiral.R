# Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
library(mindtorch)

arms <- 3
points <- 100
hidden <- 64

make_spirals <- function() {
  arm <- rep(seq_len(arms) - 1, each = points)
  i <- rep(seq_len(points) - 1, arms)
  radius <- (i + 1) / points
  angle <- arm * 2 * pi / arms + 4 * radius + 0.1 * sin(37 * i)
  list(x = as_tensor(cbind(radius * cos(angle), radius * sin(angle))), labels = as_tensor(as.integer(arm)))
}

make_network <- function() {
  weights <- list(
    "0.weight" = mt$randn(c(hidden, 2)), "0.bias" = mt$zeros(hidden),
    "2.weight" = mt$randn(c(arms, hidden)) * 0.125, "2.bias" = mt$zeros(arms)
  )
  for (weight in weights) weight$requires_grad <- TRUE
  weights
}

forward <- function(x, net) x$linear(net[["0.weight"]], net[["0.bias"]])$tanh()$linear(net[["2.weight"]], net[["2.bias"]])

# One step of gradient descent: the loss and the accuracy before it.
descend <- function(net, x, labels, rate) {
  logits <- forward(x, net)
  loss <- logits$cross_entropy_loss(labels)
  loss$backward()
  no_grad(for (weight in net) {
    weight$add_(weight$grad, alpha = -rate)
    weight$grad <- NULL
  })
  c(loss$item(), (logits$argmax(1) == labels)$sum()$item() / length(labels))
}

cat("mindtorch", mt$version, "\n")
data <- make_spirals()
manual_seed(7)
net <- make_network()
for (step in 1:400) {
  reached <- descend(net, data$x, data$labels, 1)
  if (step == 1 || step %% 100 == 0) cat(sprintf("step %d: loss %.6f, accuracy %.4f\n", step, reached[1], reached[2]))
}

file <- tempfile(fileext = ".safetensors")
save_tensors(net, file)
loaded <- load_tensors(file)
cat("loaded", names(loaded), "\n")

tryCatch(data$x$add(data$labels), RuntimeError = function(error) cat("RuntimeError: ", conditionMessage(error), "\n", sep = ""))
