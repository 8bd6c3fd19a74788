# The package for Tcl. Numbers and texts of errors are torch 2.13's, unless a comment names another origin.
package require tcltest
namespace import tcltest::*
package require mindtorch
testConstraint torchFile [expr {[info exists env(MINDTORCH_TORCH_CHECKPOINT)] && $env(MINDTORCH_TORCH_CHECKPOINT) ne ""}]

# Numbers without the text of floating-point ones, nested lists in one form.
proc plain {list} { regsub -all {\.0\y} [string map {"{" "" "}" ""} $list] "" }
proc elements {tensor} { plain [mindtorch::to_list $tensor] }
set x [mindtorch::tensor {{1 2} {3 4}}]

test tensor-1 {nested lists have sizes and are float32} { list [mindtorch::shape $x] [mindtorch::dtype $x] } {{2 2} float32}
test tensor-2 {a dtype may be named} { mindtorch::dtype [mindtorch::tensor {1 2} int64] } int64
test tensor-3 {a number has no dimensions} { mindtorch::shape [mindtorch::tensor 7] } {}
test tensor-4 {lists of different sizes are refused} -body { mindtorch::tensor {{1 2} {3}} } -returnCodes error \
    -result {the lists have different sizes}
test tensor-5 {64-bit integers are exact} {
    mindtorch::item [mindtorch::tensor_from_bytes [binary format w 9007199254740993] {} $mindtorch::MT_INT64]
} 9007199254740993
test tensor-6 {a tensor has a text} { mindtorch::text $x } {tensor float32 {2 2}: {{1.0 2.0} {3.0 4.0}}}

