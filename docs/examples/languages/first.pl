# An operator, a gradient and an error through MindTorch's module for Perl.
use strict;
use warnings;
use MindTorch;

sub show {
    my ($name, $tensor) = @_;
    print join(' ', $name, map { sprintf '%g', $_ } @{ $tensor->to_array }), "\n";
}

my $x = MindTorch::tensor([1, 2, 3], requires_grad => 1);
my $y = MindTorch::tensor([4, 5, 6]);
show('sum', $x + $y);

($x * $x)->sum->backward;
show('gradient', $x->grad);

eval { $x->add(MindTorch::ones([2])); 1 } or print $@->kind, ': ', $@->message, "\n";
