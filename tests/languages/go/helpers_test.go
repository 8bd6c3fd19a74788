package tests

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	mt "mindtorch.org/mindtorch"
)

// floats makes a float32 tensor.
func floats(t *testing.T, elements []float32, shape ...int) *mt.Tensor {
	t.Helper()
	tensor, err := mt.FromSlice(elements, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

// value fails the test for an error.
func value[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func wantElements(t *testing.T, tensor *mt.Tensor, want ...float64) {
	t.Helper()
	got, err := tensor.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d elements %v, want %d", len(got), got, len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-6*math.Max(1, math.Abs(want[i])) {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func wantInts(t *testing.T, got []int, want ...int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// wantError checks torch's kind and its whole text.
func wantError(t *testing.T, err error, kind mt.Kind, text string) {
	t.Helper()
	var failure *mt.Error
	if !errors.As(err, &failure) {
		t.Fatalf("the error is %v, want %s: %s", err, kind, text)
	}
	if failure.Kind != kind || failure.Message != text || !errors.Is(err, kind) {
		t.Fatalf("the error is %v, want %s: %s", err, kind, text)
	}
}

const alone = "MINDTORCH_TEST_ALONE" // in the environment: the test that the process was started for

// rerun runs the calling test in a process of its own. In that process, isAlone is true.
func rerun(t *testing.T) (output string, err error, isAlone bool) {
	t.Helper()
	if os.Getenv(alone) == t.Name() {
		return "", nil, true
	}
	command := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), alone+"="+t.Name())
	text, err := command.CombinedOutput()
	return string(text), err, false
}

// wantPeak runs a function in a process of its own, and checks the largest resident size of it.
func wantPeak(t *testing.T, limit int64, run func()) {
	t.Helper()
	output, err, isAlone := rerun(t)
	if !isAlone {
		if err != nil || !strings.Contains(output, "the peak is") {
			t.Errorf("%v:\n%s", err, output)
		}
		return
	}
	run()
	used := peak(t)
	t.Logf("the peak is %d MB", used/1e6)
	if used > limit {
		t.Errorf("that is more than %d MB", limit/1e6)
	}
}

// peak is the largest resident size of the process so far, in bytes.
func peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	t.Fatal("/proc/self/status has no VmHWM")
	return 0
}
