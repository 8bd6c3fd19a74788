module mindtorch.org/tests

go 1.18

require mindtorch.org/mindtorch v0.3.0
