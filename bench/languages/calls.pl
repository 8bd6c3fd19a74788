# What calls from Perl cost: prints `name seconds`, as calls.c does.
use strict;
use warnings;
use MindTorch;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

sub measure {
    my ($name, $repeats, $rounds, $call) = @_;
    my $best = 9e9;
    $call->();
    for (1 .. $rounds) {
        my $begun = clock_gettime(CLOCK_MONOTONIC);
        $call->() for 1 .. $repeats;
        my $took = (clock_gettime(CLOCK_MONOTONIC) - $begun) / $repeats;
        $best = $took if $took < $best;
    }
    printf "%s %.9f\n", $name, $best;
}

my ($x, $y) = (MindTorch::tensor([1]), MindTorch::tensor([1]));
my $square = MindTorch::ones([1024, 1024]);
my $packed = pack 'd*', (0) x 1_000_000;
my $numbers = MindTorch::from_bytes($packed, [1_000_000], 'float64');
measure('add', 500, 400, sub { my $z = $x->add($y) });
measure('mm', 1, 10, sub { my $z = $square->mm($square) });
measure('in', 1, 20, sub { my $z = MindTorch::from_bytes($packed, [1_000_000], 'float64') });
measure('out', 1, 20, sub { my $z = $numbers->to_bytes });
