<?php
// Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.

function operate($name, $add) {
    $values = new Values();
    $add($values);
    return dispatch($name, '', $values)->get_tensor(0);
}

function ones() {
    return operate('ones', fn ($values) => $values->add_ints([10000000]));
}

for ($i = 0; $i < 200; $i++) {
    $tensor = ones();
    operate('narrow', function ($values) use ($tensor) {
        $values->add_tensor($tensor);
        foreach ([0, 0, 10] as $number) {
            $values->add_int($number);
        }
    });
}
unset($tensor);
$leaf = ones();
tensor_set_requires_grad($leaf, 1);
for ($i = 0; $i < 50; $i++) {
    $grown = operate('exp', fn ($values) => $values->add_tensor($leaf));
    operate('sum', fn ($values) => $values->add_tensor($grown));
}
preg_match('/VmHWM:\s+(\d+)/', file_get_contents('/proc/self/status'), $found);
echo intdiv((int) $found[1], 1024), "\n";
