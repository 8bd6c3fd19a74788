# The module for Perl. Numbers and texts of errors are torch 2.13's, unless a comment names another origin.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;
use MindTorch;

sub fails {
    my ($kind, $text, $code, $name) = @_;
    my $lived = eval { $code->(); 1 };
    my $error = $@;
    ok !$lived && ref $error eq 'MindTorch::Error' && $error->kind eq $kind && $error->message =~ $text, $name or diag $error;
}

my $x = MindTorch::tensor([[1, 2], [3, 4]]);
is $x->dtype, 'float32', 'numbers are float32';
is_deeply $x->shape, [2, 2], 'nested arrays have sizes';
is MindTorch::tensor([1, 2], {dtype => 'int64'})->dtype, 'int64', 'a dtype is an option';
fails 'ValueError', qr/different sizes/, sub { MindTorch::tensor([[1, 2], [3]]) }, 'arrays of different sizes are refused';
is MindTorch::tensor([1, 2], dtype => 'float64')->dtype, 'float64', 'options may be pairs';
is MindTorch::tensor([1, 2], 'int64')->dtype, 'int64', 'or the dtype alone';
ok MindTorch::tensor(1, requires_grad => 1)->requires_grad, 'a tensor may require gradients';
ok !MindTorch::tensor(1, requires_grad => 0)->requires_grad, 'or not';
fails 'TypeError', qr/unexpected keyword argument 'dtyp'/, sub { MindTorch::tensor([1], dtyp => 'int64') }, 'an unknown option';
fails 'TypeError', qr/elements are numbers/, sub { MindTorch::tensor([1, 'a']) }, 'words are no elements';
fails 'TypeError', qr/elements are numbers/, sub { MindTorch::tensor([1, undef]) }, 'nor is undef';
is MindTorch::tensor(['1.5', 2])->sum->item, 3.5, 'texts of numbers are numbers';
is MindTorch::tensor(9007199254740993, 'int64')->item, '9007199254740993', 'whole numbers go in exactly';
fails 'TypeError', qr/there is no dtype double/, sub { $x->to('double') }, 'an unknown dtype';
fails 'TypeError', qr/takes 1 positional argument\(s\) but 2/, sub { MindTorch::zeros(2, 3) }, 'a keyword without its name';
is_deeply $x->eq($x)->to_array, [[1, 1], [1, 1]], 'eq compares each element';

is_deeply $x->sum([1], {keepdim => 1})->to_array, [[3], [7]], 'the arguments select the overload, also by name';
is_deeply MindTorch::cat([$x, $x], 1)->to_array, [[1, 2, 1, 2], [3, 4, 3, 4]], 'an operator is a function';
my ($values, $indices) = $x->max(1);
is_deeply [$values->to_array, $indices->to_array], [[2, 4], [1, 1]], 'several results are a list';
is_deeply [map { $_->to_array } @{$x->split(1)}], [[[1, 2]], [[3, 4]]], 'a list of tensors is an array reference';
is_deeply $x->clamp(undef, 2)->to_array, [[1, 2], [2, 2]], 'undef is none';
is_deeply MindTorch::zeros(3)->shape, [3], 'a number stands for a list of one';
is MindTorch::result_type($x, 2.5), 6, 'a dtype is a number';
ok MindTorch::equal($x, $x), 'a boolean is a boolean';
is $x->add($x, {alpha => 3})->sum->item, 40, 'alpha by name';

is_deeply ((2 - $x)->to_array, [[1, 0], [-1, -2]], 'a number on the left of -');
is_deeply ((12 / $x)->to_array, [[12, 6], [4, 3]], 'a number on the left of /');
is_deeply ((2 ** $x)->to_array, [[2, 4], [8, 16]], 'a number on the left of **');
is_deeply ((7 % $x)->to_array, [[0, 1], [1, 3]], 'a number on the left of %');
is_deeply ((-$x + $x * 2 - $x / 2)->to_array, [[0.5, 1], [1.5, 2]], 'arithmetic');
is_deeply ((3 > $x)->to_array, [[1, 1], [0, 0]], 'comparisons are elements');
ok $x == $x->clone, 'equal tensors are ==';
ok $x != $x + 1, 'others are !=';
{
    my $y = $x->clone;
    my $same = $y;
    $y += 1;
    is_deeply $same->to_array, [[1, 2], [3, 4]], '+= makes a new tensor';
}
is "$x", 'tensor float32 [2, 2]: [[1, 2], [3, 4]]', 'a tensor has a text';
like MindTorch::zeros([2000]), qr/\[2000\]: \[0, 0, 0, \.\.\.\]/, 'a long text is shortened';

