# What is written in Tcl above the module, which has `torch`, `call`, `on_gradient` and `define`: nested lists, dicts, scripts.
namespace eval mindtorch {
    namespace export call define on_gradient tensor to_list shape dtype item text no_grad manual_seed load save
}

# ---- tensors ----

# A tensor of a nested list of numbers, or of a number: mindtorch::tensor {{1 2} {3 4}} int64
proc mindtorch::tensor {numbers {dtype float32}} {
    variable MT_FLOAT64
    set sizes {}
    set list $numbers
    if {![string is double -strict $numbers]} {
        for {set level $numbers} {![string is double -strict $level] && [llength $level] > 0} {set level [lindex $level 0]} {
            lappend sizes [llength $level]
        }
        if {[llength $numbers] == 0} {
            set sizes 0
        }
        set list [flatten $numbers $sizes]
    }
    return [call to dtype [tensor_from_bytes [binary format d* $list] $sizes $MT_FLOAT64] $dtype]
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
    if {[dtype $tensor] eq "int64"} {
        binary scan [tensor_to_bytes $tensor] w* list
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
    return [expr {[dtype $tensor] eq "int64" ? [lindex [to_list [call flatten {} $tensor]] 0] : $number}]
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
