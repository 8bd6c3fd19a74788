// Perl: package MindTorch; lists are array references, errors are MindTorch::Error objects with kind and message.
%{
static void set_error(pTHX_ const char* kind, const char* message) {
  HV* fields = newHV();
  hv_stores(fields, "kind", newSVpvn_utf8(kind, strlen(kind), true));
  hv_stores(fields, "message", newSVpvn_utf8(message, strlen(message), true));
  SV* error = sv_2mortal(sv_bless(newRV_noinc(reinterpret_cast<SV*>(fields)), gv_stashpv("MindTorch::Error", GV_ADD)));
  sv_setsv(get_sv("@", GV_ADD), error);
}
// What a hook died of, as a status.
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
  $input = SWIG_NewPointerObj(SWIG_as_voidptr($1), $1_descriptor, SWIG_OWNER | SWIG_SHADOW);
}

%perlcode %{
use B ();
# Calls an operator with plain Perl values: array references are lists, undef is none, a hash reference at the end has
# arguments by name. One result comes as itself, several as a list.
sub call {
    my ($name, $overload, @arguments) = @_;
    my $named = ref $arguments[-1] eq 'HASH' ? pop @arguments : {};
    my $values = MindTorch::Values->new;
    _box($values, $_) for @arguments;
    for my $key (sort keys %$named) {
        _box($values, $named->{$key});
        $values->name($key);
    }
    my $results = MindTorch::dispatch($name, $overload, $values);
    my @found = map { _unbox($results, $_) } 0 .. $results->size - 1;
    return @found == 1 ? $found[0] : @found;
}

sub _box {
    my ($values, $argument) = @_;
    if (!defined $argument) { $values->add_none }
    elsif (ref $argument eq 'ARRAY') { _box_list($values, $argument) }
    elsif (ref $argument eq 'MindTorch::Generator') { $values->add_generator($argument) }
    elsif (ref $argument) { $values->add_tensor($argument) }
    elsif (B::svref_2object(\$argument)->FLAGS & B::SVf_IOK) { $values->add_int($argument) }
    elsif (B::svref_2object(\$argument)->FLAGS & B::SVf_NOK) { $values->add_double($argument) }
    else { $values->add_string($argument) }
}

sub _box_list {
    my ($values, $list) = @_;
    if (grep { !defined || ref } @$list) {
        my $tensors = MindTorch::Tensors->new;
        $tensors->add($_) for @$list;
        $values->add_tensors($tensors);
    }
    elsif (grep { $_ != int } @$list) { $values->add_doubles($list) }
    else { $values->add_ints($list) }
}

sub _unbox {
    my ($results, $index) = @_;
    my $tag = $results->tag($index);
    return $results->get_tensor($index) if $tag == $MindTorch::MT_TAG_TENSOR;
    return $results->get_bool($index) if $tag == $MindTorch::MT_TAG_BOOL;
    return $results->get_int($index) if $tag != $MindTorch::MT_TAG_TENSORS;
    my $tensors = $results->get_tensors($index);
    return [map { $tensors->get($_) } 0 .. $tensors->size - 1];
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

package MindTorch;
%}