test tensor-7 {words are refused} -body { mindtorch::tensor {a b} } -returnCodes error \
    -result {a tensor's elements are numbers: expected floating-point number but got "a"}
test tensor-8 {so are lists among numbers} -body { mindtorch::tensor {1 {2 3}} } -returnCodes error -match glob \
    -result {a tensor's elements are numbers: *"2 3"}
test tensor-9 {64-bit integers go in exactly} { mindtorch::item [mindtorch::tensor 9007199254740993 int64] } 9007199254740993
test tensor-10 {options have names} {
    set made [mindtorch::tensor {1 2} -dtype float64 -requires_grad 1]
    list [mindtorch::dtype $made] [mindtorch::grad $made] [catch { mindtorch::tensor 1 -nothing 1 }]
} {float64 NULL 1}
test tensor-11 {booleans and integers are integers} {
    list [mindtorch::to_list [torch gt $x 2]] [mindtorch::item [torch any $x]] [mindtorch::to_list [mindtorch::tensor {1 255} uint8]]
} {{{0 0} {1 1}} 1 {1 255}}
test tensor-12 {lists without elements have sizes} { mindtorch::shape [mindtorch::tensor {{} {}}] } {2 0}

set z [torch reshape [torch arange 12] {3 4}]
test index-1 {a number selects} { mindtorch::to_list [mindtorch::at $z -1] } {8 9 10 11}
test index-2 {ranges, and all of a dimension} {
    list [mindtorch::to_list [mindtorch::at $z {0 2} 0]] [mindtorch::to_list [mindtorch::at $z {} {1 none 2}]]
} {{0 4} {{1 3} {5 7} {9 11}}}
test index-3 {tensors are masks and positions} {
    list [mindtorch::to_list [mindtorch::at $z [torch gt $z 9]]] [mindtorch::to_list [mindtorch::at $z {} [mindtorch::tensor {0 3} int64]]]
} {{10 11} {{0 3} {4 7} {8 11}}}
test index-4 {new is a new dimension} { mindtorch::shape [mindtorch::at $z new 0] } {1 4}
test index-5 {a part is assigned} {
    set part [torch clone $z]
    mindtorch::put $part {0 {0 2}} 9
    mindtorch::put $part [list [torch gt $part 10]] 7
    mindtorch::to_list [mindtorch::put $part {{} 3} [mindtorch::tensor {1 2 3}]]
} {{9 9 2 1} {4 5 6 2} {8 9 10 3}}

test import-1 {a program may import all commands} {
    set child [interp create]
    set found [$child eval { package require mindtorch; namespace import mindtorch::*; text [tensor {1 2}] }]
    interp delete $child
    set found
} {tensor float32 {2}: {1.0 2.0}}

test operator-1 {the arguments select the overload} { elements [torch sum $x] } 10
test operator-2 {also by name} { mindtorch::shape [torch sum $x 1 -keepdim 1] } {2 1}
test operator-3 {numbers are scalars} { elements [torch mul $x 2.5] } {2.5 5 7.5 10}
test operator-4 {an argument by name} { elements [torch add $x $x -alpha 3] } {4 8 12 16}
test operator-5 {several results are a list} { lmap tensor [torch max $x 1] { elements $tensor } } {{2 4} {1 1}}
test operator-6 {a list of tensors is an argument} { elements [torch cat [list $x $x] 1] } {1 2 1 2 3 4 3 4}
test operator-7 {and a result} { lmap tensor [torch split $x 1] { elements $tensor } } {{1 2} {3 4}}
test operator-8 {none is none} { elements [torch clamp $x none 2] } {1 2 2 2}
test operator-9 {dtypes and devices are names} {
    mindtorch::dtype [torch zeros {2 3} -dtype float64 -device cpu]
} float64
test operator-10 {a boolean is a boolean} { torch equal $x $x } 1
test operator-11 {call names the overload} { elements [mindtorch::call add Tensor $x $x] } {2 4 6 8}
test operator-12 {random numbers are torch's for the seed} {
    mindtorch::manual_seed 0
    format %.6f [mindtorch::item [torch rand 1]]
} 0.496257

test operator-13 {0 is a dimension before it is a boolean} { elements [torch var $x 0] } {2 2}
test operator-14 {a keyword has a name} -body { torch zeros 2 3 } -returnCodes error -match glob -result {zeros() takes 1 positional argument(s) but 2 was/were given.*}
test operator-15 {an unknown dtype is refused} -body { torch to $x double } -returnCodes error -match glob -result {there is no dtype double*}

test error-1 {an error has torch's text} -body { torch add $x [torch ones 3] } -returnCodes error \
    -result {The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1}
test error-2 {and kind} {
    catch { torch unsqueeze $x 7 } message options
    list [dict get $options -errorcode] $message
} {{MINDTORCH IndexError} {Dimension out of range (expected to be in range of [-3, 2], but got 7)}}
test error-3 {an unknown operator is refused} -body { torch nonsense $x } -returnCodes error -result {there is no operator nonsense}
test error-4 {a name without a value is refused} -body { torch sum $x -keepdim } -returnCodes error -result {-keepdim has no value}

test gradient-1 {backward accumulates} {
    set leaf [mindtorch::tensor {1 2 3}]
    mindtorch::tensor_set_requires_grad $leaf 1
    mindtorch::backward [torch sum [torch mul $leaf $leaf]]
    elements [mindtorch::tensor_grad $leaf]
} {2 4 6}
test gradient-2 {no_grad records nothing, and ends with an error} {
    set leaf [mindtorch::tensor 1]
    mindtorch::tensor_set_requires_grad $leaf 1
    set inside [mindtorch::no_grad { catch { mindtorch::backward [torch mul $leaf 2] } }]
    catch { mindtorch::no_grad { error mine } } message
    list $inside $message [catch { mindtorch::backward [torch mul $leaf 2] }]
} {1 mine 0}

test gradient-4 {short names} {
    set leaf [mindtorch::requires_grad_ [mindtorch::tensor 3]]
    mindtorch::backward [torch mul $leaf $leaf]
    set found [elements [mindtorch::grad $leaf]]
    mindtorch::set_grad $leaf none
    list $found [mindtorch::grad $leaf]
} {6 NULL}

test gradient-3 {none clears a gradient} {
    set leaf [mindtorch::tensor 1]
    mindtorch::tensor_set_requires_grad $leaf 1
    mindtorch::backward [torch mul $leaf 2]
    mindtorch::tensor_set_grad $leaf none
    mindtorch::tensor_grad $leaf
} NULL

test hook-1 {a hook sees the gradient, and replaces it} {
    set leaf [mindtorch::tensor {1 2 3}]
    mindtorch::tensor_set_requires_grad $leaf 1
    set seen {}
    mindtorch::on_gradient $leaf {apply {gradient {
        lappend ::seen {*}[mindtorch::to_list $gradient]
        torch mul $gradient 10
    }}}
    mindtorch::backward [torch sum [torch mul $leaf $leaf]]
    list [plain $seen] [elements [mindtorch::tensor_grad $leaf]]
} {{2 4 6} {20 40 60}}
test hook-2 {what is no tensor leaves the gradient} {
    set leaf [mindtorch::tensor 1]
    mindtorch::tensor_set_requires_grad $leaf 1
    mindtorch::on_gradient $leaf {apply {gradient { return seen }}}
    mindtorch::backward [torch mul $leaf 2]
    elements [mindtorch::tensor_grad $leaf]
} 2
test hook-3 {a removed hook is not called} {
    set leaf [mindtorch::tensor 1]
    mindtorch::tensor_set_requires_grad $leaf 1
    mindtorch::tensor_remove_hook $leaf [mindtorch::on_gradient $leaf {error never}]
    mindtorch::backward [torch mul $leaf 2]
    elements [mindtorch::tensor_grad $leaf]
} 2
test hook-4 {the error of a hook is that of backward} -body {
    set leaf [mindtorch::tensor 1]
    mindtorch::tensor_set_requires_grad $leaf 1
    mindtorch::on_gradient $leaf {apply {gradient { error mine }}}
    mindtorch::backward [torch mul $leaf 2]
} -returnCodes error -result mine

test define-1 {an operator in Tcl, whose own operators are differentiated} {
    mindtorch::define {tests::cube(Tensor x) -> Tensor} {apply {x { torch mul $x [torch mul $x $x] }}}
    set leaf [mindtorch::tensor {1 2}]
    mindtorch::tensor_set_requires_grad $leaf 1
    set cubes [torch tests::cube $leaf]
    mindtorch::backward [torch sum $cubes]
    list [elements $cubes] [elements [mindtorch::tensor_grad $leaf]]
} {{1 8} {3 12}}
test define-2 {or that has a derivative} {
    mindtorch::define {tests::scale(Tensor x, float by, int[] sizes) -> Tensor} {apply {{x by sizes} {
        torch reshape [torch mul [torch detach $x] $by] $sizes
    }}} {apply {{gradients arguments results} {
        list [torch mul [torch flatten [lindex $gradients 0]] [expr {100 * [lindex $arguments 1]}]] none none
    }}}
    set leaf [mindtorch::tensor {1 2}]
    mindtorch::tensor_set_requires_grad $leaf 1
    mindtorch::backward [torch sum [torch tests::scale $leaf 3 {2 1}]]
    elements [mindtorch::tensor_grad $leaf]
} {300 300}
test define-3 {a result of another type is refused} -body {
    mindtorch::define {tests::broken(Tensor x) -> Tensor} {apply {x { return 7 }}}
    torch tests::broken [mindtorch::tensor 1]
} -returnCodes error -result {the command's result does not have the type of the schema}
test define-4 {an error in it keeps its kind} {
    mindtorch::define {tests::failing(Tensor x) -> Tensor} {apply {x { torch unsqueeze $x 9 }}}
    catch { torch tests::failing [mindtorch::tensor 1] } message options
    dict get $options -errorcode
} {MINDTORCH IndexError}
test define-5 {a schema that cannot be read is refused} -body {
    mindtorch::define nonsense list
} -returnCodes error -result {Tried to parse a function schema but only the operator name was given}

test file-1 {saved tensors are loaded} {
    set found {}
    foreach format {safetensors torch} {
        set path [makeFile {} checkpoint]
        mindtorch::save $path [dict create weight $x] $format
        lappend found [elements [dict get [mindtorch::load $path] weight]]
    }
    set found
} {{1 2 3 4} {1 2 3 4}}
test file-2 {an absent file is an error} -body { mindtorch::load /absent } -returnCodes error -match glob -result {*No such file*}
# The file is what ../torch_checkpoint.py writes with real torch.
test file-3 {a checkpoint of real torch is read} -constraints torchFile -body {
    set loaded [mindtorch::load $env(MINDTORCH_TORCH_CHECKPOINT)]
    list [dict keys $loaded] [elements [dict get $loaded model.weight]] [elements [dict get $loaded half]]
} -result {{model.weight model.bias half} {0 1 2 3 4 5} {1.5 -2}}

test memory-1 {200 dropped tensors of 40 MB stay below 600 MB} {
    for {set i 0} {$i < 200} {incr i} { torch narrow [torch ones 10000000] 0 0 10 }
    set status [open /proc/self/status]
    regexp {VmHWM:\s+(\d+)} [read $status] -> peak
    close $status
    expr {$peak < 600 * 1024}
} 1
cleanupTests
