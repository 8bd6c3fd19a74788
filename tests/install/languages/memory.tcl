# Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
package require mindtorch
namespace import mindtorch::call

for {set i 0} {$i < 200} {incr i} {
    set tensor [call ones "" 10000000]
    call narrow "" $tensor 0 0 10
}
unset tensor
set leaf [call ones "" 10000000]
mindtorch::tensor_set_requires_grad $leaf 1
for {set i 0} {$i < 50} {incr i} {
    call sum "" [call exp "" $leaf]
}
set status [open /proc/self/status]
regexp {VmHWM:\s+(\d+)} [read $status] - peak
puts [expr {$peak / 1024}]
