module mindtorch.org/mindtorch

go 1.18
