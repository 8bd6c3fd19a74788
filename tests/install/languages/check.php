<?php
// What expected.txt lists, in PHP, through SWIG's functions alone: `call` is the program's own.

function call($name, $overload, $arguments, $named = []) {
    $values = new Values();
    foreach ($arguments as $argument) {
        box($values, $argument);
    }
    foreach ($named as $key => $argument) {
        box($values, $argument);
        $values->name($key);
    }
    $results = dispatch($name, $overload, $values);
    $found = [];
    for ($i = 0; $i < $results->size(); $i++) {
        $found[] = unbox($results, $i);
    }
    return count($found) == 1 ? $found[0] : $found;
}

function box($values, $argument) {
    if (is_null($argument)) {
        $values->add_none();
    } elseif (is_int($argument)) {
        $values->add_int($argument);
    } elseif (is_float($argument)) {
        $values->add_double($argument);
    } elseif (is_bool($argument)) {
        $values->add_bool($argument);
    } elseif (is_string($argument)) {
        $values->add_string($argument);
    } elseif (!is_array($argument)) {
        $values->add_tensor($argument);
    } elseif ($argument === array_filter($argument, 'is_int')) {
        $values->add_ints($argument);
    } else {
        $tensors = new Tensors();
        foreach ($argument as $tensor) {
            $tensors->add($tensor);
        }
        $values->add_tensors($tensors);
    }
}

function unbox($results, $index) {
    switch ($results->tag($index)) {
        case MT_TAG_TENSOR:
            return $results->get_tensor($index);
        case MT_TAG_BOOL:
            return $results->get_bool($index);
        case MT_TAG_TENSORS:
            $tensors = $results->get_tensors($index);
            return array_map(fn ($i) => $tensors->get($i), range(0, $tensors->size() - 1));
    }
    return $results->get_int($index);
}

function tensor($elements, $dtype) {
    return tensor_from_doubles($elements, [count($elements)], $dtype);
}

function text($tensor) {
    return implode(' ', tensor_to_doubles($tensor));
}

function failing($action) {
    try {
        $action();
        return 'nothing';
    } catch (Exception $error) {
        return $error->getMessage();
    }
}

function bytes() {
    return allocator_get_stats()->allocated_bytes;
}

$x = tensor([1, 2, 3, 4.5], MT_FLOAT32);
echo 'cat ', text(call('cat', '', [[$x, $x], 0])), "\n";
echo 'max ', implode(' ', array_map('text', call('max', 'dim', [$x, 0]))), "\n";
echo 'split ', implode(' | ', array_map('text', call('split', 'Tensor', [$x, 2]))), "\n";
echo 'floor ', text(call('div', 'Tensor_mode', [$x, call('full', '', [[4], 2.0])], ['rounding_mode' => 'floor'])), "\n";
echo 'clamp ', text(call('clamp', '', [$x, null, 3])), "\n";
$ends = tensor([0, 3], MT_INT64);
echo 'index ', text(call('index', 'Tensor', [call('stack', '', [[$x, $x], 1]), [$ends, call('zeros_like', '', [$ends])]])), "\n";
$zeros = call('zeros', '', [[2]], ['dtype' => 'float64']);
echo 'dtypes ', tensor_get_info($zeros)->dtype, ' ',
    call('result_type', 'Tensor', [$x, call('zeros', '', [[2]], ['dtype' => MT_FLOAT64])]), "\n";
echo 'equal ', (int) call('equal', '', [$x, $x]), ' ', (int) call('equal', '', [$x, call('neg', '', [$x])]), "\n";
echo 'empty ', text(call('sum', 'dim_IntList', [$x, [], false])), "\n";
$device = device_parse('npu:3');
echo "device $device->type $device->index\n";
$values = new Values();
$values->add_int(9007199254740993);
echo 'whole ', $values->get_int(0), "\n";
$packed = tensor_from_bytes(pack('d*', 1.5, 2.5), [2], MT_FLOAT64);
echo 'bytes ', implode(' ', unpack('d*', tensor_to_bytes($packed))), "\n";

tensor_set_requires_grad($x, 1);
$queue = new GradientQueue();
$queue->watch($x);
backward(call('sum', '', [call('mul', 'Tensor', [$x, $x])]));
echo 'gradient ', text(tensor_grad($x)), "\n";
echo 'seen ', text($queue->poll()), "\n";
echo 'none ', (int) (is_null($queue->poll()) && is_null(tensor_grad(call('neg', '', [$x])))), "\n";

echo 'error ', failing(fn () => call('add', 'Tensor', [$x, call('ones', '', [[2]])])), "\n";
echo 'status ', failing(fn () => mt_tensor_set_requires_grad($ends, 1)), "\n";
echo 'index ', failing(fn () => call('unsqueeze', '', [$x, 7])), "\n";
echo 'keyword ', failing(fn () => call('zeros', '', [[2]], ['dtyp' => 6])), "\n";
echo 'null ', failing(fn () => tensor_sizes(null)), "\n";
$before = bytes();
for ($i = 0; $i < 100; $i++) {
    call('zeros', '', [[100000]]);
}
echo 'released ', (int) (bytes() - $before < 10000000), "\n";
