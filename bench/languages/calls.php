<?php
// What calls from PHP cost: prints `name seconds`, as calls.c does.

declare(strict_types=1);

require getenv('MINDTORCH_PHP') . '/mindtorch.php';

use MindTorch\Torch;

function measure(string $name, int $repeats, int $rounds, callable $call): void
{
    $best = INF;
    $call();
    for ($round = 0; $round < $rounds; $round++) {
        $begun = hrtime(true);
        for ($i = 0; $i < $repeats; $i++) {
            $call();
        }
        $best = min($best, (hrtime(true) - $begun) / 1e9 / $repeats);
    }
    printf("%s %.9f\n", $name, $best);
}

$x = Torch::tensor([1.0]);
$y = Torch::tensor([1.0]);
$square = Torch::ones([1024, 1024]);
$packed = str_repeat(pack('d', 0), 1000000);
$numbers = Torch::fromBytes($packed, [1000000], 'float64');
measure('add', 500, 400, fn () => $x->add($y));
measure('mm', 1, 10, fn () => $square->mm($square));
measure('in', 1, 20, fn () => Torch::fromBytes($packed, [1000000], 'float64'));
measure('out', 1, 20, fn () => tensor_to_bytes($numbers));
