% The package for Octave. Numbers and texts of errors are torch 2.13's, unless a comment names another origin.
pkg load mindtorch
1;  % a script that begins with functions

global counts = [0 0 0];
function is_true (name, value)
  global counts;
  if (islogical (value) && isscalar (value) && value)
    counts(1) += 1;
  else
    counts(2) += 1;
    printf ("FAILED: %s: %s\n", name, strtrim (disp (value)));
  endif
endfunction
function equals (name, value, expected)
  if (isequal (value, expected) && strcmp (class (value), class (expected)))
    is_true (name, true);
  else
    is_true (name, [class(value) " " strtrim(disp (value))]);
  endif
endfunction
function fails (name, call, identifier, text)
  try
    call ();
    is_true (name, "no error");
  catch problem
    if (strcmp (problem.identifier, identifier) && ! isempty (strfind (problem.message, text)))
      is_true (name, true);
    else
      is_true (name, [problem.identifier " " problem.message]);
    endif
  end_try_catch
endfunction

x = torch.tensor ([1 2; 3 4]);
equals ("a matrix keeps its rows and columns", double (x), [1 2; 3 4]);
equals ("its elements are stored by row", double (x.flatten ()), [1; 2; 3; 4]);
equals ("doubles are float32", x.dtype, "float32");
equals ("whose array is single", x.array (), single ([1 2; 3 4]));
equals ("a dtype may be named", torch.tensor ([1 2], "dtype", "float64").array (), [1 2]);
for name = {"int8", "int16", "int32", "int64", "uint8", "logical", "single"}
  value = feval (name{1}, [0 1 1]);
  equals ([name{1} " comes back"], torch.tensor (value).array (), value);
endfor
equals ("int64 is exact", torch.tensor (int64 (9007199254740993)).array (), int64 (9007199254740993));
equals ("so is an item", torch.tensor (int64 (9007199254740993)).item (), int64 (9007199254740993));
equals ("complex values are complex64", torch.tensor ([1+2i, -1i]).array (), single ([1+2i, -1i]));
cube = reshape (1:24, [2 3 4]);
equals ("an array of three dimensions comes back", double (torch.tensor (cube)), cube);
equals ("a range is an array", double (torch.tensor (1:3)), [1 2 3]);
equals ("a number has no dimensions", torch.tensor (7).shape, zeros (1, 0));
equals ("size, numel and ndims are Octave's", {size(x), numel(x), ndims(torch.tensor (cube))}, {[2 2], 4, 3});
equals ("a vector of torch's is a column", size (torch.ones (3)), [3 1]);
equals ("bytes go in", torch.from_bytes (typecast ([1.5 2.5], "uint8"), 2, "float64").array (), [1.5; 2.5]);

equals ("the arguments select the overload", double (x.sum (1, "keepdim", true)), [3; 7]);
equals ("an operator is a function of torch", size (torch.cat ({x, x}, 1)), [2 4]);
equals ("an argument by name", double (x.add (x, "alpha", 3)), [4 8; 12 16]);
equals ("names in a struct", double (x.add (x, struct ("alpha", 3))), [4 8; 12 16]);
equals ("strings that are no names are arguments", double (torch.einsum ("ij,jk->ik", {x, x})), [7 10; 15 22]);
[values, places] = x.max (1);
equals ("several results", {double(values), double(places)}, {[2; 4], [1; 1]});
equals ("of which the first may be enough", double (x.max (1)), [2; 4]);
equals ("a list of tensors is a cell array", cellfun (@(part) double (part.sum ()), torch.split (x, 1)), [3 7]);
equals ("[] is none", double (x.clamp ([], 2)), [1 2; 2 2]);
equals ("{} is a list without elements", torch.zeros ({}).shape, zeros (1, 0));
equals ("a number stands for a list of one", torch.zeros (3).shape, 3);
equals ("dtypes are names", torch.zeros ([2 3], "dtype", "float64").dtype, "float64");
equals ("a result that is a dtype is its name", torch.result_type (x, 2.5), "float32");
equals ("whole doubles are integers", torch.full (1, 2).dtype, "int64");
equals ("singles never are", torch.full (1, single (2)).dtype, "float32");
equals ("a boolean is a boolean", torch.equal (x, x), true);
equals ("an overload by its name", double (torch.call ("add", "Tensor", x, x)), [2 4; 6 8]);
equals ("methods are called in turn", x.t ().sum (0).shape, 2);

