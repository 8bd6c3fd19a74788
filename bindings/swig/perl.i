// Perl: package MindTorch; lists are array references, errors are MindTorch::Error objects with kind and message.
%{
static void set_error(pTHX_ const char* kind, const char* message) {
  HV* fields = newHV();
  hv_stores(fields, "kind", newSVpvn_utf8(kind, strlen(kind), true));
  hv_stores(fields, "message", newSVpvn_utf8(message, strlen(message), true));
  SV* error = sv_2mortal(sv_bless(newRV_noinc(reinterpret_cast<SV*>(fields)), gv_stashpv("MindTorch::Error", GV_ADD)));
  sv_setsv(get_sv("@", GV_ADD), error);
}
// Converts the error with which a hook died to a status.
static mindtorch::Error hook_error(pTHX_ SV* error) {
  HV* fields = sv_derived_from(error, "MindTorch::Error") ? reinterpret_cast<HV*>(SvRV(error)) : nullptr;
  return mindtorch::Error(fields == nullptr ? mt_status_create("RuntimeError", SvPV_nolen(error))
                                            : mt_status_create(SvPV_nolen(*hv_fetchs(fields, "kind", 1)),
                                                               SvPV_nolen(*hv_fetchs(fields, "message", 1))));
}
%}
%exception {
  try { $action }
  catch (const mindtorch::Error& error) { set_error(aTHX_ error.kind().c_str(), error.what()); SWIG_fail; }
  catch (const std::out_of_range& error) { set_error(aTHX_ "IndexError", error.what()); SWIG_fail; }
  catch (const std::exception& error) { set_error(aTHX_ "RuntimeError", error.what()); SWIG_fail; }
}
%typemap(out) mt_status* {
  if ($1 != nullptr) {
    set_error(aTHX_ mt_status_kind($1), mt_status_message($1));
    mt_status_release($1);
    SWIG_fail;
  }
}

// A tensor is a blessed pointer, without SWIG's hash and its table of owners: both would ask for the text of every tensor.
%typemap(out) mt_tensor* {
  $result = sv_newmortal();
  if ($1 != nullptr) sv_setref_pv($result, "MindTorch::Tensor", $1);
  argvi++;
}
%inline %{
static void drop_tensor(mt_tensor* tensor) { mt_tensor_release(tensor); }
%}
%{
#include "perl_calls.h"
%}
%native(call) void call_operator(void);

%typemap(out) mindtorch_swig::Bytes {
  $result = sv_2mortal(newSVpvn($1.data, $1.size));
  argvi++;
}

// ---- lists ----

%define LIST(TYPE, FROM, TO)
%typemap(in) const std::vector<TYPE>& {
  if (!SvROK($input) || SvTYPE(SvRV($input)) != SVt_PVAV) SWIG_exception_fail(SWIG_TypeError, "a reference to an array of numbers is expected");
  AV* array = reinterpret_cast<AV*>(SvRV($input));
  $1 = new std::vector<TYPE>();
  for (SSize_t i = 0; i <= av_len(array); ++i) {
    SV** item = av_fetch(array, i, 0);
    if (item == nullptr || !looks_like_number(*item)) SWIG_exception_fail(SWIG_TypeError, "a list of numbers is expected");
    $1->push_back(FROM(*item));
  }
}
%typemap(freearg) const std::vector<TYPE>& "delete $1;"
%typemap(out) std::vector<TYPE> {
  const std::vector<TYPE>& list = $1;
  AV* array = newAV();
  for (TYPE item : list) av_push(array, TO(item));
  $result = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(array)));
  argvi++;
}
%enddef
LIST(int64_t, SvIV, newSViv)
LIST(double, SvNV, newSVnv)

// ---- hooks ----

%feature("director:except") "if (SvTRUE(ERRSV)) throw hook_error(aTHX_ ERRSV);"
// The gradient that a hook gets is the hook's own reference.
%typemap(directorin) mt_tensor* gradient {
  $input = sv_newmortal();
  sv_setref_pv($input, "MindTorch::Tensor", $1);
}

