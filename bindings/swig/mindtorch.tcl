# The C ABI of MindTorch as SWIG wraps it, and `call`, which takes plain Tcl values.
namespace eval mindtorch {
    variable arguments
    namespace export call
}

# Calls an operator: mindtorch::call NAME OVERLOAD ?ARGUMENT ...? ?-KEYWORD ARGUMENT ...?
# What a value is, Tcl does not know; the operator's schema does. `none` leaves an optional argument out. Several results, or
# a list of tensors, come as a list.
proc mindtorch::call {name overload args} {
    set types [argument_types $name $overload]
    set values [new_Values]
    try {
        set place 0
        for {set i 0} {$i < [llength $args]} {incr i; incr place} {
            set argument [lindex $args $i]
            if {[string match {-[a-z]*} $argument] && ![string is double $argument]} {
                incr i
                set key [string range $argument 1 end]
                box $values [expr {[dict exists $types $key] ? [dict get $types $key] : ""}] [lindex $args $i]
                Values_name $values $key
            } else {
                box $values [lindex $types [expr {2 * $place + 1}]] $argument
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

# Names and types of an operator's arguments, in turn.
proc mindtorch::argument_types {name overload} {
    variable arguments
    if {![info exists arguments($name,$overload)]} {
        set op [op_find $name $overload]
        set about [op_get_info $op]
        set types {}
        for {set i 0} {$i < [mt_op_info_n_args_get $about]} {incr i} {
            set argument [op_get_arg $op $i]
            lappend types [mt_arg_info_name_get $argument] [mt_arg_info_type_get $argument]
            $argument -delete
        }
        $about -delete
        set arguments($name,$overload) $types
    }
    return $arguments($name,$overload)
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
        "Tensor*" { Values_add_tensor $values $argument }
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
    variable MT_TAG_TENSOR
    variable MT_TAG_TENSORS
    variable MT_TAG_BOOL
    set tag [Values_tag $results $index]
    if {$tag == $MT_TAG_TENSOR} {
        return [Values_get_tensor $results $index]
    } elseif {$tag == $MT_TAG_BOOL} {
        return [Values_get_bool $results $index]
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
