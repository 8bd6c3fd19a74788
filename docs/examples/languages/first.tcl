# An operator, a gradient and an error through MindTorch's package for Tcl.
package require mindtorch
namespace import mindtorch::call

proc show {name tensor} {
    puts "$name [lmap number [mindtorch::tensor_to_doubles $tensor] {format %g $number}]"
}

set x [mindtorch::tensor_from_doubles {1 2 3} 3 $mindtorch::MT_FLOAT32]
set y [mindtorch::tensor_from_doubles {4 5 6} 3 $mindtorch::MT_FLOAT32]
show sum [call add Tensor $x $y -alpha 1]

mindtorch::tensor_set_requires_grad $x 1
mindtorch::backward [call sum "" [call mul Tensor $x $x]]
show gradient [mindtorch::tensor_grad $x]

if {[catch {call add Tensor $x [call ones "" 2]} message options]} {
    puts "[lindex [dict get $options -errorcode] 1]: $message"
}
