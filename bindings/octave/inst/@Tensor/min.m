## -*- texinfo -*-
## @deftypefn  {} {[@var{y}, @var{i}] =} min (@var{x})
## @deftypefnx {} {[@var{y}, @var{i}] =} min (@var{x}, [], @var{dim})
## @deftypefnx {} {@var{y} =} min (@var{x}, @var{other})
## Smallest elements of a tensor along a dimension, and their positions; or of two tensors, element by element.
##
## Dimensions and positions count from 1. Without @var{dim}, it is the first that is not 1.
## @end deftypefn

function [y, i] = min (x, other, dim)
  if (nargin == 2)
    y = torch.minimum (torch.tensor (x), torch.tensor (other));
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
  [y, i] = x.min (dim - 1, "keepdim", true);
  i = i + 1;
endfunction
