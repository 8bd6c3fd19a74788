% An operator, a gradient and an error through the package for Octave.
pkg load mindtorch

show = @(name, tensor) printf ("%s%s\n", name, sprintf (" %g", tensor.array ()));

x = torch.tensor ([1 2 3]).flatten ();
y = torch.tensor ([4 5 6]).flatten ();
show ("sum", x + y)

x.requires_grad = true;
(x .* x).sum ().backward ();
show ("gradient", x.grad)

try
  x.add (torch.ones (2));
catch problem
  printf ("%s: %s\n", strrep (problem.identifier, "MindTorch:", ""), problem.message);
end_try_catch
