# What expected.txt and expected-hooks.txt list, in Perl.
use strict;
use warnings;
use MindTorch;
no warnings 'once';
*call = \&MindTorch::call;

sub text { join ' ', map { sprintf '%g', $_ } @{ MindTorch::tensor_to_doubles($_[0]) } }
sub bytes { MindTorch::allocator_get_stats()->{allocated_bytes} }
sub failing { my ($code) = @_; eval { $code->(); 1 } ? 'nothing' : $@->kind . ': ' . $@->message }

my $x = MindTorch::tensor_from_doubles([1, 2, 3, 4.5], [4], $MindTorch::MT_FLOAT32);
print 'cat ', text(call('cat', '', [$x, $x], 0)), "\n";
print 'max ', join(' ', map { text($_) } call('max', 'dim', $x, 0)), "\n";
print 'split ', join(' | ', map { text($_) } @{ call('split', 'Tensor', $x, 2) }), "\n";
print 'floor ', text(call('div', 'Tensor_mode', $x, call('full', '', [4], 2.0), { rounding_mode => 'floor' })), "\n";
print 'clamp ', text(call('clamp', '', $x, undef, 3)), "\n";
my $ends = MindTorch::tensor_from_doubles([0, 3], [2], $MindTorch::MT_INT64);
print 'index ', text(call('index', 'Tensor', call('stack', '', [$x, $x], 1), [$ends, call('zeros_like', '', $ends)])), "\n";
my $zeros = call('zeros', '', [2], { dtype => 'float64' });
print 'dtypes ', MindTorch::tensor_get_info($zeros)->{dtype}, ' ',
    call('result_type', 'Tensor', $x, call('zeros', '', [2], { dtype => $MindTorch::MT_FLOAT64 })), "\n";
printf "equal %d %d\n", call('equal', '', $x, $x) ? 1 : 0, call('equal', '', $x, call('neg', '', $x)) ? 1 : 0;
print 'empty ', text(call('sum', 'dim_IntList', $x, [], 0)), "\n";
my $device = MindTorch::device_parse('npu:3');
print "device $device->{type} $device->{index}\n";
my $values = MindTorch::Values->new;
$values->add_int(9007199254740993);
print 'whole ', $values->get_int(0), "\n";
my $packed = MindTorch::tensor_from_bytes(pack('d*', 1.5, 2.5), [2], $MindTorch::MT_FLOAT64);
print "bytes @{[ unpack 'd*', MindTorch::tensor_to_bytes($packed) ]}\n";

MindTorch::tensor_set_requires_grad($x, 1);
my $queue = MindTorch::GradientQueue->new;
$queue->watch($x);
MindTorch::backward(call('sum', '', call('mul', 'Tensor', $x, $x)));
print 'gradient ', text(MindTorch::tensor_grad($x)), "\n";
print 'seen ', text($queue->poll), "\n";
print 'none ', (!defined $queue->poll && !defined MindTorch::tensor_grad(call('neg', '', $x)) ? 1 : 0), "\n";

print 'error ', failing(sub { call('add', 'Tensor', $x, call('ones', '', [2])) }), "\n";
print 'status ', failing(sub { MindTorch::mt_tensor_set_requires_grad($ends, 1) }), "\n";
print 'index ', failing(sub { call('unsqueeze', '', $x, 7) }), "\n";
print 'keyword ', failing(sub { call('zeros', '', [2], { dtyp => 6 }) }), "\n";
print 'null ', failing(sub { MindTorch::tensor_sizes(undef) }), "\n";
my $before = bytes();
call('zeros', '', [100_000]) for 1 .. 100;
print 'released ', (bytes() - $before < 10_000_000 ? 1 : 0), "\n";

my $y = MindTorch::tensor_from_doubles([1, 2, 3, 4.5], [4], $MindTorch::MT_FLOAT32);
MindTorch::tensor_set_requires_grad($y, 1);
MindTorch::on_gradient($y, sub { call('mul', 'Scalar', $_[0], 2.0) });
MindTorch::backward(call('sum', '', call('mul', 'Tensor', $y, $y)));
print 'replaced ', text(MindTorch::tensor_grad($y)), "\n";
MindTorch::on_gradient($y, sub { die MindTorch::Error->new('KeyError', 'from the hook') });
print 'hook ', failing(sub { MindTorch::backward(call('sum', '', $y)) }), "\n";
