# An operator, a gradient and an error through MindTorch's package for Tcl.
package require mindtorch

proc show {name tensor} {
    puts "$name [lmap number [mindtorch::to_list $tensor] {format %g $number}]"
}

set x [mindtorch::tensor {1 2 3} -requires_grad 1]
set y [mindtorch::tensor {4 5 6}]
show sum [torch add $x $y]

mindtorch::backward [torch sum [torch mul $x $x]]
show gradient [mindtorch::grad $x]

try {
    torch add $x [torch ones 2]
} trap MINDTORCH {message options} {
    puts "[lindex [dict get $options -errorcode] 1]: $message"
}
