// Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	mt "mindtorch.org/mindtorch"
)

const arms, points, hidden, steps = 3, 100, 64, 400

func makeSpirals() (x, labels *mt.Tensor) {
	var xy []float32
	var classes []int
	for arm := 0; arm < arms; arm++ {
		for i := 0; i < points; i++ {
			radius := float64(i+1) / points
			angle := float64(arm)*2*math.Pi/arms + 4*radius + 0.1*math.Sin(37*float64(i))
			xy = append(xy, float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)))
			classes = append(classes, arm)
		}
	}
	return mt.Must(mt.FromSlice(xy, arms*points, 2)), mt.Must(mt.FromSlice(classes))
}

type network map[string]*mt.Tensor

func makeNetwork() network {
	weights := network{
		"0.weight": mt.Must(mt.Randn([]int{hidden, 2})),
		"0.bias":   mt.Must(mt.Zeros([]int{hidden})),
		"2.weight": mt.Must(mt.Must(mt.Randn([]int{arms, hidden})).MulScalarInPlace(0.125)),
		"2.bias":   mt.Must(mt.Zeros([]int{arms})),
	}
	for _, weight := range weights {
		mt.Check(weight.SetRequiresGrad(true))
	}
	return weights
}

func (n network) forward(scope *mt.Scope, x *mt.Tensor) *mt.Tensor {
	inner := scope.Must(x.Linear(n["0.weight"], mt.WithBias(n["0.bias"])))
	return scope.Must(scope.Must(inner.Tanh()).Linear(n["2.weight"], mt.WithBias(n["2.bias"])))
}

// descend makes one step of gradient descent and returns the loss and the accuracy before it.
func (n network) descend(x, labels *mt.Tensor, rate float64) (loss, accuracy float64, err error) {
	defer mt.Recover(&err)
	scope := mt.NewScope()
	defer scope.Close()
	logits := n.forward(scope, x)
	crossEntropy := scope.Must(logits.CrossEntropyLoss(labels))
	mt.Check(crossEntropy.Backward())
	mt.Check(mt.NoGrad(func() error {
		for _, weight := range n {
			mt.Must(weight.AddInPlace(scope.Must(weight.Grad()), mt.WithAlpha(-rate)))
			mt.Check(weight.SetGrad(nil))
		}
		return nil
	}))
	best := scope.Must(logits.Argmax(mt.WithDim(1)))
	hits := scope.Must(scope.Must(best.Eq(labels)).Sum())
	return mt.Must(crossEntropy.Float()), mt.Must(hits.Float()) / (arms * points), nil
}

func main() {
	fmt.Printf("mindtorch %s, ABI %d, %d threads\n", mt.Version(), mt.ABIVersion(), mt.Threads())
	x, labels := makeSpirals()
	mt.Check(mt.ManualSeed(7))
	weights := makeNetwork()
	for step := 1; step <= steps; step++ {
		loss, accuracy, err := weights.descend(x, labels, 1)
		if err != nil {
			log.Fatal(err)
		}
		if step == 1 || step%100 == 0 {
			fmt.Printf("step %d: loss %.6f, accuracy %.4f\n", step, loss, accuracy)
		}
	}

	path := filepath.Join(os.TempDir(), "spiral.safetensors")
	defer os.Remove(path)
	mt.Check(mt.Save(path, weights))
	loaded := network(mt.Must(mt.Load(path)))
	fmt.Println("loaded", loaded["2.bias"].Shape(), loaded["2.bias"].DType())

	if _, err := x.Add(labels); errors.Is(err, mt.RuntimeError) {
		fmt.Println(err)
	}
}
