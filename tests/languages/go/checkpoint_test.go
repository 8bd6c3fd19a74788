package tests

import (
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	mt "mindtorch.org/mindtorch"
)

// The file is what ../torch_checkpoint.py writes with real torch.
func torchFile(t *testing.T) string {
	path := os.Getenv("MINDTORCH_TORCH_CHECKPOINT")
	if path == "" {
		t.Skip("no real torch: MINDTORCH_TORCH_CHECKPOINT is not set")
	}
	return path
}

func TestACheckpointOfRealTorchIsRead(t *testing.T) {
	checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(torchFile(t)))
	defer checkpoint.Close()
	if checkpoint.Format() != mt.Torch {
		t.Error(checkpoint.Format())
	}
	names := value[[]string](t)(checkpoint.Names())
	if len(names) != 3 || names[0] != "model.weight" || names[1] != "model.bias" || names[2] != "half" {
		t.Error(names)
	}
	entry := value[mt.Entry](t)(checkpoint.Entry(0))
	wantInts(t, entry.Shape, 2, 3)
	if entry.DType != mt.Float32 || entry.Bytes != 24 {
		t.Error(entry)
	}
	wantElements(t, value[*mt.Tensor](t)(checkpoint.Get("model.weight")), 0, 1, 2, 3, 4, 5)
	half := value[*mt.Tensor](t)(checkpoint.Get("half"))
	if half.DType() != mt.BFloat16 {
		t.Error(half.DType())
	}
	wantElements(t, half, 1.5, -2)
	_, err := checkpoint.Get("absent")
	wantError(t, err, "KeyError", "the checkpoint has no tensor named 'absent'")
	if _, err := checkpoint.At(3); !errors.Is(err, mt.IndexError) {
		t.Error(err)
	}
}

func TestTheObjectOfACheckpointHasGoTypes(t *testing.T) {
	checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(torchFile(t)))
	defer checkpoint.Close()
	pairs := value[any](t)(checkpoint.Object()).([]mt.Pair)
	object := map[any]any{}
	for _, pair := range pairs {
		object[pair.Key] = pair.Value
	}
	if object["epoch"] != 7 || object["rate"] != 0.5 || object["name"] != "network" || object["none"] != nil {
		t.Error(object)
	}
	if big := object["big"].(*big.Int); big.String() != "-1267650600228229401496703205376" { // -(2 ** 100)
		t.Error(big)
	}
	if list := object["list"].([]any); len(list) != 2 || list[0] != true || list[1] != mt.Float64 {
		t.Error(list)
	}
	wantElements(t, object["half"].(*mt.Tensor), 1.5, -2)
}

func TestSavedTensorsComeBack(t *testing.T) {
	for name, format := range map[string]mt.Format{"a.safetensors": mt.Safetensors, "a.pt": mt.Torch} {
		path := filepath.Join(t.TempDir(), name)
		tensors := map[string]*mt.Tensor{
			"x": floats(t, []float32{1, 2, 3, 4}, 2, 2), "n": value[*mt.Tensor](t)(mt.FromSlice([]int{5})),
		}
		var calls int
		options := mt.SaveOptions{Format: format, Progress: func(done, total int64) error { calls++; return nil }}
		if format == mt.Safetensors {
			options.Metadata = map[string]string{"author": "go"}
		}
		if err := mt.Save(path, tensors, options); err != nil {
			t.Fatal(err)
		}
		if calls == 0 {
			t.Error("no progress was reported")
		}
		loaded := value[map[string]*mt.Tensor](t)(mt.Load(path))
		if len(loaded) != 2 || loaded["n"].DType() != mt.Int64 {
			t.Error(loaded)
		}
		wantElements(t, loaded["x"], 1, 2, 3, 4)
		wantInts(t, loaded["x"].Shape(), 2, 2)
		if format == mt.Safetensors {
			checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(path))
			if metadata := value[map[string]string](t)(checkpoint.Metadata()); metadata["author"] != "go" {
				t.Error(metadata)
			}
		}
	}
}

func TestAnErrorOfTheProgressEndsASaveAndKeepsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := mt.Save(path, map[string]*mt.Tensor{"x": floats(t, []float32{1})}); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	err := mt.Save(path, map[string]*mt.Tensor{"x": floats(t, []float32{2})}, mt.SaveOptions{Progress: func(done, total int64) error { return stop }})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	wantElements(t, value[map[string]*mt.Tensor](t)(mt.Load(path))["x"], 1)
}

func TestFilesThatAreNoCheckpointsAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pt")
	if err := os.WriteFile(path, []byte("not a checkpoint"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mt.OpenCheckpoint(path); !errors.Is(err, mt.RuntimeError) {
		t.Error(err)
	}
	if _, err := mt.Load(path + ".absent"); !errors.Is(err, mt.RuntimeError) {
		t.Error(err)
	}
}

// fileOfPickle makes a file of torch's legacy format without tensors, whose object is what the opcodes of a pickle make.
func fileOfPickle(t *testing.T, opcodes string) *mt.Checkpoint {
	t.Helper()
	text := "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19." + // the magic number 0x1950a86a20f9469cfc6c
		"\x80\x02M\xe9\x03." + // the protocol 1001
		"\x80\x02}X\r\x00\x00\x00little_endian\x88s." + // {"little_endian": True}
		"\x80\x02" + opcodes + "." +
		"\x80\x02]." // the keys of the storages
	path := filepath.Join(t.TempDir(), "a.pt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return value[*mt.Checkpoint](t)(mt.OpenCheckpoint(path))
}

// The limit is this package's own.
func TestNestedContainersHaveALimit(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("]", n) + strings.Repeat("a", n-1) }
	object := value[any](t)(fileOfPickle(t, nested(500)).Object())
	for i := 1; i < 500; i++ {
		object = object.([]any)[0]
	}
	if len(object.([]any)) != 0 {
		t.Error(object)
	}
	for _, n := range []int{501, 1_000_000} {
		_, err := fileOfPickle(t, nested(n)).Object()
		wantError(t, err, mt.ValueError, "the file has more than 500 containers in one another")
	}
}

// x0 = [], and each x(k + 1) is [xk, xk], up to x40.
func TestSharedContainersAreTheSameSlices(t *testing.T) {
	opcodes := strings.Repeat("]", 41)
	for k := 0; k < 40; k++ {
		opcodes += string([]byte{'q', byte(k), 'a', 'h', byte(k), 'a'})
	}
	object := value[any](t)(fileOfPickle(t, opcodes).Object())
	for k := 0; k < 40; k++ {
		pair := object.([]any)
		if len(pair) != 2 {
			t.Fatalf("list %d has %d items", k, len(pair))
		}
		first, second := pair[0].([]any), pair[1].([]any)
		if len(first) > 0 && &first[0] != &second[0] {
			t.Fatalf("list %d holds two slices", k)
		}
		object = second
	}
}

func TestNamesWithNULAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	x := floats(t, []float32{1})
	wantError(t, mt.Save(path, map[string]*mt.Tensor{"a\x00one": x, "a\x00two": x}), mt.ValueError,
		`a text must not contain NUL: "a\x00one"`)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a file", err)
	}
	options := mt.SaveOptions{Metadata: map[string]string{"author": "\x00"}}
	wantError(t, mt.Save(path, map[string]*mt.Tensor{"a": x}, options), mt.ValueError, `a text must not contain NUL: "\x00"`)
	if err := mt.Save(path, map[string]*mt.Tensor{"a": x}); err != nil {
		t.Fatal(err)
	}
	_, err := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(path)).Get("a\x00one")
	wantError(t, err, mt.ValueError, `a text must not contain NUL: "a\x00one"`)
	_, err = mt.OpenCheckpoint(path + "\x00")
	if !errors.Is(err, mt.ValueError) {
		t.Error(err)
	}
	_, err = mt.ParseDevice("cpu\x00")
	wantError(t, err, mt.ValueError, `a text must not contain NUL: "cpu\x00"`)
	_, err = mt.Call("add\x00", "Tensor", x, x)
	wantError(t, err, mt.ValueError, `a text must not contain NUL: "add\x00"`)
}

func TestACheckpointIsClosedDuringReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := mt.Save(path, map[string]*mt.Tensor{"x": floats(t, []float32{1, 2})}); err != nil {
		t.Fatal(err)
	}
	for round := 0; round < 50; round++ {
		checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(path))
		var readers sync.WaitGroup
		var last [4]error
		for i := range last {
			readers.Add(1)
			go func(i int) {
				defer readers.Done()
				for last[i] == nil {
					_, last[i] = checkpoint.At(0)
				}
			}(i)
		}
		checkpoint.Close()
		readers.Wait()
		for _, err := range last {
			wantError(t, err, mt.ValueError, "the checkpoint is closed")
		}
		checkpoint.Close()
		_, err := checkpoint.All()
		wantError(t, err, mt.ValueError, "the checkpoint is closed")
	}
}
