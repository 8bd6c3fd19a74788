# The C ABI of MindTorch as SWIG wraps it, in Tcl's manner: operators as subcommands of `torch`, nested lists, dicts, scripts.
namespace eval mindtorch {
    variable arguments
    namespace export call tensor to_list shape dtype item text no_grad load save
}

# torch NAME ARGUMENT ... ?-KEYWORD ARGUMENT ...?: every operator; its arguments select the overload.
namespace ensemble create -command ::torch -map {version ::mindtorch::version} -unknown ::mindtorch::find_operator

proc mindtorch::find_operator {ensemble name args} {
    if {![operator_exists $name]} {
        return -code error -errorcode {MINDTORCH AttributeError} "there is no operator $name"
    }
    set map [namespace ensemble configure $ensemble -map]
    dict set map $name [list ::mindtorch::call $name {}]
    namespace ensemble configure $ensemble -map $map
    return [dict get $map $name]
}

# Calls an operator: mindtorch::call NAME OVERLOAD ?ARGUMENT ...? ?-KEYWORD ARGUMENT ...?
# What a value is, Tcl does not know; the operator's schema does. With the overload "", the first that the arguments fit is called.
# `none` leaves an optional argument out. Several results, or a list of tensors, come as a list.
proc mindtorch::call {name overload args} {
    set given [split_arguments $args]
    if {$overload eq ""} {
        set overload [find_overload $name $given]
    }
    set types [argument_types $name $overload]
    set values [new_Values]
    try {
        foreach {place key argument} $given {
            if {$key eq ""} {
                box $values [lindex $types $place 1] $argument
            } else {
                box $values [type_named $types $key] $argument
                Values_name $values $key
            }
        }
        set results [dispatch $name $overload $values]
    } finally {
        delete_Values $values
        $values -delete
    }
    set found {}
    for {set i 0} {$i < [Values_size $results]} {incr i} {
        lappend found [unbox $results $i]
    }
    $results -delete
    if {[llength $found] == 1} {
        return [lindex $found 0]
    }
    return $found
}

# Place, name and value of each argument, in turn; the name of one by place is "".
proc mindtorch::split_arguments {list} {
    set given {}
    set place 0
    for {set i 0} {$i < [llength $list]} {incr i; incr place} {
        set argument [lindex $list $i]
        if {[string match {-[a-z]*} $argument] && ![string is double $argument]} {
            incr i
            if {$i == [llength $list]} {
                return -code error -errorcode {MINDTORCH TypeError} "$argument has no value"
            }
            lappend given $place [string range $argument 1 end] [lindex $list $i]
        } else {
            lappend given $place "" $argument
        }
    }
    return $given
}

# Name, type, whether it has a default and whether it is given by name only, of each argument.
proc mindtorch::argument_types {name overload} {
    variable arguments
    if {![info exists arguments($name,$overload)]} {
        set op [op_find $name $overload]
        set about [op_get_info $op]
        set types {}
        for {set i 0} {$i < [mt_op_info_n_args_get $about]} {incr i} {
            set argument [op_get_arg $op $i]
            set default [mt_arg_info_default_text_get $argument]
            lappend types [list [mt_arg_info_name_get $argument] [mt_arg_info_type_get $argument] \
                [expr {$default ni {"" NULL}}] [mt_arg_info_keyword_only_get $argument]]
            $argument -delete
        }
        $about -delete
        set arguments($name,$overload) $types
    }
    return $arguments($name,$overload)
}

proc mindtorch::type_named {types key} {
    foreach argument $types {
        if {[lindex $argument 0] eq $key} {
            return [lindex $argument 1]
        }
    }
}

# The first overload that the arguments fit; without one the first, whose call says why.
proc mindtorch::find_overload {name given} {
    set first [overload_name $name 0]
    set count [overload_count $name]
    for {set i 0} {$count > 1 && $i < $count} {incr i} {
        set overload [overload_name $name $i]
        if {[do_arguments_fit [argument_types $name $overload] $given]} {
            return $overload
        }
    }
    return $first
}

