## -*- texinfo -*-
## @deftypefn {} {@var{n} =} numel (@var{x})
## Return the number of a tensor's elements.
## @end deftypefn

function n = numel (x)
  n = prod (x.shape);
endfunction