%perlcode %{
# call(name, overload, @arguments) calls an operator with plain Perl values: array references are lists, undef is none, a hash
# reference at the end has arguments by name. One result comes as itself, several as a list.
*call = *MindTorchc::call;

my %dtypes;

sub _dtype {
    my ($name) = @_;
    %dtypes = map { (mt_dtype_name($_) // "none $_") => $_ } 0 .. 63 unless %dtypes;
    return $dtypes{$name} // die MindTorch::Error->new('TypeError', "there is no dtype $name");
}

# Options at the end of a call: pairs, a hash reference, or the value of the first name alone.
sub _options {
    my ($function, $names, @given) = @_;
    my %options = @given == 1 ? (ref $given[0] eq 'HASH' ? %{$given[0]} : ($names->[0] => $given[0])) : @given % 2 ? (@given, undef) : @given;
    for my $name (sort keys %options) {
        next if grep { $_ eq $name } @$names;
        die MindTorch::Error->new('TypeError', "$function() got an unexpected keyword argument '$name'");
    }
    return \%options;
}

# Packs numbers; whatever Perl would only warn of is an error.
sub _pack {
    my ($form, $list) = @_;
    local $@;
    use warnings FATAL => qw(numeric uninitialized pack);
    return eval { pack($form, @$list) };
}

# A tensor of nested arrays of numbers, or of a number: tensor([[1, 2], [3, 4]], dtype => 'int64', requires_grad => 1).
sub tensor {
    my ($values, @rest) = @_;
    my $options = _options('tensor', ['dtype', 'requires_grad'], @rest);
    my ($list, @sizes) = ([$values]);
    if (ref $values) {
        for (my $level = $values; ref $level eq 'ARRAY'; $level = $level->[0]) { push @sizes, scalar @$level }
        $list = _flatten($values, @sizes);
    }
    my $dtype = $options->{dtype} // 'float32';
    my $is_whole = $dtype eq 'int64';    # doubles do not have all 64-bit integers
    my $packed = _pack($is_whole ? 'q*' : 'd*', $list) // die MindTorch::Error->new('TypeError', "a tensor's elements are numbers");
    my $made = tensor_from_bytes($packed, \@sizes, $is_whole ? $MindTorch::MT_INT64 : $MindTorch::MT_FLOAT64);
    $made = call('to', 'dtype', $made, $dtype);
    tensor_set_requires_grad($made, 1) if $options->{requires_grad};
    return $made;
}

sub _flatten {
    my ($values, $size, @sizes) = @_;
    die MindTorch::Error->new('ValueError', 'the arrays have different sizes') unless ref $values eq 'ARRAY' && @$values == $size;
    return [map { @{_flatten($_, @sizes)} } @$values] if @sizes;
    die MindTorch::Error->new('ValueError', 'the arrays have different sizes') if grep { ref } @$values;
    return $values;
}

# A tensor of packed elements: from_bytes(pack('f*', 1, 2), [2], 'float32').
sub from_bytes {
    my ($bytes, $sizes, $dtype) = @_;
    return tensor_from_bytes($bytes, $sizes, _dtype($dtype));
}

# Runs the function without recording gradients.
sub no_grad {
    my ($function) = @_;
    my $guard = MindTorch::Mode->new($MindTorch::MT_MODE_GRAD, 0);
    return $function->();
}

sub manual_seed { generator_seed(generator_default(), $_[0]) }

# The tensors of a file of torch, safetensors, NumPy or GGUF: a hash reference by name.
sub load {
    my $found = load_tensors($_[0]);
    return {map { $found->name($_) => $found->get($_) } 0 .. $found->size - 1};
}

# Saves a hash of tensors, in the format of safetensors or (format => 'torch') torch.
sub save {
    my ($path, $tensors, @rest) = @_;
    my $format = _options('save', ['format'], @rest)->{format} // 'safetensors';
    die MindTorch::Error->new('ValueError', "a format is safetensors or torch, not $format") unless $format =~ /^(safetensors|torch)$/;
    my $named = MindTorch::NamedTensors->new;
    $named->add($_, $tensors->{$_}) for sort keys %$tensors;
    $named->save($path, $format eq 'torch');
    return;
}

# Every operator is a function, and a method of its first tensor: MindTorch::cat([$x, $y], 1), $x->sum([0], {keepdim => 1}).
our $AUTOLOAD;
sub AUTOLOAD {
    my ($name) = $AUTOLOAD =~ /(\w+)$/;
    return if $name eq 'DESTROY';
    if (!operator_exists($name)) {
        require Carp;
        Carp::croak("there is no function or operator $AUTOLOAD");
    }
    no strict 'refs';
    # Without goto: it would keep temporary arguments until the caller ends.
    *{"MindTorch::$name"} = sub { call($name, '', @_) };
    return &{"MindTorch::$name"};
}

# Calls the function with each gradient of the tensor; a tensor that it returns takes the gradient's place. Gives the hook's
# number for tensor_remove_hook.
my %hooks;
sub on_gradient {
    my ($tensor, $function) = @_;
    my $hook = MindTorch::Hook->new;
    $hooks{${tied %$hook}} = [$hook, $function];
    return MindTorch::tensor_add_hook($tensor, $hook);
}

# A hook's own fields do not reach its method: SWIG makes a new proxy for each call.
package MindTorch::Hook;
our @ISA = ('MindTorch::GradientHook');
sub call {
    my ($self, $gradient, $replacement) = @_;
    my $made = $hooks{${tied %$self}}[1]->($gradient);
    $replacement->add($made) if ref $made;
}

package MindTorch::Error;
use overload '""' => sub { "$_[0]{kind}: $_[0]{message}" }, fallback => 1;
sub new { my ($class, $kind, $message) = @_; bless { kind => $kind, message => $message }, $class }
sub kind { $_[0]{kind} }
sub message { $_[0]{message} }

package MindTorch::Mode;
sub new {
    my ($class, $mode, $on) = @_;
    my $before = MindTorch::mode_get($mode);
    MindTorch::mode_set($mode, $on);
    return bless [$mode, $before], $class;
}
sub DESTROY { MindTorch::mode_set(@{$_[0]}) }

package MindTorch::Tensor;

# An operator whose operands may be swapped; a number on its left has an operator of its own.
sub _binary {
    my ($name, $reversed) = @_;
    return sub {
        my ($left, $right, $is_swapped) = @_;
        return $is_swapped ? $reversed->($left, $right) : MindTorch::call($name, '', $left, $right);
    };
}
sub _same { my ($name) = @_; return sub { MindTorch::call($name, '', @_) } }
use overload
    '+' => _binary('add', _same('add')),
    '*' => _binary('mul', _same('mul')),
    '-' => _binary('sub', _same('rsub')),
    '/' => _binary('div', sub { MindTorch::call('mul', '', MindTorch::call('reciprocal', '', $_[0]), $_[1]) }),
    '%' => _binary('remainder', sub { MindTorch::call('remainder', 'Scalar_Tensor', $_[1], $_[0]) }),
    '**' => _binary('pow', sub { MindTorch::call('pow', 'Scalar', $_[1], $_[0]) }),
    'neg' => sub { MindTorch::call('neg', '', $_[0]) },
    'abs' => sub { MindTorch::call('abs', '', $_[0]) },
    '~' => sub { MindTorch::call('bitwise_not', '', $_[0]) },
    '&' => _binary('bitwise_and', _same('bitwise_and')),
    '|' => _binary('bitwise_or', _same('bitwise_or')),
    '^' => _binary('bitwise_xor', _same('bitwise_xor')),
    '<' => _binary('lt', _same('gt')),
    '<=' => _binary('le', _same('ge')),
    '>' => _binary('gt', _same('lt')),
    '>=' => _binary('ge', _same('le')),
    '==' => sub { $_[0]->equals($_[1]) },
    '!=' => sub { !$_[0]->equals($_[1]) },
    'bool' => sub { 1 },
    '""' => sub { $_[0]->text },
    '=' => sub { $_[0] };

sub DESTROY { MindTorch::drop_tensor($_[0]) }
sub CLONE_SKIP { 1 }    # a tensor belongs to its interpreter
sub call { my ($self, $name, @arguments) = @_; MindTorch::call($name, '', $self, @arguments) }
sub shape { MindTorch::tensor_sizes($_[0]) }
sub ndim { scalar @{$_[0]->shape} }
sub numel { MindTorch::tensor_get_info($_[0])->{numel} }
sub dtype { MindTorch::mt_dtype_name(MindTorch::tensor_get_info($_[0])->{dtype}) }
sub grad { MindTorch::tensor_grad($_[0]) }
sub set_grad { MindTorch::tensor_set_grad(@_); $_[0] }
sub backward { MindTorch::backward($_[0]) }
sub on_gradient { MindTorch::on_gradient(@_) }
sub to_bytes { MindTorch::tensor_to_bytes($_[0]) }
# The elements in row-major order.
sub to_list { MindTorch::tensor_to_doubles($_[0]) }
sub requires_grad { (MindTorch::tensor_get_info($_[0])->{flags} & $MindTorch::MT_TENSOR_REQUIRES_GRAD) != 0 }
sub requires_grad_ { set_requires_grad(@_) }
sub set_requires_grad { MindTorch::tensor_set_requires_grad($_[0], $_[1] // 1 ? 1 : 0); $_[0] }

# The number of a tensor with one element.
sub item {
    my ($self) = @_;
    my $info = MindTorch::tensor_get_info($self);
    # Doubles do not have all 64-bit integers.
    return unpack 'q', MindTorch::tensor_to_bytes($self) if $info->{dtype} == $MindTorch::MT_INT64 && $info->{numel} == 1;
    return MindTorch::tensor_item($self);
}

# The elements as nested array references; of a tensor without dimensions, its number.
sub to_array {
    my ($self) = @_;
    my $dtype = $self->dtype;
    my $list = $dtype eq 'int64' ? [unpack 'q*', $self->to_bytes] : $self->to_list;
    my @sizes = @{$self->shape};
    for (my $dim = $#sizes; $dim > 0; $dim--) {
        my ($size, $rows) = ($sizes[$dim], 1);
        $rows *= $_ for @sizes[0 .. $dim - 1];
        $list = [map { [@$list[$_ * $size .. ($_ + 1) * $size - 1]] } 0 .. $rows - 1];
    }
    return @sizes ? $list : $list->[0];
}

# Whether sizes and all elements are equal; the operators eq and ne compare each: $x->eq($y).
sub equals {
    my ($self, $other) = @_;
    return !!0 unless ref $other && "@{$self->shape}" eq "@{$other->shape}";
    return !!MindTorch::call('all', '', MindTorch::call('eq', '', $self, $other))->item;
}

# The part at these indices: numbers, [start, end, step] ranges, undef for a new dimension, tensors.
sub at {
    my ($self, @indices) = @_;
    my ($view, $positions) = _view($self, @indices);
    return @$positions ? MindTorch::call('index', '', $view, $positions) : $view;
}

# Assigns to the part at these indices: $x->put([0, [0, 2]], 9).
sub put {
    my ($self, $indices, $value) = @_;
    my ($view, $positions) = _view($self, @$indices);
    $value = MindTorch::call('full', '', [], $value, {dtype => $self->dtype}) unless ref $value;
    if (@$positions) { MindTorch::call('index_put_', '', $view, $positions, $value) }
    else { MindTorch::call('copy_', '', $view, $value) }
    return $self;
}

sub _view {
    my ($view, @indices) = @_;
    my ($dim, @positions) = (0);
    for my $index (@indices) {
        if (!defined $index) { $view = MindTorch::call('unsqueeze', '', $view, $dim++) }
        elsif (ref $index eq 'ARRAY') {
            $view = MindTorch::call('slice', '', $view, $dim++, $index->[0], $index->[1], $index->[2] // 1);
        }
        elsif (ref $index) { $positions[$dim++] = $index }
        else { $view = MindTorch::call('select', 'int', $view, $dim, int $index) }
    }
    return ($view, \@positions);
}

sub text {
    my ($self) = @_;
    my $info = MindTorch::tensor_get_info($self);
    my $kind = 'tensor ' . $self->dtype . ' [' . join(', ', @{$self->shape}) . ']';
    return $kind if $info->{device}{type} != $MindTorch::MT_CPU || $info->{layout} != $MindTorch::MT_STRIDED;
    return "$kind: " . _elements($self->to_array) if $info->{numel} <= 1000;
    return "$kind: [" . join(', ', @{MindTorch::call('narrow', '', MindTorch::call('flatten', '', $self), 0, 0, 3)->to_list}) . ', ...]';
}
sub _elements {
    my ($item) = @_;
    return ref $item ? '[' . join(', ', map { _elements($_) } @$item) . ']' : sprintf('%.5g', $item);
}

package MindTorch;
%}