proc mindtorch::do_arguments_fit {types given} {
    set seen {}
    foreach {place key argument} $given {
        if {$key eq ""} {
            lassign [lindex $types $place] key type default is_keyword
            if {$place >= [llength $types] || $is_keyword} {
                return 0
            }
        } else {
            set type [type_named $types $key]
        }
        if {$type eq "" || ![does_value_fit $type $argument]} {
            return 0
        }
        lappend seen $key
    }
    foreach argument $types {
        if {![lindex $argument 2] && [lindex $argument 0] ni $seen} {
            return 0
        }
    }
    return 1
}

proc mindtorch::does_value_fit {type value} {
    if {$value eq "none"} {
        return [string match {*\?} $type]
    }
    if {[regexp {^(.*)\[\d*\]\??$} $type -> element]} {
        if {![string is list $value]} {
            return 0
        }
        foreach item $value {
            if {![does_value_fit $element $item]} {
                return 0
            }
        }
        return 1
    }
    switch -- [string trimright $type ?] {
        Tensor { return [string match mt_tensor#* $value] }
        Generator { return [string match mt_generator#* $value] }
        int - SymInt { return [string is wideinteger -strict $value] }
        float - Scalar { return [string is double -strict $value] }
        bool { return [string is boolean -strict $value] }
        ScalarType { return [expr {[string is wideinteger -strict $value] || [dtype_number $value] >= 0}] }
        Device { return [regexp {^[a-z]+(:\d+)?$} $value] }
        default { return [expr {![string match mt_*#* $value]}] }
    }
}

proc mindtorch::dtype_number {name} {
    for {set number 0} {$number < 64} {incr number} {
        if {[mt_dtype_name $number] eq $name} {
            return $number
        }
    }
    return -1
}

proc mindtorch::box {values type argument} {
    if {$argument eq "none" && [string match {*\?} $type]} {
        Values_add_none $values
        return
    }
    switch -glob -- $type {
        "Tensor\\[*" - "Tensor\\?\\[*" {
            set tensors [new_Tensors]
            foreach tensor $argument {
                Tensors_add $tensors [expr {$tensor eq "none" ? "NULL" : $tensor}]
            }
            Values_add_tensors $values $tensors
            delete_Tensors $tensors
            $tensors -delete
        }
        "Tensor*" {
            # A number, where the operator takes one for a tensor.
            if {[string is wideinteger -strict $argument]} {
                Values_add_int $values $argument
            } elseif {[string is double -strict $argument]} {
                Values_add_double $values $argument
            } else {
                Values_add_tensor $values $argument
            }
        }
        "Generator*" { Values_add_generator $values $argument }
        "bool\\[*" { Values_add_ints $values [lmap item $argument { expr {!!$item} }] }
        "float\\[*" - "Scalar\\[*" { Values_add_doubles $values $argument }
        "*nt\\[*" { Values_add_ints $values $argument }
        "int*" - "SymInt*" { Values_add_int $values $argument }
        "float*" { Values_add_double $values $argument }
        "bool*" { Values_add_bool $values [expr {!!$argument}] }
        "str*" { Values_add_string $values $argument }
        default {
            if {[string is wideinteger -strict $argument]} {
                Values_add_int $values $argument
            } elseif {[string is double -strict $argument]} {
                Values_add_double $values $argument
            } else {
                Values_add_string $values $argument
            }
        }
    }
}

proc mindtorch::unbox {results index} {
    variable MT_TAG_NONE
    variable MT_TAG_TENSOR
    variable MT_TAG_TENSORS
    variable MT_TAG_BOOL
    variable MT_TAG_DOUBLE
    variable MT_TAG_COMPLEX
    set tag [Values_tag $results $index]
    if {$tag == $MT_TAG_TENSOR} {
        return [Values_get_tensor $results $index]
    } elseif {$tag == $MT_TAG_BOOL} {
        return [Values_get_bool $results $index]
    } elseif {$tag == $MT_TAG_DOUBLE} {
        return [Values_get_double $results $index]
    } elseif {$tag == $MT_TAG_COMPLEX} {
        return [list [Values_get_real $results $index] [Values_get_imaginary $results $index]]
    } elseif {$tag == $MT_TAG_NONE} {
        return none
    } elseif {$tag != $MT_TAG_TENSORS} {
        return [Values_get_int $results $index]
    }
    set tensors [Values_get_tensors $results $index]
    set list {}
    for {set i 0} {$i < [Tensors_size $tensors]} {incr i} {
        lappend list [Tensors_get $tensors $i]
    }
    $tensors -delete
    return $list
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
