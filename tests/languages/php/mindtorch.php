<?php
// The package for PHP. Numbers and texts of errors are torch 2.13's, unless a comment names another origin.

require getenv('MINDTORCH_PHP') . '/mindtorch.php';

use MindTorch\Error;
use MindTorch\Torch;

$passed = $failed = $skipped = 0;

function equals(string $name, mixed $found, mixed $expected): void
{
    global $passed, $failed;
    if ($found === $expected) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAILED: $name: ", json_encode($found), ' instead of ', json_encode($expected), "\n";
}

function fails(string $name, callable $action, string $kind, string $text): void
{
    try {
        $action();
        equals($name, 'no error', $kind);
    } catch (Error $error) {
        equals($name, [$error->kind, str_contains($error->getMessage(), $text) ? $text : $error->getMessage()], [$kind, $text]);
    }
}

$x = Torch::tensor([[1.0, 2.0], [3.0, 4.0]]);
equals('nested arrays have sizes', Torch::shape($x), [2, 2]);
equals('floats are float32', Torch::dtype($x), 'float32');
equals('integers are int64', Torch::dtype(Torch::tensor([1, 2])), 'int64');
equals('booleans are bool', Torch::toArray(Torch::tensor([true, false])), [true, false]);
equals('a dtype may be named', Torch::dtype(Torch::tensor([1], dtype: 'float64')), 'float64');
fails('arrays of different sizes are refused', fn () => Torch::tensor([[1], [2, 3]]), 'ValueError', 'different sizes');
equals('packed elements go in', Torch::toArray(Torch::fromBytes(pack('f*', 1.5, 2.5), [2], 'float32')), [1.5, 2.5]);
equals('and out', unpack('f*', tensor_to_bytes($x)), [1 => 1.0, 2.0, 3.0, 4.0]);
equals('64-bit integers are exact', Torch::item(Torch::tensor(9007199254740993)), 9007199254740993);
equals('a tensor has a text', Torch::text($x), 'tensor float32 [2,2]: [[1,2],[3,4]]');

equals('what Torch has for tensors is a method', [$x->shape(), $x->dtype(), $x->sum()->item(), $x->toArray()],
    [[2, 2], 'float32', 10.0, [[1.0, 2.0], [3.0, 4.0]]]);
equals('a tensor is a text', "$x", 'tensor float32 [2,2]: [[1,2],[3,4]]');
equals('and a number, if it has one element', [(float) $x->sum(), (int) $x->sum(), sprintf('%.1f', $x->mean())], [10.0, 10, '2.5']);
fails('but not with several', fn () => (float) $x, 'RuntimeError', 'a Tensor with 4 elements cannot be converted to Scalar');
$seen = [];
foreach ($x as $i => $row) {
    foreach ($row as $element) {
        $seen[] = [$i, $element->item()];
    }
}
equals('foreach has the rows', $seen, [[0, 1.0], [0, 2.0], [1, 3.0], [1, 4.0]]);
fails('which a number has not', function () use ($x) {
    foreach ($x->sum() as $row) {
        throw new LogicException('never');
    }
}, 'TypeError', 'iteration over a 0-d tensor');
fails('words are no elements', fn () => Torch::tensor([1.0, 'a']), 'TypeError', 'numbers or booleans, not string');
fails('nor is null', fn () => Torch::tensor(null), 'TypeError', 'numbers or booleans, not null');
fails('a keyword has a name', fn () => Torch::zeros(2, 3), 'TypeError', 'zeros() takes 1 positional argument(s) but 2 was/were given');
fails('an unknown dtype is refused', fn () => $x->to('double'), 'TypeError', 'there is no dtype double');

