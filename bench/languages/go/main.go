// The costs that ../calls.c measures, in Go.
package main

import (
	"fmt"
	"time"

	mt "mindtorch.org/mindtorch"
)

func measure(name string, repeats, rounds int, call func()) {
	best := time.Hour.Seconds()
	call()
	for round := 0; round < rounds; round++ {
		begun := time.Now()
		for i := 0; i < repeats; i++ {
			call()
		}
		if took := time.Since(begun).Seconds() / float64(repeats); took < best {
			best = took
		}
	}
	fmt.Printf("%s %.9f\n", name, best)
}

func main() {
	a, b := mt.Must(mt.Ones([]int{1})), mt.Must(mt.Ones([]int{1}))
	square := mt.Must(mt.Ones([]int{1024, 1024}))
	elements := make([]float64, 1_000_000)
	numbers := mt.Must(mt.FromSlice(elements))
	measure("add", 500, 400, func() { mt.Must(a.Add(b)).Close() })
	measure("add, left to the collector", 20000, 20, func() { mt.Must(a.Add(b)) })
	measure("mm", 1, 10, func() { mt.Must(square.Mm(square)).Close() })
	measure("in", 1, 20, func() { mt.Must(mt.FromSlice(elements)).Close() })
	measure("out", 1, 20, func() { mt.Check(mt.CopyTo(numbers, elements)) })
	measure("out, a new slice", 1, 20, func() { mt.Must(mt.Slice[float64](numbers)) })
}
