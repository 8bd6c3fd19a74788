# What is written in Tcl above the module, which has `torch`, `call`, `on_gradient` and `define`: nested lists, dicts, scripts.
namespace eval mindtorch {
    # Not `load`, which Tcl has too.
    namespace export call define on_gradient tensor to_list shape dtype item text at put requires_grad_ grad set_grad no_grad manual_seed save
}

# ---- tensors ----

# A tensor of a nested list of numbers, or of a number: mindtorch::tensor {{1 2} {3 4}} int64, or with options -dtype and -requires_grad.
proc mindtorch::tensor {numbers args} {
    variable MT_FLOAT64
    variable MT_INT64
    set options {-dtype float32 -requires_grad 0}
    if {[llength $args] == 1} {
        set args [list -dtype {*}$args]
    }
    foreach {name value} $args {
        if {![dict exists $options $name] || [llength $args] % 2} {
            return -code error -errorcode {TCL WRONGARGS} \
                {wrong # args: should be "mindtorch::tensor numbers ?dtype? ?-dtype name? ?-requires_grad boolean?"}
        }
        dict set options $name $value
    }
    set sizes {}
    set list $numbers
    if {![string is double -strict $numbers]} {
        # A word that is no number is a list of itself: its list below refuses it.
        for {set level $numbers} {[llength $level] > 1 || ([llength $level] == 1 && [lindex $level 0] ne $level)} {set level [lindex $level 0]} {
            lappend sizes [llength $level]
        }
        if {[llength $numbers] == 0} {
            set sizes 0
        } elseif {$level eq ""} {
            lappend sizes 0
        }
        set list [flatten $numbers $sizes]
    }
    set dtype [dict get $options -dtype]
    # Doubles do not have all 64-bit integers.
    set is_whole [expr {$dtype eq "int64" && [lsearch -not -regexp $list {^[-+]?[0-9]+$}] < 0}]
    if {[catch {binary format [expr {$is_whole ? "w*" : "d*"}] $list} bytes]} {
        return -code error -errorcode {MINDTORCH TypeError} "a tensor's elements are numbers: $bytes"
    }
    set made [call to dtype [tensor_from_bytes $bytes $sizes [expr {$is_whole ? $MT_INT64 : $MT_FLOAT64}]] $dtype]
    return [requires_grad_ $made [dict get $options -requires_grad]]
}

proc mindtorch::flatten {list sizes} {
    if {[llength $list] != [lindex $sizes 0]} {
        return -code error -errorcode {MINDTORCH ValueError} "the lists have different sizes"
    }
    set rest [lrange $sizes 1 end]
    return [expr {[llength $rest] == 0 ? $list : [concat {*}[lmap item $list { flatten $item $rest }]]}]
}

proc mindtorch::shape {tensor} { tensor_sizes $tensor }

proc mindtorch::dtype {tensor} {
    set about [tensor_get_info $tensor]
    set name [mt_dtype_name [mt_tensor_info_dtype_get $about]]
    $about -delete
    return $name
}

# The elements as nested lists; of a tensor without dimensions, its number.
proc mindtorch::to_list {tensor} {
    if {[dtype $tensor] eq "bool" || [string match *int* [dtype $tensor]]} {
        binary scan [tensor_to_bytes [call to dtype $tensor int64]] w* list
    } else {
        set list [tensor_to_doubles $tensor]
    }
    set sizes [tensor_sizes $tensor]
    for {set dim [expr {[llength $sizes] - 1}]} {$dim > 0} {incr dim -1} {
        set size [lindex $sizes $dim]
        set rows 1
        foreach count [lrange $sizes 0 $dim-1] {
            set rows [expr {$rows * $count}]
        }
        set nested {}
        for {set row 0} {$row < $rows} {incr row} {
            lappend nested [lrange $list [expr {$row * $size}] [expr {($row + 1) * $size - 1}]]
        }
        set list $nested
    }
    return [expr {[llength $sizes] ? $list : [lindex $list 0]}]
}

# The number of a tensor with one element.
proc mindtorch::item {tensor} {
    set number [tensor_item $tensor]
    return [expr {[dtype $tensor] eq "bool" || [string match *int* [dtype $tensor]] ? [lindex [to_list [call flatten {} $tensor]] 0] : $number}]
}

proc mindtorch::text {tensor} {
    set kind "tensor [dtype $tensor] {[tensor_sizes $tensor]}"
    set count 1
    foreach size [tensor_sizes $tensor] {
        set count [expr {$count * $size}]
    }
    return [expr {$count > 1000 ? "$kind: {[tensor_to_doubles [call narrow {} [call flatten {} $tensor] 0 0 3]] ...}" :
        "$kind: {[to_list $tensor]}"}]
}

# ---- indices: a number selects, {start end step} is a range, {} all of a dimension, new a new dimension, a tensor has positions ----

# The view that numbers and ranges select, and the tensors that then index it.
proc mindtorch::index_view {view indices} {
    set dim 0
    set positions {}
    set is_indexed 0
    foreach index $indices {
        if {[string is wideinteger -strict $index]} {
            set view [call select int $view $dim $index]
            continue
        } elseif {$index eq "new"} {
            set view [call unsqueeze {} $view $dim]
            lappend positions none
        } elseif {[string match mt_tensor#* $index]} {
            lappend positions $index
            set is_indexed 1
        } else {
            lassign [concat $index [lrange {none none 1} [llength $index] end]] start end step
            set view [call slice {} $view $dim $start $end $step]
            lappend positions none
        }
        incr dim
    }
    return [list $view [expr {$is_indexed ? $positions : {}}]]
}

# The part at these indices: mindtorch::at $x {0 2} -1.
proc mindtorch::at {tensor args} {
    lassign [index_view $tensor $args] view positions
    return [expr {[llength $positions] ? [call index {} $view $positions] : $view}]
}

# Assigns a number or a tensor to the part at the indices: mindtorch::put $x {0 {0 2}} 9.
proc mindtorch::put {tensor indices value} {
    lassign [index_view $tensor $indices] view positions
    if {![string match mt_tensor#* $value]} {
        set value [call full {} {} $value -dtype [dtype $tensor]]
    }
    if {[llength $positions]} {
        call index_put_ {} $view $positions $value
    } else {
        call copy_ {} $view $value
    }
    return $tensor
}

# ---- gradients ----

proc mindtorch::requires_grad_ {tensor {on 1}} {
    tensor_set_requires_grad $tensor [expr {$on ? 1 : 0}]
    return $tensor
}

proc mindtorch::grad {tensor} { tensor_grad $tensor }

proc mindtorch::set_grad {tensor gradient} { tensor_set_grad $tensor $gradient }

# Evaluates the script without recording gradients.
proc mindtorch::no_grad {script} {
    variable MT_MODE_GRAD
    set before [mode_get $MT_MODE_GRAD]
    mode_set $MT_MODE_GRAD 0
    try {
        uplevel 1 $script
    } finally {
        mode_set $MT_MODE_GRAD $before
    }
}

# Random numbers are torch's for the seed.
proc mindtorch::manual_seed {seed} { generator_seed [generator_default] $seed }

# ---- files ----

# The tensors of a file of torch, safetensors, NumPy or GGUF: a dict by name.
proc mindtorch::load {path} {
    set found [load_tensors $path]
    set tensors {}
    for {set i 0} {$i < [NamedTensors_size $found]} {incr i} {
        dict set tensors [NamedTensors_name $found $i] [NamedTensors_get $found $i]
    }
    $found -delete
    return $tensors
}

# Saves a dict of tensors, in the format safetensors or torch.
proc mindtorch::save {path tensors {format safetensors}} {
    if {$format ni {safetensors torch}} {
        return -code error -errorcode {MINDTORCH ValueError} "a format is safetensors or torch, not $format"
    }
    set named [new_NamedTensors]
    try {
        dict for {name tensor} $tensors {
            NamedTensors_add $named $name $tensor
        }
        NamedTensors_save $named $path [expr {$format eq "torch"}]
    } finally {
        $named -delete
    }
    return
}
