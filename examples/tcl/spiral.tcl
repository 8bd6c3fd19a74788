# Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
package require mindtorch

lassign {3 100 64 400} ARMS POINTS HIDDEN STEPS

proc make_spirals {} {
    global ARMS POINTS
    set pi [expr {acos(-1)}]
    for {set arm 0} {$arm < $ARMS} {incr arm} {
        for {set i 0} {$i < $POINTS} {incr i} {
            set radius [expr {($i + 1.0) / $POINTS}]
            set angle [expr {$arm * 2 * $pi / $ARMS + 4 * $radius + 0.1 * sin(37.0 * $i)}]
            lappend xy [list [expr {$radius * cos($angle)}] [expr {$radius * sin($angle)}]]
            lappend labels $arm
        }
    }
    list [mindtorch::tensor $xy] [mindtorch::tensor $labels int64]
}

proc forward {x net} {
    dict with net {
        torch linear [torch tanh [torch linear $x ${0.weight} ${0.bias}]] ${2.weight} ${2.bias}
    }
}

# One step of gradient descent.
proc descend {net rate} {
    mindtorch::no_grad {
        dict for {name weight} $net {
            torch add_ $weight [mindtorch::grad $weight] -alpha [expr {-$rate}]
            mindtorch::set_grad $weight none
        }
    }
}

puts "mindtorch [mindtorch::version], ABI [mindtorch::abi_version], [mindtorch::threads_get] threads"
lassign [make_spirals] x labels
mindtorch::manual_seed 7
set net [dict create \
    0.weight [torch randn [list $HIDDEN 2]] 0.bias [torch zeros $HIDDEN] \
    2.weight [torch mul [torch randn [list $ARMS $HIDDEN]] 0.125] 2.bias [torch zeros $ARMS]]
dict for {name weight} $net { mindtorch::requires_grad_ $weight }
for {set step 1} {$step <= $STEPS} {incr step} {
    set logits [forward $x $net]
    set loss [torch cross_entropy_loss $logits $labels]
    mindtorch::backward $loss
    descend $net 1.0
    if {$step == 1 || $step % 100 == 0} {
        set hits [mindtorch::item [torch sum [torch eq [torch argmax $logits 1] $labels]]]
        puts [format "step %d: loss %.6f, accuracy %.4f" $step [mindtorch::item $loss] [expr {double($hits) / [llength [mindtorch::to_list $labels]]}]]
    }
}

close [file tempfile path]
mindtorch::save $path $net
set loaded [mindtorch::load $path]
file delete $path
puts "loaded [dict keys $loaded], equal: [torch equal [forward $x $loaded] [forward $x $net]]"

try {
    torch add $x $labels
} trap MINDTORCH {message options} {
    puts "[lindex [dict get $options -errorcode] 1]: $message"
}
