## -*- texinfo -*-
## @deftypefn  {} {@var{y} =} sum (@var{x})
## @deftypefnx {} {@var{y} =} sum (@var{x}, @var{dim})
## Sum of a tensor's elements along a dimension.
##
## @var{dim} counts from 1 and stays in the result; without it, it is the first that is not 1.
## @end deftypefn

function y = sum (x, dim)
  if (nargin < 2)
    dim = find (x.shape != 1, 1);
    if (isempty (dim))
      dim = 1;
    endif
  endif
  if (isempty (x.shape))
    y = x;
  else
    y = x.sum (dim - 1, "keepdim", true);
  endif
endfunction
