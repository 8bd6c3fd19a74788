<?php
// An operator, a gradient and an error through SWIG's module for PHP with the generic bindings, for which the program boxes values itself.

function call($name, $overload, ...$tensors) {
    $values = new Values();
    foreach ($tensors as $tensor) {
        $values->add_tensor($tensor);
    }
    return dispatch($name, $overload, $values)->get_tensor(0);
}

function tensor($numbers) {
    $elements = new Doubles();
    foreach ($numbers as $number) {
        $elements->push($number);
    }
    $sizes = new Ints();
    $sizes->push(count($numbers));
    return tensor_from_doubles($elements, $sizes, MT_FLOAT32);
}

function show($name, $tensor) {
    $list = tensor_to_doubles($tensor);
    echo $name;
    for ($i = 0; $i < $list->size(); $i++) {
        echo ' ', $list->get($i);
    }
    echo "\n";
}

$x = tensor([1, 2, 3]);
show('sum', call('add', 'Tensor', $x, tensor([4, 5, 6])));

tensor_set_requires_grad($x, 1);
backward(call('sum', '', call('mul', 'Tensor', $x, $x)));
show('gradient', tensor_grad($x));

try {
    call('add', 'Tensor', $x, tensor([1, 1]));
} catch (Exception $error) {
    echo $error->getMessage(), "\n";
}
