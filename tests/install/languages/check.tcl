# What expected.txt lists, in Tcl.
package require mindtorch
namespace import mindtorch::call

proc text tensor { join [lmap number [mindtorch::tensor_to_doubles $tensor] { format %g $number }] " " }
proc texts {tensors between} { join [lmap tensor $tensors { text $tensor }] $between }
proc bytes {} {
    set stats [mindtorch::allocator_get_stats]
    set bytes [mindtorch::mt_allocator_stats_allocated_bytes_get $stats]
    $stats -delete
    return $bytes
}
proc failing script {
    try {
        uplevel 1 $script
    } trap MINDTORCH {message options} {
        return "[lindex [dict get $options -errorcode] 1]: $message"
    }
    return nothing
}

set x [mindtorch::tensor_from_doubles {1 2 3 4.5} 4 $mindtorch::MT_FLOAT32]
puts "cat [text [call cat "" [list $x $x] 0]]"
puts "max [texts [call max dim $x 0] " "]"
puts "split [texts [call split Tensor $x 2] " | "]"
puts "floor [text [call div Tensor_mode $x [call full "" 4 2.0] -rounding_mode floor]]"
puts "clamp [text [call clamp "" $x none 3]]"
set ends [mindtorch::tensor_from_doubles {0 3} 2 $mindtorch::MT_INT64]
puts "index [text [call index Tensor [call stack "" [list $x $x] 1] [list $ends [call zeros_like "" $ends]]]]"
set info [mindtorch::tensor_get_info [call zeros "" 2 -dtype float64]]
puts "dtypes [$info cget -dtype] [call result_type Tensor $x [call zeros "" 2 -dtype $mindtorch::MT_FLOAT64]]"
puts "equal [call equal "" $x $x] [call equal "" $x [call neg "" $x]]"
puts "empty [text [call sum dim_IntList $x {} false]]"
set device [mindtorch::device_parse npu:3]
puts "device [$device cget -type] [$device cget -index]"
mindtorch::Values values
values add_int 9007199254740993
puts "whole [values get_int 0]"
set packed [mindtorch::tensor_from_bytes [binary format d2 {1.5 2.5}] 2 $mindtorch::MT_FLOAT64]
binary scan [mindtorch::tensor_to_bytes $packed] d2 unpacked
puts "bytes $unpacked"

mindtorch::tensor_set_requires_grad $x 1
mindtorch::GradientQueue queue
queue watch $x
mindtorch::backward [call sum "" [call mul Tensor $x $x]]
puts "gradient [text [mindtorch::tensor_grad $x]]"
puts "seen [text [queue poll]]"
puts "none [expr {[queue poll] eq "NULL" && [mindtorch::tensor_grad [call neg "" $x]] eq "NULL"}]"

puts "error [failing { call add Tensor $x [call ones "" 2] }]"
puts "status [failing { mindtorch::mt_tensor_set_requires_grad $ends 1 }]"
puts "index [failing { call unsqueeze "" $x 7 }]"
puts "keyword [failing { call zeros "" 2 -dtyp 6 }]"
puts "null [failing { mindtorch::tensor_sizes NULL }]"
set before [bytes]
for {set i 0} {$i < 100} {incr i} {
    call zeros "" 100000
}
puts "released [expr {[bytes] - $before < 10000000}]"
