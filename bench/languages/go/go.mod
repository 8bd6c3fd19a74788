module calls

go 1.18

require mindtorch.org/mindtorch v0.2.0
