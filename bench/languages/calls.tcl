# What calls from Tcl cost: prints `name seconds`, as calls.c does.
package require mindtorch

proc measure {name repeats rounds script} {
    uplevel 1 $script
    set best inf
    for {set round 0} {$round < $rounds} {incr round} {
        set best [expr {min($best, [lindex [uplevel 1 [list time $script $repeats]] 0])}]
    }
    puts [format "%s %.9f" $name [expr {$best / 1e6}]]
}
proc run {} {
    set x [mindtorch::tensor 1]
    set y [mindtorch::tensor 1]
    set square [torch ones {1024 1024}]
    set packed [binary format d1000000 [lrepeat 1000000 0]]
    set numbers [mindtorch::tensor_from_bytes $packed 1000000 $mindtorch::MT_FLOAT64]
    measure add 500 400 { torch add $x $y }
    measure mm 1 10 { torch mm $square $square }
    measure in 1 20 { mindtorch::tensor_from_bytes $packed 1000000 $mindtorch::MT_FLOAT64 }
    measure out 1 20 { mindtorch::tensor_to_bytes $numbers }
}
run
