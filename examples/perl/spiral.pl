# Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
use strict;
use warnings;
use File::Temp;
use MindTorch;

my ($ARMS, $POINTS, $HIDDEN, $STEPS) = (3, 100, 64, 400);

sub make_spirals {
    my (@xy, @labels);
    for my $arm (0 .. $ARMS - 1) {
        for my $i (0 .. $POINTS - 1) {
            my $radius = ($i + 1) / $POINTS;
            my $angle = $arm * 2 * atan2(0, -1) / $ARMS + 4 * $radius + 0.1 * sin(37.0 * $i);
            push @xy, [$radius * cos($angle), $radius * sin($angle)];
            push @labels, $arm;
        }
    }
    return (MindTorch::tensor(\@xy), MindTorch::tensor(\@labels, dtype => 'int64'));
}

sub forward {
    my ($x, $net) = @_;
    return $x->linear(@$net{qw(0.weight 0.bias)})->tanh->linear(@$net{qw(2.weight 2.bias)});
}

# One step of gradient descent.
sub descend {
    my ($net, $rate) = @_;
    MindTorch::no_grad(sub {
        for my $weight (values %$net) {
            $weight->add_($weight->grad, { alpha => -$rate });
            $weight->set_grad(undef);
        }
    });
}

printf "mindtorch %s, ABI %d, %d threads\n", MindTorch::version(), MindTorch::abi_version(), MindTorch::threads_get();
my ($x, $labels) = make_spirals();
MindTorch::manual_seed(7);
my %net = (
    '0.weight' => MindTorch::randn([$HIDDEN, 2]),
    '0.bias' => MindTorch::zeros([$HIDDEN]),
    '2.weight' => MindTorch::randn([$ARMS, $HIDDEN]) * 0.125,
    '2.bias' => MindTorch::zeros([$ARMS]),
);
$_->requires_grad_ for values %net;
for my $step (1 .. $STEPS) {
    my $logits = forward($x, \%net);
    my $loss = $logits->cross_entropy_loss($labels);
    $loss->backward;
    descend(\%net, 1);
    next unless $step == 1 || $step % 100 == 0;
    my $hits = $logits->argmax(1)->eq($labels)->sum->item;
    printf "step %d: loss %.6f, accuracy %.4f\n", $step, $loss->item, $hits / $labels->numel;
}

my $file = File::Temp->new;
MindTorch::save($file->filename, \%net);
my $loaded = MindTorch::load($file->filename);
print "loaded @{[sort keys %$loaded]}, ", forward($x, $loaded) == forward($x, \%net) ? 'equal' : 'different', "\n";

eval { $x->add($labels); 1 } or print $@->kind, ': ', $@->message, "\n";
