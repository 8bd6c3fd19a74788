## -*- texinfo -*-
## @deftypefn  {} {[@var{y}, @var{i}] =} max (@var{x})
## @deftypefnx {} {[@var{y}, @var{i}] =} max (@var{x}, [], @var{dim})
## @deftypefnx {} {@var{y} =} max (@var{x}, @var{other})
## Largest elements of a tensor along a dimension, and their positions; or of two tensors, element by element.
##
## Dimensions and positions count from 1. Without @var{dim}, it is the first that is not 1.
## @end deftypefn

function [y, i] = max (x, other, dim)
  if (nargin == 2)
    y = torch.maximum (torch.tensor (x), torch.tensor (other));
    return;
  endif
  if (isempty (x.shape))
    x = x.reshape (1);
  endif
  if (nargin < 3)
    dim = find (x.shape != 1, 1);
    if (isempty (dim))
      dim = 1;
    endif
  endif
  [y, i] = x.max (dim - 1, "keepdim", true);
  i = i + 1;
endfunction