equals ("* is the product of matrices", double (x * x), [7 10; 15 22]);
equals (".* is the elements'", double (x .* x), [1 4; 9 16]);
equals ("numbers on both sides", double (2 - x * 3 + x / 2), [-0.5 -3; -5.5 -8]);
equals ("a number on the left of ./", double (12 ./ x), [12 6; 4 3]);
equals ("a number on the left of .^", double (2 .^ x), [2 4; 8 16]);
equals ("an array beside a tensor", double (x + [10 20; 30 40]), [11 22; 33 44]);
equals ("keeps the tensor's dtype", (torch.ones (2, "dtype", "float64") + [1; 2]).dtype, "float64");
equals ("^ is a power of the matrix", double (x ^ 2), [7 10; 15 22]);
equals ("a transposed tensor", double (x'), [1 3; 2 4]);
equals ("the conjugate of a transposed one", torch.tensor ([1+2i, 3]).array ()', torch.tensor ([1+2i, 3])'.array ());
is_true ("A \\ b solves", all (abs (double (x \ [1; 1]) - [-1; 1]) < 1e-5));
is_true ("x / A solves", all (abs (double (torch.tensor ([1 1]) / x) - [-0.5 0.5]) < 1e-5));
equals ("comparisons are elements", torch.tensor ([1 2 3]) > 2, torch.tensor ([false false true]));
equals ("! & |", ! (x > 1) & (x < 9) | (x == 4), torch.tensor ([true false; false true]));
x2 = x;
x2 += 1;
equals ("+= makes a new tensor", double (x), [1 2; 3 4]);
equals ("functions of numbers", double (sqrt (torch.tensor ([4 9]))), [2 3]);
equals ("sign and gammaln have others too", double (sign (x) + gammaln (x))(1, :), [1 1]);
fails ("a function that torch lacks", @() cbrt (x), "MindTorch:TypeError", "torch has no function cbrt");
equals ("fix has torch's name trunc", double (fix (torch.tensor (-1.5))), -1);
equals ("sum and mean count dimensions from 1", {double(sum (x)), double(mean (x, 2))}, {[4 6], [1.5; 3.5]});
[largest, place] = max (x, [], 2);
equals ("max and its positions", {double(largest), double(place)}, {[2; 4], [2; 2]});
equals ("max of two", double (max (x, 3)), [3 3; 3 4]);
function answer = as_condition (tensor)
  answer = false;
  if (tensor)
    answer = true;
  endif
endfunction
is_true ("a condition is one element", as_condition (torch.tensor (0.5)));
fails ("and not several", @() as_condition (x), "MindTorch:RuntimeError", "a Tensor with 4 elements cannot be converted to Scalar");

y = torch.arange (24).reshape ([4 6]);
equals ("indices count from 1", double (y(2, 6)), 11);
equals ("dimensions stay", size (y(1, :)), [1 6]);
equals ("ranges and lists", double (y(2:3, [5 6])), [10 11; 16 17]);
equals ("end", double (y(end, end)), 23);
equals ("logical indices", double (y([true false false false], 1:2)), [0 1]);
equals ("one index counts down the columns", double (y([2 5])), [6; 1]);
equals ("x(:) too", double (y(:))(1:3), [0; 6; 12]);
equals ("a mask selects elements", double (y(y > 21)), [22; 23]);
y(1, 1:2) = 9;
equals ("parts are assigned", double (y(1, :)), [9 9 2 3 4 5]);
y(:, 6) = [1 2 3 4];
equals ("also of arrays", double (y(:, 6)), [1; 2; 3; 4]);
y(y > 8) = 0;
equals ("also by a mask", double (y.max ()), 8);
same = y;
same(1) = 50;
equals ("variables share the tensor", double (y(1, 1)), 50);
fails ("an index out of bounds", @() y(5, 1), "MindTorch:IndexError", "index 5 is out of bounds for dimension with size 4");
fails ("too few indices", @() torch.ones ([2 2 2])(1, 1), "MindTorch:IndexError", "a tensor of 3 dimensions requires as many indices, or one");

fails ("an error has torch's text", @() x.add (torch.ones (3)), "MindTorch:RuntimeError", ...
       "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
fails ("and its identifier torch's kind", @() x.unsqueeze (7), "MindTorch:IndexError", ...
       "Dimension out of range (expected to be in range of [-3, 2], but got 7)");
fails ("an operator's error too", @() x + torch.ones (3), "MindTorch:RuntimeError", "The size of tensor a (2) must match");
fails ("an unknown method", @() x.nonsense (), "MindTorch:AttributeError", "'Tensor' object has no attribute 'nonsense'");
fails ("an unknown function", @() torch.nonsense (), "MindTorch:AttributeError", "there is no operator nonsense");
fails ("a function is no argument", @() x.add (@sin), "MindTorch:TypeError", "function_handle");
fails ("a struct array neither", @() x + struct ("a", 1), "MindTorch:TypeError", "struct");

leaf = torch.tensor ([1 2 3], "requires_grad", true);
seen = containers.Map ();
function gradient = note (seen, gradient)
  seen("gradient") = double (gradient);
  gradient = gradient * 10;
endfunction
leaf.on_gradient (@(gradient) note (seen, gradient));
(leaf .* leaf).sum ().backward ();
equals ("a hook sees the gradient", seen("gradient"), [2 4 6]);
equals ("and replaces it", double (leaf.grad), [20 40 60]);
leaf.grad = [];
equals ("a gradient is cleared", leaf.grad, []);
failing = torch.tensor (1, "requires_grad", true);
failing.on_gradient (@(gradient) error ("mine"));
fails ("the error of a hook is that of backward", @() (failing * 2).backward (), "MindTorch:RuntimeError", "mine");
removed = torch.tensor (1, "requires_grad", true);
removed.remove_hook (removed.on_gradient (@(gradient) gradient * 100));
(removed * 2).backward ();
equals ("a removed hook is not called", double (removed.grad), 2);
equals ("no_grad records nothing", torch.no_grad (@() leaf * 2).requires_grad, false);
guard = torch.no_grad ();
equals ("nor does its guard", (leaf * 2).requires_grad, false);
clear guard
equals ("until it is cleared", (leaf * 2).requires_grad, true);
try
  torch.no_grad (@() error ("mine"));
catch
end_try_catch
equals ("an error ends it too", (leaf * 2).requires_grad, true);

torch.define ("tests::cube(Tensor x) -> Tensor", @(x) x .* x .* x);
equals ("an operator written in Octave", double (torch.("tests::cube") (x)), [1 8; 27 64]);
leaf = torch.tensor ([1 2], "requires_grad", true);
torch.("tests::cube") (leaf).sum ().backward ();
equals ("whose own operators are differentiated", double (leaf.grad), [3 12]);
function gradients = scale_gradients (incoming, arguments, results)
  gradients = {incoming{1} * arguments{2} * 100, []};
endfunction
torch.define ("tests::scale(Tensor x, float by) -> Tensor", @(x, by) x.detach () * by, @scale_gradients);
leaf.grad = [];
torch.("tests::scale") (leaf, 3).sum ().backward ();
equals ("or with a derivative of its own", double (leaf.grad), [300 300]);
equals ("by name", double (torch.("tests::scale") (x, "by", 2)), [2 4; 6 8]);
torch.define ("tests::broken(Tensor x) -> Tensor", @(x) 7);
fails ("a result of another type is refused", @() torch.("tests::broken") (x), "MindTorch:TypeError", "the type of the schema");
torch.define ("tests::failing(Tensor x) -> Tensor", @(x) x.unsqueeze (9));
fails ("an error in it keeps its kind", @() torch.("tests::failing") (x), "MindTorch:IndexError", "Dimension out of range");

torch.manual_seed (0);
equals ("random numbers are torch's for the seed", sprintf ("%.6f", torch.rand (1).item ()), "0.496257");
equals ("a tensor has a text", strsplit (disp (torch.tensor ([1 2.5])), "\n"){1}, "Tensor float32 [1 2]");
equals ("and a class", class (x), "Tensor");

for format = {"safetensors", "torch"}
  file = tempname ();
  torch.save (struct ("weight", x, "bias", torch.ones (2)), file, format{1});
  loaded = torch.load (file);
  equals ([format{1} " keeps names"], sort (fieldnames (loaded)), {"bias"; "weight"});
  equals ([format{1} " keeps elements"], double (loaded.weight), [1 2; 3 4]);
  delete (file);
endfor
fails ("an absent file", @() torch.load ("/absent"), "MindTorch:RuntimeError", "No such file");
% The file is what ../torch_checkpoint.py writes with real torch.
checkpoint = getenv ("MINDTORCH_TORCH_CHECKPOINT");
if (! isempty (checkpoint))
  loaded = torch.load (checkpoint);
  equals ("a checkpoint of real torch is read", fieldnames (loaded), {"model.weight"; "model.bias"; "half"});
  equals ("with its elements", double (loaded.("model.weight")), [0 1 2; 3 4 5]);
  equals ("of any dtype", double (loaded.half), [1.5; -2]);
else
  printf ("SKIPPED: a checkpoint of real torch (MINDTORCH_TORCH_CHECKPOINT is not set)\n");
  counts(3) = 3;
endif

for i = 1:200
  torch.ones (10000000).narrow (0, 0, 10);
endfor
leaf = torch.ones (10000000).requires_grad_ ();
for i = 1:50
  leaf.exp ().sum ();
endfor
peak = str2double (regexp (fileread ("/proc/self/status"), 'VmHWM:\s+(\d+)', "tokens"){1}{1}) / 1024;
is_true ("8 GB of dropped tensors and graphs stay below 600 MB", peak < 600);
printf ("%d %d %d\n", counts);
