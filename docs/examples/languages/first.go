// An operator, a gradient and an error in Go.
package main

import (
	"errors"
	"fmt"
	"log"

	mt "mindtorch.org/mindtorch"
)

func show(name string, t *mt.Tensor) {
	text := fmt.Sprint(mt.Must(t.Float64s()))
	fmt.Println(name, text[1:len(text)-1])
}

func main() {
	x, err := mt.FromSlice([]float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y := mt.Must(mt.FromSlice([]float32{4, 5, 6})) // panics instead, for programs that end anyway
	show("sum", mt.Must(x.Add(y, mt.WithAlpha(1))))

	mt.Check(x.SetRequiresGrad(true))
	mt.Check(mt.Must(mt.Must(x.Mul(x)).Sum()).Backward())
	show("gradient", mt.Must(x.Grad()))

	_, err = x.Add(mt.Must(mt.Ones([]int{2})))
	if errors.Is(err, mt.RuntimeError) {
		fmt.Println(err)
	}
}
