<?php
// An operator, a gradient and an error through the package for PHP.
require getenv('MINDTORCH_PHP') . '/mindtorch.php'; // or composer's vendor/autoload.php

use MindTorch\Torch;

function show(string $name, Tensor $tensor): void
{
    echo $name, ' ', implode(' ', $tensor->toArray()), "\n";
}

$x = Torch::tensor([1.0, 2.0, 3.0], requiresGrad: true);
$y = Torch::tensor([4.0, 5.0, 6.0]);
show('sum', $x + $y);

($x * $x)->sum()->backward();
show('gradient', $x->grad());

try {
    $x->add(Torch::ones([2]));
} catch (MindTorch\Error $error) {
    echo $error->kind, ': ', $error->getMessage(), "\n";
}
