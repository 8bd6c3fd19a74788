% What calls from Octave cost: prints `name seconds`, as calls.c does.
pkg load mindtorch
1;  % a script that begins with functions

function measure (name, repeats, rounds, call)
  best = Inf;
  call ();
  for round = 1:rounds
    begun = tic ();
    for i = 1:repeats
      call ();
    endfor
    best = min (best, toc (begun) / repeats);
  endfor
  printf ("%s %.9f\n", name, best);
endfunction

x = torch.tensor (1);
y = torch.tensor (1);
square = torch.ones ([1024 1024]);
elements = zeros (1000000, 1);
numbers = torch.tensor (elements, "dtype", "float64");
measure ("add", 500, 100, @() x.add (y));
measure ("add, by +", 500, 100, @() x + y);
measure ("mm", 1, 10, @() square.mm (square));
measure ("in", 1, 20, @() torch.tensor (elements, "dtype", "float64"));
measure ("out", 1, 20, @() numbers.array ());
