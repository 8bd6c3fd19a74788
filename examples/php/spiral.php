<?php
// Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
require getenv('MINDTORCH_PHP') . '/mindtorch.php'; // or composer's vendor/autoload.php

use MindTorch\Torch;

const ARMS = 3, POINTS = 100, HIDDEN = 64, STEPS = 400;

function makeSpirals(): array
{
    $xy = $labels = [];
    for ($arm = 0; $arm < ARMS; $arm++) {
        for ($i = 0; $i < POINTS; $i++) {
            $radius = ($i + 1) / POINTS;
            $angle = $arm * 2 * M_PI / ARMS + 4 * $radius + 0.1 * sin(37 * $i);
            $xy[] = [$radius * cos($angle), $radius * sin($angle)];
            $labels[] = $arm;
        }
    }
    return [Torch::tensor($xy), Torch::tensor($labels)];
}

function forward(Tensor $x, array $net): Tensor
{
    return $x->linear($net['0.weight'], $net['0.bias'])->tanh()->linear($net['2.weight'], $net['2.bias']);
}

// One step of gradient descent: the loss and the accuracy before it.
function descend(array $net, Tensor $x, Tensor $labels, float $rate): array
{
    $logits = forward($x, $net);
    $loss = $logits->cross_entropy_loss($labels);
    $loss->backward();
    Torch::noGrad(function () use ($net, $rate) {
        foreach ($net as $weight) {
            $weight->add_($weight->grad(), alpha: -$rate);
            $weight->setGrad(null);
        }
    });
    return [$loss->item(), $logits->argmax(1)->eq($labels)->sum()->item() / count($labels)];
}

echo 'mindtorch ', version(), "\n";
[$x, $labels] = makeSpirals();
Torch::manualSeed(7);
$net = [
    '0.weight' => Torch::randn([HIDDEN, 2]),
    '0.bias' => Torch::zeros([HIDDEN]),
    '2.weight' => Torch::randn([ARMS, HIDDEN]) * 0.125,
    '2.bias' => Torch::zeros([ARMS]),
];
array_map(Torch::requireGrad(...), $net);
for ($step = 1; $step <= STEPS; $step++) {
    [$loss, $accuracy] = descend($net, $x, $labels, 1);
    if ($step === 1 || $step % 100 === 0) {
        printf("step %d: loss %.6f, accuracy %.4f\n", $step, $loss, $accuracy);
    }
}

$file = tempnam(sys_get_temp_dir(), 'spiral');
Torch::save($file, $net);
echo 'loaded ', implode(' ', array_keys(Torch::load($file))), "\n";
unlink($file);

try {
    $x + $labels;
} catch (MindTorch\Error $error) {
    echo $error->kind, ': ', $error->getMessage(), "\n";
}
