# Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
use strict;
use warnings;
use MindTorch;

for (1 .. 200) {
    my $tensor = MindTorch::call('ones', '', [10_000_000]);
    MindTorch::call('narrow', '', $tensor, 0, 0, 10);
}
my $leaf = MindTorch::call('ones', '', [10_000_000]);
MindTorch::tensor_set_requires_grad($leaf, 1);
MindTorch::call('sum', '', MindTorch::call('exp', '', $leaf)) for 1 .. 50;
open my $status, '<', '/proc/self/status' or die $!;
/VmHWM:\s+(\d+)/ and print int($1 / 1024), "\n" while <$status>;