my $y = MindTorch::arange(24)->reshape([4, 6]);
is $y->at(1, -1)->item, 11, 'indices are numbers';
is_deeply $y->at([1, 3], [0, undef, 3])->to_array, [[6, 9], [12, 15]], 'and ranges';
is_deeply $y->at(undef, 0)->shape, [1, 6], 'undef is a new dimension';
is_deeply $y->at(MindTorch::tensor([3, 0], {dtype => 'int64'}), 0)->to_array, [18, 0], 'and tensors';
$y->put([0, [0, 2]], 9);
is_deeply $y->at(0)->to_array, [9, 9, 2, 3, 4, 5], 'put assigns';

is_deeply [unpack 'f*', $x->to_bytes], [1, 2, 3, 4], 'packed elements come out';
is_deeply MindTorch::from_bytes(pack('q*', 9007199254740993), [1], 'int64')->to_array, [9007199254740993], '64-bit integers are exact';
is MindTorch::tensor(0, {dtype => 'int64'})->add(9007199254740993)->item, 9007199254740993, 'also as arguments and items';

fails 'RuntimeError', qr/^The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton dimension 1$/,
    sub { $x->add(MindTorch::ones([3])) }, q{an error has torch's text};
fails 'IndexError', qr/^Dimension out of range \(expected to be in range of \[-3, 2\], but got 7\)$/, sub { $x->unsqueeze(7) },
    'and kind';
fails 'TypeError', qr/HASH/, sub { $x->add({}, 1) }, 'a hash in the middle is refused';
ok !eval { $x->nonsense; 1 }, 'an unknown method is refused';
like $@, qr/no function or operator MindTorch::Tensor::nonsense/, 'with its name';

my $leaf = MindTorch::tensor([1, 2, 3], {requires_grad => 1});
my @seen;
$leaf->on_gradient(sub { push @seen, $_[0]->to_array; $_[0] * 10 });
$leaf->mul($leaf)->sum->backward;
is_deeply \@seen, [[2, 4, 6]], 'a hook sees the gradient';
is_deeply $leaf->grad->to_array, [20, 40, 60], 'and replaces it';
$leaf->set_grad(undef);
is $leaf->grad, undef, 'a gradient is cleared';
ok !MindTorch::no_grad(sub { $leaf * 2 })->requires_grad, 'no_grad records nothing';
ok !eval { MindTorch::no_grad(sub { die "mine\n" }); 1 }, 'no_grad passes errors on';
ok +($leaf * 2)->requires_grad, 'and ends with its function';

MindTorch::manual_seed(0);
ok abs(MindTorch::rand([1])->item - 0.4962566) < 1e-6, q{random numbers are torch's for the seed};

my $folder = tempdir(CLEANUP => 1);
for my $format ('safetensors', 'torch') {
    MindTorch::save("$folder/$format", {weight => $x, bias => $leaf->grad // MindTorch::zeros([2])}, {format => $format});
    my $loaded = MindTorch::load("$folder/$format");
    is_deeply [sort keys %$loaded], ['bias', 'weight'], "$format keeps names";
    ok $loaded->{weight} == $x, "$format keeps elements";
}
MindTorch::save("$folder/pairs", {weight => $x}, format => 'torch');
is_deeply [keys %{MindTorch::load("$folder/pairs")}], ['weight'], 'the format as a pair';
fails 'ValueError', qr/not text/, sub { MindTorch::save("$folder/text", {weight => $x}, 'text') }, 'a format that there is not';
fails 'RuntimeError', qr/No such file/, sub { MindTorch::load("$folder/absent") }, 'a file that is absent';
SKIP: {
    # The file is what ../torch_checkpoint.py writes with real torch.
    my $file = $ENV{MINDTORCH_TORCH_CHECKPOINT} or skip 'no real torch: MINDTORCH_TORCH_CHECKPOINT is not set', 3;
    my $loaded = MindTorch::load($file);
    is_deeply [sort keys %$loaded], ['half', 'model.bias', 'model.weight'], 'a checkpoint of real torch is read';
    is_deeply $loaded->{'model.weight'}->to_array, [[0, 1, 2], [3, 4, 5]], 'with its elements';
    is_deeply $loaded->{half}->to_array, [1.5, -2], 'of any dtype';
}

my $bytes = MindTorch::memory_in_use();
{
    my $large = MindTorch::ones([1_000_000]);
    cmp_ok MindTorch::memory_in_use() - $bytes, '>=', 4_000_000, 'a tensor uses memory';
}
cmp_ok MindTorch::memory_in_use() - $bytes, '<', 1_000_000, 'until its last variable is gone';
MindTorch::ones([10_000_000])->narrow(0, 0, 10) for 1 .. 200;
open my $status, '<', '/proc/self/status' or die $!;
my ($peak) = map { /VmHWM:\s+(\d+)/ } <$status>;
cmp_ok $peak, '<', 600 * 1024, '200 dropped tensors of 40 MB stay below 600 MB';
done_testing;