equals('the arguments select the overload', Torch::item($x->sum()), 10.0);
equals('also by name', Torch::toArray($x->sum([1], keepdim: true)), [[3.0], [7.0]]);
equals('an operator is a function', Torch::toArray(Torch::cat([$x, $x], dim: 1)), [[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]);
equals('several results are an array', array_map(Torch::toArray(...), $x->max(1)), [[2.0, 4.0], [1, 1]]);
equals('null is none', Torch::toArray($x->clamp(null, 2)), [[1.0, 2.0], [2.0, 2.0]]);
equals('a number stands for a list of one', Torch::shape(Torch::zeros(3)), [3]);
equals('a boolean is a boolean', Torch::equal($x, $x), true);
equals('call names the overload', Torch::toArray(Torch::call('add', 'Tensor', $x, $x, alpha: 2)), [[3.0, 6.0], [9.0, 12.0]]);

equals('a number on the left of -', Torch::toArray(2 - $x), [[1.0, 0.0], [-1.0, -2.0]]);
equals('a number on the left of /', Torch::toArray(12 / $x), [[12.0, 6.0], [4.0, 3.0]]);
equals('a number on the left of **', Torch::toArray(2 ** $x), [[2.0, 4.0], [8.0, 16.0]]);
equals('a number on the left of %', Torch::toArray(7 % $x), [[0.0, 1.0], [1.0, 3.0]]);
equals('arithmetic', Torch::toArray(-$x + $x * 2 - $x / 2), [[0.5, 1.0], [1.5, 2.0]]);
$y = $x;
$y += 1;
equals('+= makes a new tensor', [Torch::toArray($y), Torch::toArray($x)], [[[2.0, 3.0], [4.0, 5.0]], [[1.0, 2.0], [3.0, 4.0]]]);
equals('== compares all elements', [$x == $x->clone(), $x == $y, $x != $y], [true, false, true]);

$z = Torch::arange(24)->reshape([4, 6]);
equals('an index selects', Torch::item($z[1][-1]), 11);
equals('a range is a view', Torch::toArray($z[[1, 3]]->select(1, 0)), [6, 12]);
equals('a tensor is a mask', Torch::toArray($z[$z->gt(21)]), [22, 23]);
$z[0][[0, 2]] = 9;
equals('a part is assigned', Torch::toArray($z[0]), [9, 9, 2, 3, 4, 5]);
equals('count is the number of rows', count($z), 4);

fails("an error has torch's text", fn () => $x + Torch::ones([3]), 'RuntimeError',
    'The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1');
fails('and kind', fn () => $x->unsqueeze(7), 'IndexError', 'Dimension out of range (expected to be in range of [-3, 2], but got 7)');
fails('an unknown operator', fn () => $x->nonsense(), 'RuntimeError', 'nonsense');
fails('an object is no argument', fn () => $x->add(new stdClass()), 'TypeError', 'stdClass');

$leaf = Torch::tensor([1.0, 2.0, 3.0], requiresGrad: true);
Torch::backward(($leaf * $leaf)->sum());
equals('backward accumulates', Torch::toArray(Torch::grad($leaf)), [2.0, 4.0, 6.0]);
Torch::setGrad($leaf, null);
equals('a gradient is cleared', Torch::grad($leaf), null);
$alone = Torch::noGrad(fn () => $leaf * 2);
fails('noGrad records nothing', fn () => Torch::backward($alone->sum()), 'RuntimeError', 'does not require grad');

$leaf = Torch::tensor([1.0, 2.0])->requireGrad();
($leaf * $leaf)->sum()->backward();
equals('gradients have methods too', $leaf->grad()->toArray(), [2.0, 4.0]);
$leaf->setGrad(null);
$leaf->removeHook($leaf->onGradient(fn ($gradient) => throw new LogicException('never')));
($leaf * 2)->sum()->backward();
equals('and hooks', $leaf->grad()->toArray(), [2.0, 2.0]);

$leaf = Torch::tensor([1.0, 2.0, 3.0], requiresGrad: true);
$seen = null;
Torch::onGradient($leaf, function ($gradient) use (&$seen) {
    $seen = Torch::toArray($gradient);
    return $gradient * 10;
});
Torch::backward(($leaf * $leaf)->sum());
equals('a hook sees the gradient', $seen, [2.0, 4.0, 6.0]);
equals('and replaces it', Torch::toArray(Torch::grad($leaf)), [20.0, 40.0, 60.0]);
$leaf = Torch::tensor(1.0, requiresGrad: true);
Torch::onGradient($leaf, fn ($gradient) => 'seen');
Torch::removeHook($leaf, Torch::onGradient($leaf, fn ($gradient) => throw new LogicException('never')));
Torch::backward($leaf * 2);
equals('what is no tensor leaves it, and a removed hook is not called', Torch::item(Torch::grad($leaf)), 2.0);
$leaf = Torch::tensor(1.0, requiresGrad: true);
Torch::onGradient($leaf, fn ($gradient) => throw new LogicException('mine'));
fails('the exception of a hook is that of backward', fn () => Torch::backward($leaf * 2), 'RuntimeError', 'mine');

Torch::define('tests::cube(Tensor x) -> Tensor', fn ($x) => $x * $x * $x);
$leaf = Torch::tensor([1.0, 2.0], requiresGrad: true);
$cubes = Torch::call('tests::cube', '', $leaf);
Torch::backward($cubes->sum());
equals('an operator in PHP', Torch::toArray($cubes->detach()), [1.0, 8.0]);
equals('whose own operators are differentiated', Torch::toArray(Torch::grad($leaf)), [3.0, 12.0]);
Torch::define(
    'tests::scale(Tensor x, float by, int[] sizes) -> Tensor',
    fn ($x, $by, $sizes) => ($x->detach() * $by)->reshape($sizes),
    fn ($gradients, $arguments, $results) => [$gradients[0]->flatten() * $arguments[1] * 100, null, null],
);
Torch::setGrad($leaf, null);
Torch::backward(Torch::call('tests::scale', '', $leaf, 3.0, sizes: [2, 1])->sum());
equals('or that has a derivative', Torch::toArray(Torch::grad($leaf)), [300.0, 300.0]);
Torch::define('tests::broken(Tensor x) -> Tensor', fn ($x) => 7);
fails('a result of another type is refused', fn () => Torch::call('tests::broken', '', $x), 'TypeError', 'the type of the schema');
Torch::define('tests::failing(Tensor x) -> Tensor', fn ($x) => $x->unsqueeze(9));
fails('an error in it keeps its kind', fn () => Torch::call('tests::failing', '', $x), 'IndexError', 'Dimension out of range');

Torch::manualSeed(0);
equals("random numbers are torch's for the seed", abs(Torch::item(Torch::rand([1])) - 0.4962566) < 1e-6, true);

foreach (['safetensors', 'torch'] as $format) {
    $path = tempnam(sys_get_temp_dir(), 'mindtorch');
    Torch::save($path, ['weight' => $x, 'bias' => Torch::zeros([2])], $format);
    $loaded = Torch::load($path);
    unlink($path);
    ksort($loaded);
    equals("$format keeps names", array_keys($loaded), ['bias', 'weight']);
    equals("$format keeps elements", $loaded['weight'] == $x, true);
}
fails('an absent file', fn () => Torch::load('/absent'), 'RuntimeError', 'No such file');
// The file is what ../torch_checkpoint.py writes with real torch.
if ($path = getenv('MINDTORCH_TORCH_CHECKPOINT')) {
    $loaded = Torch::load($path);
    equals('a checkpoint of real torch is read', array_keys($loaded), ['model.weight', 'model.bias', 'half']);
    equals('with its elements', Torch::toArray($loaded['model.weight']), [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
    equals('of any dtype', Torch::toArray($loaded['half']), [1.5, -2.0]);
} else {
    echo "SKIPPED: a checkpoint of real torch (MINDTORCH_TORCH_CHECKPOINT is not set)\n";
    $skipped = 3;
}

for ($i = 0; $i < 200; $i++) {
    Torch::ones([10000000])->narrow(0, 0, 10);
}
preg_match('/VmHWM:\s+(\d+)/', file_get_contents('/proc/self/status'), $peak);
equals('200 dropped tensors of 40 MB stay below 600 MB', (int) $peak[1] < 600 * 1024, true);
echo "$passed $failed $skipped\n";
