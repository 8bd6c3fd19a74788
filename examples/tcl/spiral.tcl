# Trains a network of two layers on three spirals through MindTorch's package for Tcl, SWIG's wrapper of the C ABI.
package require mindtorch
namespace import mindtorch::call

lassign {3 100 64 400} ARMS POINTS HIDDEN STEPS

proc make_spirals {} {
    global ARMS POINTS
    set pi [expr {acos(-1)}]
    for {set arm 0} {$arm < $ARMS} {incr arm} {
        for {set i 0} {$i < $POINTS} {incr i} {
            set radius [expr {($i + 1.0) / $POINTS}]
            set angle [expr {$arm * 2 * $pi / $ARMS + 4 * $radius + 0.1 * sin(37.0 * $i)}]
            lappend xy [expr {$radius * cos($angle)}] [expr {$radius * sin($angle)}]
            lappend labels $arm
        }
    }
    set count [expr {$ARMS * $POINTS}]
    list [mindtorch::tensor_from_doubles $xy [list $count 2] $mindtorch::MT_FLOAT32] \
        [mindtorch::tensor_from_doubles $labels $count $mindtorch::MT_INT64]
}

proc make_parameter {factory sizes {scale 1.0}} {
    set tensor [call mul Scalar [call $factory "" $sizes] $scale]
    mindtorch::tensor_set_requires_grad $tensor 1
    return $tensor
}

proc forward {x weight1 bias1 weight2 bias2} {
    set hidden [call tanh "" [call linear "" $x $weight1 $bias1]]
    call linear "" $hidden $weight2 $bias2
}

proc descend {parameters rate} {
    mindtorch::mode_set $mindtorch::MT_MODE_GRAD 0
    foreach parameter $parameters {
        call add_ Tensor $parameter [mindtorch::tensor_grad $parameter] -alpha [expr {-$rate}]
        mindtorch::tensor_set_grad $parameter NULL
    }
    mindtorch::mode_set $mindtorch::MT_MODE_GRAD 1
}

proc accuracy {logits labels} {
    global ARMS POINTS
    set hits [call eq Tensor [call argmax "" $logits 1] $labels]
    expr {[mindtorch::tensor_item [call sum "" $hits]] / ($ARMS * $POINTS)}
}

puts "mindtorch [mindtorch::version], ABI [mindtorch::abi_version], [mindtorch::threads_get] threads"
lassign [make_spirals] x labels
mindtorch::generator_seed [mindtorch::generator_default] 7
set parameters [list [make_parameter randn [list $HIDDEN 2]] [make_parameter zeros $HIDDEN] \
    [make_parameter randn [list $ARMS $HIDDEN] 0.125] [make_parameter zeros $ARMS]]
for {set step 1} {$step <= $STEPS} {incr step} {
    set logits [forward $x {*}$parameters]
    set loss [call cross_entropy_loss "" $logits $labels]
    mindtorch::backward $loss
    descend $parameters 1.0
    if {$step == 1 || $step % 100 == 0} {
        puts [format "step %d: loss %.6f, accuracy %.4f" $step [mindtorch::tensor_item $loss] [accuracy $logits $labels]]
    }
}

try {
    call add Tensor $x $labels
} trap MINDTORCH {message options} {
    puts "[lindex [dict get $options -errorcode] 1]: $message"
}
