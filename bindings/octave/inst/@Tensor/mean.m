## -*- texinfo -*-
## @deftypefn  {} {@var{y} =} mean (@var{x})
## @deftypefnx {} {@var{y} =} mean (@var{x}, @var{dim})
## Mean of a tensor's elements along a dimension.
##
## @var{dim} counts from 1 and stays in the result; without it, it is the first that is not 1.
## @end deftypefn

function y = mean (x, dim)
  if (nargin < 2)
    dim = find (x.shape != 1, 1);
    if (isempty (dim))
      dim = 1;
    endif
  endif
  if (isempty (x.shape))
    y = x;
  else
    y = x.mean (dim - 1, "keepdim", true);
  endif
endfunction
