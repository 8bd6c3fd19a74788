# An operator, a gradient and an error through MindTorch's module for Perl.
use strict;
use warnings;
use MindTorch;

sub show {
    my ($name, $tensor) = @_;
    print join(' ', $name, map { sprintf '%g', $_ } @{ MindTorch::tensor_to_doubles($tensor) }), "\n";
}

my $x = MindTorch::tensor_from_doubles([1, 2, 3], [3], $MindTorch::MT_FLOAT32);
my $y = MindTorch::tensor_from_doubles([4, 5, 6], [3], $MindTorch::MT_FLOAT32);
show('sum', MindTorch::call('add', 'Tensor', $x, $y, { alpha => 1 }));

MindTorch::tensor_set_requires_grad($x, 1);
MindTorch::backward(MindTorch::call('sum', '', MindTorch::call('mul', 'Tensor', $x, $x)));
show('gradient', MindTorch::tensor_grad($x));

eval { MindTorch::call('add', 'Tensor', $x, MindTorch::call('ones', '', [2])) };
print $@->kind, ': ', $@->message, "\n";
