# libmindtorch0.symbols from capi/abi/ledger.txt, whose lines are `symbol major.minor`.
BEGIN { print "libmindtorch.so.0 libmindtorch0 #MINVER#" }
/^mt_/ {
  if (!($2 in seen)) print " MINDTORCH_" $2 "@MINDTORCH_" $2, $2
  seen[$2]
  print " " $1 "@MINDTORCH_" $2, $2
}
