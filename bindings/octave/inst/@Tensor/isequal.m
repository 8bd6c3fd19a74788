## -*- texinfo -*-
## @deftypefn {} {@var{same} =} isequal (@var{x}, @var{y}, @dots{})
## Return whether tensors have the same sizes and elements.
## @end deftypefn

function same = isequal (x, varargin)
  same = true;
  for i = 1:numel (varargin)
    same = same && torch.equal (torch.tensor (x), torch.tensor (varargin{i}));
  endfor
endfunction
