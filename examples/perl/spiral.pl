# Trains a network of two layers on three spirals through MindTorch's module for Perl, SWIG's wrapper of the C ABI.
use strict;
use warnings;
use MindTorch;

my ($ARMS, $POINTS, $HIDDEN, $STEPS) = (3, 100, 64, 400);

sub make_spirals {
    my (@xy, @labels);
    for my $arm (0 .. $ARMS - 1) {
        for my $i (0 .. $POINTS - 1) {
            my $radius = ($i + 1) / $POINTS;
            my $angle = $arm * 2 * atan2(0, -1) / $ARMS + 4 * $radius + 0.1 * sin(37.0 * $i);
            push @xy, $radius * cos($angle), $radius * sin($angle);
            push @labels, $arm;
        }
    }
    my $count = $ARMS * $POINTS;
    return (MindTorch::tensor_from_doubles(\@xy, [$count, 2], $MindTorch::MT_FLOAT32),
        MindTorch::tensor_from_doubles(\@labels, [$count], $MindTorch::MT_INT64));
}

sub make_parameter {
    my ($factory, $sizes, $scale) = @_;
    my $tensor = MindTorch::call('mul', 'Scalar', MindTorch::call($factory, '', $sizes), $scale // 1.0);
    MindTorch::tensor_set_requires_grad($tensor, 1);
    return $tensor;
}

sub forward {
    my ($x, $weight1, $bias1, $weight2, $bias2) = @_;
    my $hidden = MindTorch::call('tanh', '', MindTorch::call('linear', '', $x, $weight1, $bias1));
    return MindTorch::call('linear', '', $hidden, $weight2, $bias2);
}

sub descend {
    my ($rate, @parameters) = @_;
    MindTorch::mode_set($MindTorch::MT_MODE_GRAD, 0);
    for my $parameter (@parameters) {
        MindTorch::call('add_', 'Tensor', $parameter, MindTorch::tensor_grad($parameter), { alpha => -$rate });
        MindTorch::tensor_set_grad($parameter, undef);
    }
    MindTorch::mode_set($MindTorch::MT_MODE_GRAD, 1);
}

sub accuracy {
    my ($logits, $labels) = @_;
    my $hits = MindTorch::call('eq', 'Tensor', MindTorch::call('argmax', '', $logits, 1), $labels);
    return MindTorch::tensor_item(MindTorch::call('sum', '', $hits)) / ($ARMS * $POINTS);
}

printf "mindtorch %s, ABI %d, %d threads\n", MindTorch::version(), MindTorch::abi_version(), MindTorch::threads_get();
my ($x, $labels) = make_spirals();
MindTorch::generator_seed(MindTorch::generator_default(), 7);
my @parameters = (
    make_parameter('randn', [$HIDDEN, 2]), make_parameter('zeros', [$HIDDEN]),
    make_parameter('randn', [$ARMS, $HIDDEN], 0.125), make_parameter('zeros', [$ARMS]));
for my $step (1 .. $STEPS) {
    my $logits = forward($x, @parameters);
    my $loss = MindTorch::call('cross_entropy_loss', '', $logits, $labels);
    MindTorch::backward($loss);
    descend(1.0, @parameters);
    next unless $step == 1 || $step % 100 == 0;
    printf "step %d: loss %.6f, accuracy %.4f\n", $step, MindTorch::tensor_item($loss), accuracy($logits, $labels);
}

eval { MindTorch::call('add', 'Tensor', $x, $labels); 1 } or do {
    print $@->kind, ': ', $@->message, "\n";
};
